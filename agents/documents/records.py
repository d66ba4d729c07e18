"""What the parts of the doc keeper hand to each other."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum


class Tier(StrEnum):
    """How sure it is that a document is wrong."""

    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"


class Thing(StrEnum):
    """What a document names."""

    PATH = "path"
    LINK = "link"
    ANCHOR = "anchor"
    COMMAND = "command"
    FLAG = "flag"
    VARIABLE = "variable"
    """Of the environment."""
    SETTING = "setting"
    SYMBOL = "symbol"
    SAMPLE = "sample"
    """A block of code."""
    HELP = "help"
    """What a program prints for ``--help``."""
    SIGNATURE = "signature"
    DEFAULT = "default"
    DOCUMENT = "document"
    """The document as a whole."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A place in a document that names something as code."""

    thing: Thing
    name: str
    """As it is written: ``--fast``, ``shop/cart.py``, ``Cart.total()``."""
    line: int
    """Counted from 1, in the document's file."""
    column: int
    """Counted from 0, in characters; where ``name`` begins."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A block of code in a document."""

    language: str
    text: str
    line: int
    """Its first line of code."""


@dataclass(frozen=True, slots=True)
class Document:
    """A text for people: a file of prose, or the docstrings of a module."""

    path: str
    text: str
    mentions: tuple[Mention, ...] = ()
    samples: tuple[Sample, ...] = ()
    anchors: tuple[str, ...] = ()
    """Names that links into it may use, lower case."""
    ignored: frozenset[int] = frozenset()
    """Lines that a ``hermes-ignore`` marker takes out."""
    past: frozenset[int] = frozenset()
    """Lines that tell of what was, on purpose: what they name may be gone."""
    links: tuple[Mention, ...] = ()
    """Where it links to: ``name`` is the target as written, anchor included. Not in ``mentions``."""


@dataclass(frozen=True, slots=True)
class Drift:
    """One place where a document does not match any more."""

    document: str
    line: int
    """0 for the document as a whole."""
    text: str
    """That line, as it stands."""
    thing: Thing
    name: str
    tier: Tier
    reason: str
    """One line: ``the option --fast was removed from shop/cli.py by 3f2a9c1``."""
    commit: str | None = None
    """The sha of the commit that did it, where known."""
    replacement: str | None = None
    """What it is called now, where a rule can tell."""

    @property
    def key(self) -> str:
        """The same for the same finding until the text or the code changes again."""
        parts = (self.document, self.text.strip(), self.thing, self.name, self.commit or "")
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Fix:
    """A change of one document that puts drift right."""

    document: str
    before: str
    """The whole text that it was made for; another text is another document."""
    after: str
    by: str = "rule"
    """``rule``, or the name of the model that wrote it."""
    note: str = ""
    """One line: what it does."""
