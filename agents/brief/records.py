"""What the parts of the brief hand to each other."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, tzinfo
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:  # settings read the calendar on every start
    from ...ingest.git.command import Git
    from ...memory.memory import Memory
    from ...memory.records import Repo
    from ...memory.work import Work
    from .look import Look


class Section(StrEnum):
    """Where a fact stands in the brief; in this order."""

    FINISHED = "finished"
    """What the person finished since they last worked."""
    HALF_DONE = "half_done"
    """What they left: uncommitted work, stashes, unpushed branches, red tests."""
    OVERNIGHT = "overnight"
    """What others did meanwhile."""
    HERMES = "hermes"
    """What hermes did: drafts, drift, jobs that did not end well."""
    FIRST_MOVE = "first_move"
    """One thing to begin with."""


RefKind = Literal[
    "commit",
    "path",
    "ticket",
    "pull",
    "thread",
    "branch",
    "stash",
    "test",
    "drift",
    "job",
    "url",
]


@dataclass(frozen=True, slots=True)
class Reference:
    """What a fact rests on; each can be looked up."""

    kind: RefKind
    text: str
    """As it is shown: ``3f2a9c1``, ``ENG-17``, ``shop/cart.py``, ``D3``."""
    target: str = ""
    """What it stands for where that is longer: the whole sha, an address."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that is so, computed."""

    key: str
    """The same for the same thing from day to day: ``unpushed:shop:feature/x``."""
    section: Section
    text: str
    """The sentence by rule, without its references; at most 200 characters."""
    references: tuple[Reference, ...] = ()
    weight: float = 1.0
    """How much it matters, before the person's ratings; 1 is usual."""
    topic: str = ""
    """What ratings are about: ``unpushed``, ``theme:payments``, ``drift``."""
    repo: str | None = None
    details: tuple[str, ...] = ()
    """Further lines, for `--week` and whoever asks for all."""
    move: str = ""
    """What to do about it, in the imperative and with the reason; empty where there is nothing."""
    state: str = ""
    """What of it may change; a fact is new again when this differs from when it was last told."""
    behind: str = ""
    """The key of another fact that, as long as it is new, is told in place of this one."""

    @property
    def digest(self) -> str:
        """Stands for what the fact says now."""
        return hashlib.sha256(f"{self.key}\0{self.state or self.text}".encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Person:
    """Who the brief is for, by all their names."""

    names: frozenset[str] = frozenset()
    emails: frozenset[str] = frozenset()
    """Lower case."""

    @property
    def known(self) -> bool:
        """Whether anything can be told to be theirs."""
        return bool(self.emails or self.names)

    def wrote(self, author: str, email: str) -> bool:
        """Say whether a commit with this author is theirs."""
        return email.lower() in self.emails or (not email and author in self.names)


@dataclass(frozen=True, slots=True)
class Period:
    """From when to when, in the person's own time."""

    day: date
    """The day that the brief is for."""
    since: float
    until: float
    """Seconds since 1970."""
    words: str
    """``since Friday``, ``since yesterday``, ``this week``."""
    zone: tzinfo | None = None
    """The person's; None stands for the machine's."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What a brief is made from."""

    memory: Memory
    work: Work
    repos: Sequence[tuple[Repo, Git]]
    person: Person
    period: Period
    everybody: bool = False
    """The team's work, by person, rather than one's own."""
    looks: Sequence[Look] | None = None
    """What was read of the repositories, once for all sources; None before that."""


@dataclass(frozen=True, slots=True)
class Found:
    """What one source of facts brought."""

    facts: tuple[Fact, ...] = ()
    unreadable: tuple[str, ...] = ()
    """Sources that are there and could not be read, in words: ``shop: git did not answer``."""


class Source(Protocol):
    """Brings facts of one kind. Blocking, for a thread; never raises for one repository's fault."""

    def __call__(self, scope: Scope) -> Found:
        """Return what is so."""
        ...


@dataclass(frozen=True, slots=True)
class Brief:
    """A brief, finished."""

    day: date
    made: float
    words: str
    """The period: ``since Friday``."""
    facts: tuple[Fact, ...]
    """Those that are told, in order."""
    more: int = 0
    """Facts that found no room."""
    sentences: dict[str, str] = field(default_factory=dict[str, str])
    """By a fact's key: how a model put it; facts without are told by rule."""
    unreadable: tuple[str, ...] = ()
    model: str = ""
    rest: tuple[Fact, ...] = ()
    """What found no room: told when all is asked for."""
    folded: tuple[Fact, ...] = ()
    """Open work that is as it was, and for which one line stands."""
    silent: str = ""
    """Why no shell shows it by itself; empty if one does."""

    @property
    def empty(self) -> bool:
        """Whether there is nothing to say."""
        return not self.facts and not self.unreadable
