"""A made-up life of a repository as data: what happened, and what is true of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

from hermes.memory.drift import Found, State
from hermes.memory.records import Item
from hermes.memory.test_records import NewRun, Result, Run, Why
from hermes.memory.work import Work

from .git import RepoBuilder
from .life_history import History, Made

FIRST_DAY = date(2025, 10, 20)
"""A Monday; clocks are set back in Europe on the Sunday after it."""
FORGOTTEN = ("Quentin Vale", "quentin@shop.example")
FORGOTTEN_WORDS = ("zanzibarquokka", "xylophonegnu")
"""Stand in nothing but what the person wrote who is to be forgotten: in a commit, in a discussion."""
RENAMED = ("billing", "payments")
BOT = ("renovate", "bot@renovate.example")

DAY, HOUR = 86_400, 3_600

Person = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Superseded:
    """Something that was so until it was otherwise."""

    subject: str
    """``ticket:ENG-17``, or a commit's sha."""
    relation: str
    """``state``, ``assignee``, or ``holds`` of a commit that was taken back."""
    value: str
    since: int
    until: int


@dataclass(slots=True)
class Truths:
    """What was planted."""

    reverted: dict[str, str] = field(default_factory=dict[str, str])
    """Commits that are taken back, by what; those that came again are not among them."""
    again: set[str] = field(default_factory=set[str])
    """Commits that were taken back and applied again: they hold."""
    turning: set[str] = field(default_factory=set[str])
    """Commits that take back another, or apply it again: they hold the same lines."""
    picks: dict[str, str] = field(default_factory=dict[str, str])
    """Cherry-picks and rebased twins, and what stands for them."""
    bumps: list[str] = field(default_factory=list[str])
    """Commits of a robot that are alike but for numbers."""
    chatter: list[str] = field(default_factory=list[str])
    alerts: list[str] = field(default_factory=list[str])
    """Messages of a robot that are alike but for numbers."""
    copies: dict[str, str] = field(default_factory=dict[str, str])
    """Discussions that say to the letter what another says, and which."""
    superseded: list[Superseded] = field(default_factory=list[Superseded])
    closed: dict[str, int] = field(default_factory=dict[str, int])
    """Tickets that are done at the end, and since when."""
    open: set[str] = field(default_factory=set[str])
    reopened: set[str] = field(default_factory=set[str])
    evidence: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """Each ticket's commits on main, by sha: what its theme is made of."""
    secrets: list[str] = field(default_factory=list[str])
    rewritten: dict[str, str] = field(default_factory=dict[str, str])
    """Commits that ``Life.rewrite`` has rewritten, and what they are now."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A test that became red or green at a commit."""

    at: int
    test: str
    green: bool
    sha: str


@dataclass(frozen=True, slots=True)
class Drifted:
    """A document that the code left behind, and what became of it."""

    at: int
    found: Found
    state: State
    closed: int


@dataclass(slots=True)
class Life:
    """A repository on disk, and what happened around it."""

    path: Path
    days: int
    people: tuple[Person, ...]
    events: int
    tickets: list[Item]
    talk: list[Item]
    pulls: list[Item]
    """Of the repository; ``items`` says which that is."""
    turns: list[Turn]
    drift: list[Drifted]
    topic: list[Made]
    """The commits of the branch that ``rewrite`` rewrites."""
    truths: Truths

    @property
    def last_day(self) -> date:
        """The day of the last event."""
        return FIRST_DAY + timedelta(days=self.days - 1)

    @property
    def end(self) -> int:
        """The midnight after it, UTC."""
        return midnight(self.days)

    def items(self, repo: str) -> list[Item]:
        """Return all that people wrote; ``repo`` is the repository's id."""
        return [*self.tickets, *self.talk, *(replace(pull, repo=repo) for pull in self.pulls)]

    def record(self, work: Work, repo: str) -> None:
        """Write down what became of tests and documents, as the test runner and doc keeper do."""
        for number, turn in enumerate(self.turns):
            why = None if turn.green else Why("AssertionError", "assert 3 == 4", "shop.py", 12)
            result = Result(turn.test, "passed" if turn.green else "failed", 0.1, why)
            run = Run(
                *(repo, float(turn.at), 0.8, "affected", "pytest"),
                state="green" if turn.green else "red",
                by="imports",
                why="it imports what changed",
                head=turn.sha,
                job=number + 1,
            )
            work.runs.record(NewRun(run, (result,)))
        for drifted in self.drift:
            for number in work.proposals.put(repo, [drifted.found], drifted.at):
                if drifted.state is not State.OPEN:
                    work.proposals.close(number, drifted.state, drifted.closed)

    def rewrite(self) -> None:
        """Rebase the branch ``topic`` onto main: its commits are made anew, the old ones are gone."""
        repo = RepoBuilder(self.path, existing=True)
        old = repo.shas("topic", "^main")[::-1]
        with History(self.path, existing=True) as history:
            history.branch("topic", "main", files={})
            for made in self.topic:
                history.again("topic", made, committed=self.end)
        self.truths.rewritten.update(zip(old, repo.shas("topic", "^main")[::-1], strict=True))


def midnight(day: int) -> int:
    """Return when a day of the life begins, UTC; the first is 0."""
    return int(datetime.combine(FIRST_DAY + timedelta(days=day), time(), UTC).timestamp())
