"""One job of the test runner: from what changed to what is said about it."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...ingest.git.command import Git
from ...ingest.redaction import warm_up
from ...memory.errors import HermesError
from ...memory.test_records import Colour, Recorded
from ..contract import Context, Done, Finding, Followup, Lane, Nothing, Outcome
from ..project_settings import ProjectSettings
from .execution import FINISHED, Execution, Executor
from .framework import Framework
from .parts import Parts
from .recording import Head, gone, head_of, new_run, redacted
from .records import Changed, Choice, Failure, Pick, Report, State, Tree
from .threads import to_end
from .wording import Note, missed, over, red, red_cause, stopped, stopped_cause, summary

if TYPE_CHECKING:
    from ...memory.memory import Memory
    from ...memory.work import Work

NOTED = 5
"""New failures of one run for which memory is asked."""
NOTES_SECONDS = 10.0

Fields = dict[str, Any]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a job is to run."""

    kind: str
    """affected, full or asked."""
    limit: float
    """Seconds for all of it."""
    changed: Changed = field(default_factory=Changed)
    upto: int = 0
    """What a finished run covers, of what is pending."""
    tests: tuple[str, ...] = ()
    """Tests, files or packages that were asked for."""
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """A trusted repository, and how its tests are run."""

    repo: str
    git: Git
    project: ProjectSettings
    folder: Path
    """Ours."""
    in_place: bool

    @property
    def name(self) -> str:
        """What a person calls it."""
        return (self.git.worktree or self.git.folder).name  # also where it was moved away


@dataclass(frozen=True, slots=True)
class Session:
    """Runs tests of one repository, for one job."""

    place: Place
    work: Work
    memory: Callable[[], Awaitable[Memory]]
    parts: Parts
    context: Context
    job: int
    lane: Lane
    started: Callable[[int, str], None]

    async def run(self, wanted: Wanted) -> Outcome:
        """Run what is wanted; write it down; say what is new."""
        _warm_up()
        self.context.progress("copying the working tree", 0, 0)
        take = self.parts.in_place if self.place.in_place else self.parts.take
        tree = await to_end(lambda: take(self.place.git, self.place.folder))
        head = await asyncio.to_thread(head_of, self.place.git)
        self.context.progress("choosing tests", 0, 0)
        frameworks = await asyncio.to_thread(self.parts.detect, tree, self.place.project)
        executor = Executor(tree, self.parts.run, self.started, self.context.progress)
        choices = await self._choose(executor, frameworks, wanted)
        if wanted.dry_run:
            return _rehearsed(self.place.name, choices)
        if not choices:
            await self._covered(wanted)
            return Nothing(f"no tests were found in {self.place.name}")
        found = await self._execute(executor, choices, wanted, head)
        return await self._tell(found, wanted)

    # What to run

    async def _choose(
        self, executor: Executor, frameworks: Sequence[Framework], wanted: Wanted
    ) -> list[tuple[Framework, Choice | Report]]:
        if wanted.tests:
            return await asyncio.to_thread(self._named, frameworks, wanted.tests)
        return [(each, await executor.choose(each, wanted.changed)) for each in frameworks]

    def _named(
        self, frameworks: Sequence[Framework], tests: Sequence[str]
    ) -> list[tuple[Framework, Choice | Report]]:
        """Give each framework the tests that are its own; strangers go to the first."""
        own: dict[str, list[str]] = {framework.name: [] for framework in frameworks}
        files = {
            standing.test.split("::", 1)[0]: standing.framework
            for standing in self.work.runs.standings(self.place.repo, limit=100_000)
        }
        for test in tests:
            name = files.get(test.split("::", 1)[0], "")
            own.setdefault(name if name in own else next(iter(own), ""), []).append(test)
        return [
            (
                framework,
                Choice(
                    tuple(Pick(test, "it was asked for") for test in own[framework.name]),
                    "asked",
                    f"{len(own[framework.name])} asked for",
                ),
            )
            for framework in frameworks
            if own[framework.name]
        ]

    # Running it

    async def _execute(
        self,
        executor: Executor,
        choices: Sequence[tuple[Framework, Choice | Report]],
        wanted: Wanted,
        head: Head,
    ) -> list[tuple[Execution, Recorded]]:
        end = time.monotonic() + wanted.limit
        before = await asyncio.to_thread(
            self.work.runs.standings, self.place.repo, (Colour.RED, Colour.UNKNOWN), 100_000
        )
        red_before = {standing.test for standing in before if standing.mark is Colour.RED}
        found: list[tuple[Execution, Recorded]] = []
        for framework, choice in choices:
            left = max(1.0, end - time.monotonic())
            execution = await executor.execute(framework, choice, left, red_before)
            record = partial(self._record, execution, wanted, head, executor.tree)
            found.append(await to_end(record))
        return found

    def _record(
        self, execution: Execution, wanted: Wanted, head: Head, tree: Tree
    ) -> tuple[Execution, Recorded]:
        clean = redacted(execution)
        runs, repo = self.work.runs, self.place.repo
        marks = (Colour.RED, Colour.UNKNOWN)
        mine = [
            standing
            for standing in runs.standings(repo, marks, 100_000)
            if standing.framework == execution.framework
        ]
        no_more = gone(tree, execution.choice, execution.report, mine)
        new = new_run(repo, wanted.kind, clean, head, self.job, tree, no_more)
        return clean, runs.record(new)

    # Saying it

    async def _tell(self, found: Sequence[tuple[Execution, Recorded]], wanted: Wanted) -> Outcome:
        executions = [execution for execution, _ in found]
        if all(execution.report.state in FINISHED for execution in executions):
            await self._covered(wanted)
        said = f"tests:{self.place.repo}:red:"
        # Not only what this run found: a run may have ended before it could say what it found.
        new = await asyncio.to_thread(self.work.runs.waiting.unsaid, self.place.repo, said)
        failures = {
            test: why for execution in executions for test, why in _failures(execution).items()
        }
        notes, trouble = await self._notes(new, failures)
        findings = await asyncio.to_thread(self._findings, found, new, failures, notes)
        quiet = {test for _, recorded in found for test in recorded.flaky}
        words = summary(self.place.name, executions, quiet)
        then = (
            [Followup("test_runner", "first_bad", self.place.repo, lane=Lane.SCHEDULED)]
            if new
            else []
        )
        if (
            all(execution.report.state is State.NOTHING for execution in executions)
            and not findings
        ):
            return Nothing(words)
        report: Fields = {
            "runs": [_run_fields(execution, recorded) for execution, recorded in found],
            "notes": {test: [note.text, note.reference] for test, note in notes.items()},
        }
        if trouble:
            report["without_notes"] = trouble
        if await asyncio.to_thread(self._is_boundary, found):
            report["boundary"] = "tests"
        for _, recorded in found:
            self.context.wrote(f"test run {recorded.id}")
        return Done(words, report, findings, then)

    def _is_boundary(self, found: Sequence[tuple[Execution, Recorded]]) -> bool:
        """Say whether a person has finished something by it: a run they waited for, or the last
        failure is mended. Runs after each save are no rest."""
        if any(execution.report.state not in FINISHED for execution, _ in found):
            return False
        mended = any(recorded.newly_green for _, recorded in found)
        if self.lane is Lane.ON_DEMAND:
            return True
        return mended and not self.work.runs.standings(self.place.repo, (Colour.RED,), 1)

    async def _covered(self, wanted: Wanted) -> None:
        if wanted.kind != "asked":
            await to_end(lambda: self.work.runs.waiting.covered(self.place.repo, wanted.upto))

    async def _notes(
        self, new: Sequence[tuple[str, str]], failures: Mapping[str, Failure]
    ) -> tuple[dict[str, Note], str]:
        """Return what memory says of new failures, and why it says nothing if it can't be read."""
        wanted = [(framework, test) for framework, test in new if test in failures][:NOTED]
        notes: dict[str, Note] = {}
        if not wanted:
            return notes, ""
        # Only now: it brings recall along, which the daemon opens after it has started.
        from .notes import Notes

        self.context.progress("looking for notes", 0, len(wanted))
        try:
            memory = await self.memory()
            looking = Notes(memory, self.work.runs, self.place.repo, self.place.git)
            async with asyncio.timeout(NOTES_SECONDS):
                for framework, test in wanted:
                    note = await asyncio.to_thread(looking.best, framework, test, failures[test])
                    if note is not None:
                        notes[test] = note
                        self.context.read(note.reference)
        except HermesError as error:
            return notes, f"memory was not asked: {error.message}"
        except TimeoutError:
            return notes, f"memory did not answer within {NOTES_SECONDS:g} s"
        except Exception as error:
            # What failed is told with or without a note; the traceback is in the log.
            logger.exception("no notes on failures")
            return notes, f"memory could not be asked: {type(error).__name__}"
        return notes, ""

    def _findings(
        self,
        found: Sequence[tuple[Execution, Recorded]],
        new: Sequence[tuple[str, str]],
        failures: Mapping[str, Failure],
        notes: Mapping[str, Note],
    ) -> list[Finding]:
        """Return what is new, and what is over. What is said stays said until it is over."""
        runs, repo, name, now = self.work.runs, self.place.repo, self.place.name, time.time()
        waiting, findings = runs.waiting, list[Finding]()
        for execution, recorded in found:
            state = execution.report.state
            before = waiting.said(repo, f"tests:{repo}:{execution.framework}:")
            cause = stopped_cause(repo, execution)
            if state is not State.NOTHING:
                for old in before:
                    if old != cause or state in FINISHED:
                        waiting.unsay(repo, old)
                        findings.append(over(old, name))
            if state not in FINISHED and waiting.say_once(repo, cause, now):
                findings.append(stopped(repo, name, execution))
            if recorded.missed:
                findings.append(missed(repo, name, recorded.id, recorded.missed))
        for old in waiting.over(repo, f"tests:{repo}:red:"):
            waiting.unsay(repo, old)
            findings.append(over(old, name))
        for framework, test in new:
            if test in notes:
                runs.note(repo, framework, test, notes[test].text, notes[test].reference)
        tests = [test for _, test in new]
        if tests and waiting.say_once(repo, red_cause(repo, tests), now, tests):
            findings.append(red(repo, name, tests, failures, notes))
        return findings


@cache
def _warm_up() -> None:
    """Load the catalogue of secrets beside the first run: failures are told without them, and the
    first is not to wait for it."""
    threading.Thread(target=warm_up, name="secrets", daemon=True).start()


def _failures(execution: Execution) -> dict[str, Failure]:
    return {
        each.case.id: each.case.failure
        for each in execution.settled
        if each.bad and each.case.failure is not None
    }


def _run_fields(execution: Execution, recorded: Recorded) -> Fields:
    return {
        "id": recorded.id,
        "framework": execution.framework,
        "state": str(execution.report.state),
        "detail": execution.report.detail,
        "by": execution.choice.by,
        "why": execution.choice.why,
        "ran": len(execution.settled),
        "seconds": round(execution.seconds, 2),
        "newly_red": list(recorded.newly_red),
        "newly_green": list(recorded.newly_green),
        "still_red": list(recorded.still_red),
        "flaky": list(recorded.flaky),
        "missed": list(recorded.missed),
    }


def _rehearsed(name: str, choices: Sequence[tuple[Framework, Choice | Report]]) -> Outcome:
    """Say what would be run, and why."""
    told: list[Fields] = []
    words: list[str] = []
    for framework, choice in choices:
        if isinstance(choice, Report):
            told.append(
                {"framework": framework.name, "state": str(choice.state), "why": choice.detail}
            )
            words.append(f"{framework.name} can't be run: {choice.detail}")
            continue
        picks = [{"target": pick.target, "why": pick.why} for pick in choice.picks]
        told.append(
            {
                "framework": framework.name,
                "by": choice.by,
                "why": choice.why,
                "whole": choice.whole,
                "picks": picks,
            }
        )
        if choice.whole or picks:
            what = "all tests" if choice.whole else f"{len(picks)} of {framework.name}"
            words.append(f"would run {what}: {choice.why}")
        else:
            words.append(f"would run nothing: {choice.why}")
    if not words:
        return Nothing(f"no tests were found in {name}")
    return Done("; ".join(words), {"choices": told})
