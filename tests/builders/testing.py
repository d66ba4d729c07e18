"""A repository whose tests hermes runs: a real worktree, a real ``work.db``, and frameworks that are
real or do as the test says."""

from __future__ import annotations

import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from hermes.agents.contract import Finding, Lane
from hermes.agents.project_settings import read_project
from hermes.agents.test_runner import Running, TestRunner
from hermes.agents.testing import process, snapshot
from hermes.agents.testing.framework import EnvironmentBroken, Framework
from hermes.agents.testing.parts import Parts
from hermes.agents.testing.real import real_parts
from hermes.agents.testing.records import (
    Case,
    Changed,
    Choice,
    Ended,
    Failure,
    Invocation,
    Mark,
    Pick,
    Report,
    State,
    Tree,
)
from hermes.daemon.ledger.records import Job
from hermes.ingest.git.command import Git
from hermes.memory.errors import StoreBusy
from hermes.memory.memory import Memory
from hermes.memory.work import Work
from hermes.tests.builders.runtime import World, card, spec, world

REPO = "shop"


@dataclass
class ScriptedFramework:
    """A framework whose tests end as they are told to: one list of marks a test, one mark a run,
    the last for all others. What it runs is a real process."""

    tests: dict[str, Sequence[Mark]]
    depends: dict[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    """Path to the tests that it affects; of a path that is not there all are."""
    name: str = "pytest"
    broken: str = ""
    state: State | None = None
    """Of each report, if it is not to follow from the tests."""
    collected: Mapping[str, str] = field(default_factory=dict[str, str])
    runs: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])
    """What each run ran."""
    counts: dict[str, int] = field(default_factory=dict[str, int])
    messages: dict[str, Failure] = field(default_factory=dict[str, Failure])
    code: str = ""
    """What the process does, in Python."""

    def choose(self, tree: Tree, changed: Changed) -> Choice:
        if changed.whole:
            return Choice((), "imports", "all tests", whole=True)
        found = [
            Pick(test, f"imports {path}, which changed")
            for path in changed.paths
            for test in self.depends.get(path, list(self.tests))
        ]
        return Choice(tuple(found), "imports", f"{len(found)} of {len(self.tests)} tests")

    def invocation(self, tree: Tree, choice: Choice) -> Invocation:
        if self.broken:
            raise EnvironmentBroken(self.broken)
        return Invocation((sys.executable, "-c", self.code or "pass"), tree.root, {})

    def read(self, tree: Tree, choice: Choice, ended: Ended) -> Report:
        wanted = list(self.tests) if choice.whole else [pick.target for pick in choice.picks]
        self.runs.append(tuple(wanted))
        cases = [self._case(test) for test in wanted if test in self.tests]
        bad = any(case.mark in (Mark.FAILED, Mark.ERROR) for case in cases)
        state = State.TIMED_OUT if ended.stopped else State.RED if bad else State.GREEN
        state = self.state or state
        return Report(state, tuple(cases), ended.seconds, collected=self.collected)

    def _case(self, test: str) -> Case:
        marks = self.tests[test]
        number = self.counts.get(test, 0)
        self.counts[test] = number + 1
        mark = marks[min(number, len(marks) - 1)]
        known = self.messages.get(test, Failure("AssertionError", "assert 1 == 2", "shop.py", 3))
        return Case(test, mark, 0.01, known if mark in (Mark.FAILED, Mark.ERROR) else None)


async def no_memory() -> Memory:
    """A memory that can't be opened."""
    raise StoreBusy(Path("memory.db"))


@dataclass
class Bench:
    """A test runner in a real runtime."""

    world: World
    work: Work
    agent: TestRunner
    git: Git
    repo: str
    started: list[int]

    async def run(
        self, *paths: str, subject: str = "affected", lane: Lane = Lane.REACTIVE, text: str = ""
    ) -> Job:
        """Have a job done; return it as it ended."""
        asked = spec("test_runner", subject, lane, repo=self.repo, paths=paths, text=text)
        [job] = await self.world.put(asked)
        return await self.world.until(job)

    @property
    def found(self) -> list[Finding]:
        """All that was found so far, oldest first."""
        return [finding for _, findings in self.world.considered for finding in findings]


@asynccontextmanager
async def bench(
    folder: Path,
    worktree: Path,
    *frameworks: Framework,
    repo: str = REPO,
    trusted: bool = True,
    memory: Callable[[], Awaitable[Memory]] = no_memory,
    running: Running | None = None,
) -> AsyncGenerator[Bench]:
    """Run a test runner over a worktree; without frameworks with those it really has."""
    git = Git.open(worktree)
    work = Work(folder / "work.db")
    if trusted:
        work.trust.give(repo, worktree, time.time())
    started: list[int] = []
    scripted = Parts(
        snapshot.take, snapshot.in_place, lambda tree, project: frameworks, process.run
    )
    agent = TestRunner(
        work,
        memory,
        lambda asked: git if asked == repo else None,
        read_project,
        folder / "testing",
        running or Running(),
        started=lambda pid, what, job: started.append(pid),
        parts=scripted if frameworks else real_parts(),
    )
    try:
        async with world(folder, agent, cards={agent.name: card(agent.name, limit=120)}) as here:
            yield Bench(here, work, agent, git, repo, started)
    finally:
        work.close()
