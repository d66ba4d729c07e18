"""What is kept of tests: runs, results, and how each test stands."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Colour(StrEnum):
    """How a test stands, as far as it is known."""

    GREEN = "green"
    RED = "red"
    UNKNOWN = "unknown"
    """It was skipped, could not be collected, or fails only now and then."""


@dataclass(frozen=True, slots=True)
class Why:
    """Why a test failed. All text is redacted before it gets here."""

    exception: str = ""
    message: str = ""
    path: str = ""
    line: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """One test in one run. ``mark``: passed, failed, error or skipped."""

    test: str
    mark: str
    seconds: float = 0.0
    failure: Why | None = None
    flaky: bool = False
    """It failed first, and passed when it was run once more: ``mark`` is then passed, and
    ``failure`` says how it failed."""

    @property
    def bad(self) -> bool:
        """Whether it did not pass."""
        return self.mark in ("failed", "error")


@dataclass(frozen=True, slots=True)
class Picked:
    """Something that was run, and why."""

    target: str
    why: str


@dataclass(frozen=True, slots=True)
class Counts:
    """How many tests of a run ended in which way; flaky ones are among the passed."""

    passed: int = 0
    failed: int = 0
    errors: int = 0
    skipped: int = 0
    flaky: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.passed + self.failed + self.errors + self.skipped


@dataclass(frozen=True, slots=True)
class Run:
    """One run of one framework."""

    repo: str
    at: float
    """When it began, in seconds since the epoch."""
    seconds: float
    kind: str
    """affected, full or asked."""
    framework: str
    state: str
    """green, red, nothing, uncollected, broken, timed_out or overran."""
    detail: str = ""
    by: str = ""
    """How the tests were chosen: testmon, imports, packages, related, command, asked."""
    why: str = ""
    """One line on the choice."""
    whole: bool = False
    """Everything was run."""
    head: str = ""
    """Sha of HEAD when it began."""
    clean: bool = False
    """The worktree held just what HEAD holds."""
    job: int = 0
    in_place: bool = False
    output: str = ""
    """The end of what it printed, where that says more than the results. Redacted."""
    counts: Counts = Counts()
    id: int = 0


@dataclass(frozen=True, slots=True)
class NewRun:
    """A run to be recorded, with all that belongs to it."""

    run: Run
    results: tuple[Result, ...] = ()
    picks: tuple[Picked, ...] = ()
    collected: Mapping[str, str] = field(default_factory=dict[str, str])
    """Files that could not be collected: their tests are unknown."""
    gone: tuple[str, ...] = ()
    """Tests that there are no more."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a run changed."""

    id: int
    newly_red: tuple[str, ...] = ()
    newly_green: tuple[str, ...] = ()
    """They were red, and now pass, or are no more."""
    still_red: tuple[str, ...] = ()
    """Of those that this run ran."""
    flaky: tuple[str, ...] = ()
    """Failed and then passed in this run, or failed while in quarantine."""
    missed: tuple[str, ...] = ()
    """Newly red in a full run, though selections since their last pass left them out."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How one test stands."""

    repo: str
    framework: str
    test: str
    mark: Colour
    since: float
    """When it began to stand so."""
    since_run: int
    last_run: int
    last_at: float
    seconds: float
    flaky: bool
    flaky_count: int
    """How often it failed and then passed, ever."""
    streak: int
    """Confirmed failures in a row."""
    green_head: str
    """HEAD when it last passed in a clean worktree, or the HEAD below that worktree."""
    green_at: float
    """When it last passed; 0 if never."""
    failure: Why | None = None
    """How it failed last, while it is not green."""
    note: str = ""
    """What memory says of this failure."""
    reference: str = ""
    """Where the note is from."""
    first_bad: str = ""
    """Sha of the commit with which it began to fail, where that was found out."""


@dataclass(frozen=True, slots=True)
class Episode:
    """A test was red for a while. ``ended`` is 0 while it lasts."""

    id: int
    repo: str
    framework: str
    test: str
    began: float
    began_head: str
    exception: str
    message: str
    path: str
    line: int
    ended: float = 0.0
    ended_head: str = ""
    how: str = ""
    """How it ended: passed, skipped, gone."""
    note: str = ""
    reference: str = ""
    first_bad: str = ""


@dataclass(frozen=True, slots=True)
class Missed:
    """A test that a full run found red, though no selection since its last pass had picked it."""

    at: float
    run: int
    """The full run."""
    framework: str
    test: str
    selections: int
    """How many selections there were since its last pass."""
    last_selection: int
    """The run of the last of them."""


@dataclass(frozen=True, slots=True)
class Pending:
    """What changed and no finished run has covered yet."""

    paths: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    whole: bool = False
    upto: int = 0
    """Hand it back when a run has covered these."""


@dataclass(frozen=True, slots=True)
class Summary:
    """How a repository's tests stand."""

    repo: str
    green: int
    red: int
    unknown: int
    flaky: int
    newly_red: tuple[str, ...]
    newly_green: tuple[str, ...]
    last: Run | None
    last_full: Run | None
    selections: int
    """Selections that a later full run has checked."""
    missed: int
    """Those of them that left out a test which then failed."""

    @property
    def error_bound(self) -> float | None:
        """Upper 95 % bound of the share of selections that miss a failing test; None before any
        was checked."""
        return upper_bound(self.missed, self.selections) if self.selections else None


def upper_bound(events: int, trials: int) -> float:
    """Return the one-sided upper 95 % bound of a small probability after ``events`` in ``trials``:
    the rule of three for none, else Poisson's limit by Wilson and Hilferty's approximation."""
    if not events:
        return min(1.0, 3.0 / trials)
    n = events + 1
    limit = n * (1 - 1 / (9 * n) + 1.645 / (3 * math.sqrt(n))) ** 3
    return min(1.0, limit / trials)
