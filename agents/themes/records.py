"""What the parts that make themes hand to each other.

A theme is derived: it says what its evidence says, shorter, and every line of it points there. Themes
are never evidence of other themes, are not searched by recall, and can be made again at any time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum


class State(StrEnum):
    """Where the work of a theme stood at the end of its page's time."""

    OPEN = "open"
    DONE = "done"
    """Merged, closed, green again."""
    STALLED = "stalled"
    """Open, and nobody has touched it for long."""


class EvidenceKind(StrEnum):
    """What a piece of evidence is."""

    COMMIT = "commit"
    TICKET = "ticket"
    THREAD = "thread"
    PULL = "pull"
    TEST = "test"
    """A test that became red or green."""
    DRIFT = "drift"
    """A document that the code had left behind, and what became of it."""
    VERDICT = "verdict"
    """What a council said."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing that happened, as far as grouping and telling need it."""

    kind: EvidenceKind
    ref: str
    """Resolves in its own store: a full sha, an item's reference, ``test:NODEID@RUN``, ``D12``."""
    at: int
    title: str
    """The subject, the ticket's title, the first line of a thread, the test's id."""
    author: str = ""
    email: str = ""
    paths: tuple[str, ...] = ()
    tickets: tuple[str, ...] = ()
    """Keys, its own first."""
    pull: str = ""
    """The pull request's key that brought it, ``#482``."""
    called: str = ""
    """What its first ticket is called, else its pull request, where memory has them."""
    branch: str = ""
    why: str = ""
    """The sentence of it that gives a reason, to the letter; empty where none does."""
    state: str = ""
    """``open``, ``closed`` or ``stalled`` of tickets and pulls, ``merged`` of merges, ``red`` or
    ``green`` of tests, ``open``, ``accepted``, ``dismissed`` or ``gone`` of drift, else empty."""
    note: str = ""
    """What happened to it, in words that follow its name: ``was assigned to Sam``."""
    lines: int = 0
    """Added and removed; of a merge, by all that it brought."""
    files: int = 0
    """How many were touched; ``paths`` has the first of them."""
    landed: int = 0
    """When a commit came to the main branch; 0 if it has not."""
    undoes: str = ""
    """The full sha of the commit that it takes back."""
    about: tuple[str, ...] = ()
    """References of what it belongs with: the commits that a merge or a squash brought, the one that
    a test began to fail with, the one that a document was left behind by."""
    others: tuple[str, ...] = ()
    """Who else took part."""


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence of a theme and what it rests on."""

    text: str
    references: tuple[str, ...]
    """Each an evidence's ``ref``; never empty."""


@dataclass(frozen=True, slots=True)
class Theme:
    """One thing that a day or a week was about."""

    key: str
    """The same from page to page while the work goes on: ``ticket:ENG-17``, ``pull:#482``,
    ``scope:payments``."""
    title: str
    state: State
    what: tuple[Line, ...]
    why: tuple[Line, ...] = ()
    """Reasons, to the letter, where the evidence has them."""
    people: tuple[str, ...] = ()
    """Names, who did most first."""
    paths: tuple[str, ...] = ()
    """What it touched most, at most five."""
    tickets: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    """All its evidence, oldest first."""
    since: int = 0
    until: int = 0
    """When its first and last evidence happened."""
    weight: float = 0.0
    """How much of its page's time it took, 0..1; pages list the heaviest first, and after them
    releases, what there was no room for, and upkeep."""


@dataclass(frozen=True, slots=True)
class Page:
    """The themes of one day or one week of one repository."""

    repo: str
    """The repository's id; empty for what belongs to none."""
    name: str
    """The repository's name."""
    first: date
    last: date
    """The same day, or Monday and Sunday."""
    themes: tuple[Theme, ...]
    digest: str
    """Stands for the evidence and the rules that the page was made from: the same, and there is
    nothing to make anew."""
    more: int = 0
    """Pieces of evidence that belong to no theme: too little to be one."""

    @property
    def is_week(self) -> bool:
        """Whether it covers a week."""
        return self.first != self.last

    @property
    def label(self) -> str:
        """``2026-11-30``, or ``2026-W49``."""
        if not self.is_week:
            return self.first.isoformat()
        year, week, _ = self.first.isocalendar()
        return f"{year}-W{week:02d}"


@dataclass(frozen=True, slots=True)
class Wording:
    """How a model put a theme's title, for the evidence of which it was asked."""

    digest: str
    """Of the theme's facts; other facts, and it does not hold any more."""
    title: str
    model: str


@dataclass(frozen=True, slots=True)
class Night:
    """One run of consolidation, as `hermes memory log` lists it."""

    commit: str
    """Of the themes' own git repository."""
    at: int
    subject: str
    pages: tuple[str, ...] = ()
    """Labels of the pages that changed."""
    reverts: str = ""
    """The commit that it took back."""


@dataclass(slots=True)
class Step:
    """What one part of a night did."""

    name: str
    """``marks``, ``themes``, ``compaction``, ``check``, ``answers``."""
    seconds: float = 0.0
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    notes: Sequence[str] = ()
    """What went wrong, or was left out, in words."""
