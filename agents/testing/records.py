"""What the parts of the test runner hand to each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path


class Mark(StrEnum):
    """What became of one test."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    """It could not be run: its set-up or tear-down failed."""
    SKIPPED = "skipped"
    """Also expected failures."""


class State(StrEnum):
    """What became of one run."""

    GREEN = "green"
    RED = "red"
    NOTHING = "nothing"
    """There was no test to run."""
    UNCOLLECTED = "uncollected"
    """Some tests could not even be collected: a syntax or import error in the project."""
    BROKEN = "broken"
    """The project's environment can't run tests: no interpreter, no pytest, a crash at start."""
    TIMED_OUT = "timed_out"
    OVERRAN = "overran"
    """It was stopped for what it used: disk, processes."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a test did not pass."""

    exception: str
    """Name of the exception's class, e.g. ``AssertionError``; empty where there is none to tell."""
    message: str
    """Its first line, at most 500 characters."""
    path: str = ""
    """Where it was raised, relative to the worktree; empty if outside of it."""
    line: int = 0
    text: str = ""
    """The whole report, at most 8,000 characters; the middle is left out."""
    frames: tuple[tuple[str, int], ...] = ()
    """Places in the worktree that the call went through, outermost first."""


@dataclass(frozen=True, slots=True)
class Case:
    """One test in one run."""

    id: str
    """As its framework names it, relative to the worktree: ``tests/test_a.py::test_b[1]``."""
    mark: Mark
    seconds: float = 0.0
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class Changed:
    """What changed in the worktree. ``whole``: it is not known what."""

    paths: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Pick:
    """Something to run, and why."""

    target: str
    """What the framework takes: a test's id, a test file, a package. Relative to the worktree."""
    why: str
    """One line: ``imports shop/cart.py, which changed``."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which tests to run. Neither picks nor ``whole``: none is affected, and ``why`` says why."""

    picks: tuple[Pick, ...]
    by: str
    """How it was found out: testmon, imports, packages, related, command, asked."""
    why: str
    """One line on the whole: ``2 of 41 test files import what changed``."""
    whole: bool = False
    """Everything is run."""


@dataclass(frozen=True, slots=True)
class Tree:
    """The files that tests are run on."""

    root: Path
    """Where they lie: a snapshot of the worktree, or the worktree itself."""
    worktree: Path
    """The person's own."""
    scratch: Path
    """A folder of ours for caches, data files and reports of this repository; it stays."""
    left_out: tuple[str, ...] = ()
    """What a snapshot lacks of the worktree for its size: ignored folders and files."""

    @property
    def in_place(self) -> bool:
        """Whether tests run in the person's own worktree."""
        return self.root == self.worktree


@dataclass(frozen=True, slots=True)
class Invocation:
    """A process to be run."""

    argv: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str]
    """All of it; nothing is inherited."""
    reports: Path | None = None
    """The file in which the framework leaves its results, if it does."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A process that ran."""

    code: int | None
    """Its exit code; negative for a signal; None if we ended it."""
    seconds: float
    output: str
    """What it printed, both streams: the first and the last 32,000 characters."""
    stopped: str = ""
    """Why we ended it: ``time``, ``disk``, ``output``, ``processes``; empty if it ended itself."""


@dataclass(frozen=True, slots=True)
class Report:
    """What one run found."""

    state: State
    cases: tuple[Case, ...] = ()
    seconds: float = 0.0
    detail: str = ""
    """One line for a person where the state needs one: what is broken, and what to do."""
    output: str = ""
    """The end of what it printed, where that says more than the cases."""
    collected: Mapping[str, str] = field(default_factory=dict[str, str])
    """Files that could not be collected, each with the error in one line."""
