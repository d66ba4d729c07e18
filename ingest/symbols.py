"""The names that a source file defines, and what a change did to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SymbolKind = Literal["function", "method", "class", "constant", "type", "module"]
What = Literal["added", "removed", "renamed", "signature", "default", "returns", "body"]


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

    @property
    def short(self) -> str:
        """Its name without what it is in."""
        return self.name.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class SymbolChange:
    """What a change did to one name."""

    what: What
    before: Symbol | None
    after: Symbol | None
    detail: str = ""
    """In words: ``timeout defaults to 30, was 10``."""


def symbols(path: str, text: str) -> tuple[Symbol, ...] | None:
    """Given a file's path and text, return what it defines, in order; None where the language is
    not known or the text can't be read as it."""
    raise NotImplementedError


def compare(
    before: tuple[Symbol, ...] | None, after: tuple[Symbol, ...] | None
) -> tuple[SymbolChange, ...]:
    """Given what a file defined before and defines now, return the differences. A file that was not
    there, or can't be read, counts as one that defines nothing."""
    raise NotImplementedError
