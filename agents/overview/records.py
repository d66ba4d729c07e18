"""What is told of one thing."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ...memory.records import ItemKind


class Sort(StrEnum):
    """What a thing is; neighbours are told in this order."""

    PULL = "pull request"
    COMMIT = "commit"
    TICKET = "ticket"
    DISCUSSION = "discussion"
    DOCUMENT = "document"
    TEST = "test"
    COUNCIL = "council"
    FILE = "file"


SORT_OF = {
    ItemKind.PULL: Sort.PULL,
    ItemKind.TICKET: Sort.TICKET,
    ItemKind.THREAD: Sort.DISCUSSION,
    ItemKind.DOCUMENT: Sort.DOCUMENT,
}


@dataclass(frozen=True, slots=True)
class Subject:
    """Something that a reference may mean."""

    sort: Sort
    repo: str
    """A repository's id; empty for what belongs to none."""
    ref: str
    """A sha, an item's reference, a path, a test's id, a council's number; a key that nothing but
    others' texts know."""
    name: str
    """What people call it: ``3f2a9c1e0d``, ``#482``."""
    title: str = ""
    time: int = 0
    known: bool = True
    """False for a key that only others name: memory does not hold the ticket itself."""
    line: int = 0
    """Of a file, where one is named."""


@dataclass(frozen=True, slots=True)
class Near:
    """A neighbour, and how it belongs to the subject."""

    subject: Subject
    how: str
    """``names it``, ``merged as``, ``changed it``."""


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that happened."""

    at: int
    what: str
    name: str = ""
    """Of the thing that it happened to, where that is another than the subject."""


@dataclass(frozen=True, slots=True)
class Overview:
    """All that is told of one thing."""

    subject: Subject
    facts: tuple[tuple[str, str], ...]
    """Names and values: who, since when, in what state."""
    text: str
    left: int
    """Characters of the text that are not here."""
    near: tuple[Near, ...]
    timeline: tuple[Moment, ...]
    """Oldest first."""
