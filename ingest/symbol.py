"""A definition in a source file, and what a change did to it."""

from __future__ import annotations

import re
import zlib
from array import array
from dataclasses import dataclass
from typing import Literal

SymbolKind = Literal["function", "method", "class", "constant", "type", "module"]
What = Literal["added", "removed", "renamed", "signature", "default", "returns", "body"]

MAX_VALUE = 200
"""Characters of a constant's value that are kept."""
MAX_LINES = 60
"""Lines of a definition that tell whether another one is the same under a new name."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition."""

    name: str
    """Qualified inside its file: ``Cart.total``."""
    kind: SymbolKind
    line: int
    """Counted from 1."""
    end: int
    """Its last line."""
    parameters: tuple[tuple[str, str], ...] = ()
    """Name (with ``*`` or ``**`` in front where it has them) and default, as written; an empty
    default is none."""
    returns: str = ""
    """As annotated."""
    value: str = ""
    """Of a constant: what it is set to, as written, at most 200 characters."""
    public: bool = True
    lines: bytes = b""
    """A CRC-32 for each line of its body, without blanks around and its own name: what `compare`
    knows it by under another name."""

    @property
    def short(self) -> str:
        """Its name without what it is in."""
        return self.name.rpartition(".")[2]

    @property
    def outer(self) -> str:
        """What it is in; empty at the top of the file."""
        return self.name.rpartition(".")[0]


@dataclass(frozen=True, slots=True)
class SymbolChange:
    """What a change did to one name."""

    what: What
    before: Symbol | None
    after: Symbol | None
    detail: str = ""
    """In words: ``timeout defaults to 30, was 10``."""

    @property
    def symbol(self) -> Symbol:
        """The one that is there now, else the one that was."""
        found = self.after or self.before
        assert found is not None
        return found


def marks_of(name: str, body: str) -> bytes:
    """Given a definition's short name and its text, return its ``lines``."""
    own = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    lines = (own.sub("\0", line.strip()) for line in body.splitlines()[:MAX_LINES])
    return array("I", (zlib.crc32(line.encode()) for line in lines if line)).tobytes()
