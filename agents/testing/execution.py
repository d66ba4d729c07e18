"""One run of one framework: choose, run, and run failures once more."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace

from .confirm import MOST, Settled, settle, to_confirm
from .framework import EnvironmentBroken, Framework
from .parts import RunProcess
from .records import Changed, Choice, Report, State, Tree

FINISHED = frozenset({State.GREEN, State.RED, State.NOTHING})
"""All that was chosen has run."""
LEAST_SECONDS = 5.0
"""With less time left failures are not run once more."""


@dataclass(frozen=True, slots=True)
class Execution:
    """What became of one framework's tests."""

    framework: str
    choice: Choice
    report: Report
    settled: tuple[Settled, ...] = ()
    at: float = 0.0
    """When it began."""
    seconds: float = 0.0
    """All of it, the second run included."""


@dataclass(frozen=True, slots=True)
class Executor:
    """Runs frameworks on a tree, within a time."""

    tree: Tree
    run: RunProcess
    started: Callable[[int, str], None]
    """Told of each process group's leader, and what it is."""
    say: Callable[[str, int, int], None]
    """Told how far it is."""

    async def choose(self, framework: Framework, changed: Changed) -> Choice | Report:
        """Return what to run; a report if the environment does not let even that be known."""
        try:
            return await asyncio.to_thread(framework.choose, self.tree, changed)
        except EnvironmentBroken as error:
            return _broken(error)

    async def execute(
        self, framework: Framework, choice: Choice | Report, limit: float, red: Collection[str]
    ) -> Execution:
        """Run what was chosen, then what newly failed once more. ``red``: what failed before."""
        at, begun = time.time(), time.monotonic()
        if isinstance(choice, Report):
            nothing = Choice((), "", "it could not be found out which tests to run")
            return Execution(framework.name, nothing, choice, at=at)
        if not choice.picks and not choice.whole:
            report = Report(State.NOTHING, detail=choice.why)
            return Execution(framework.name, choice, report, at=at)
        count = len(choice.picks)
        self.say(
            f"{framework.name}: running {'all tests' if choice.whole else choice.why}", 0, count
        )
        report = await self._once(framework, choice, limit)
        settled = [Settled(case) for case in report.cases]
        again = to_confirm(report, red)
        left = limit - (time.monotonic() - begun)
        new = sum(each.bad and each.case.id not in red for each in settled)
        if again is not None and left >= LEAST_SECONDS:
            self.say(f"{framework.name}: {again.why}", 0, len(again.picks))
            second = await self._once(framework, again, left)
            settled = settle(report.cases, second.cases)
            if not any(each.bad for each in settled):
                report = replace(report, state=State.GREEN)
        elif new and not report.detail:
            why = f"more than {MOST} failed at once" if new > MOST else "there was no time left"
            report = replace(report, detail=f"failures were not run once more: {why}")
        if lacking := _lacking(self.tree, settled):
            report = replace(report, detail="; ".join(filter(None, (report.detail, lacking))))
        seconds = time.monotonic() - begun
        return Execution(framework.name, choice, report, tuple(settled), at, seconds)

    async def _once(self, framework: Framework, choice: Choice, limit: float) -> Report:
        try:
            invocation = await asyncio.to_thread(framework.invocation, self.tree, choice)
            ended = await self.run(
                invocation,
                limit=limit,
                started=lambda pid: self.started(pid, f"{framework.name} tests"),
            )
            return await asyncio.to_thread(framework.read, self.tree, choice, ended)
        except EnvironmentBroken as error:
            return _broken(error)
        except (FileNotFoundError, PermissionError) as error:
            name = error.filename or "a program"
            return Report(State.BROKEN, detail=f"{name} can't be started: {error.strerror}")


def _lacking(tree: Tree, settled: Iterable[Settled]) -> str:
    """Say what the snapshot lacks if a failure speaks of it; empty if none does."""
    failures = [each.case.failure for each in settled if each.bad and each.case.failure]
    for path in tree.left_out:
        name = path.rstrip("/")
        if any(name in failure.message or name in failure.text for failure in failures):
            return (
                f"{path} is not in the snapshot that tests run on (it is large and ignored by git, or "
                'can\'t be read): [tests] isolation = "in_place" in .hermes.toml would have it'
            )
    return ""


def _broken(error: EnvironmentBroken) -> Report:
    lines = str(error).strip().splitlines() or ["the environment can't run tests"]
    return Report(State.BROKEN, detail=lines[0])
