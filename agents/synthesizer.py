"""The synthesizer: rolls what happened up into themes at night, and has memory tidied up.

All that is written in bulk is the worker's; here it is decided what is to be done, how long it may
take, and what is said of it. A night gives way to whatever is more urgent and goes on afterwards.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from ..memory.errors import HermesError
from .contract import (
    Assignment,
    Context,
    Done,
    Finding,
    Hopeless,
    Lane,
    Nothing,
    NotReady,
    Outcome,
    Skipped,
)
from .indexer import NOT_READY
from .themes.records import Step

GONE = "not_in_memory"
CUT_SHORT = "night:cut_short"
TOO_LARGE = "night:size"
UNWELL = "night:memory"
MOST_KEPT = 20
"""Jobs of which it is remembered how long they have worked."""

Report = dict[str, Any]


class Afterwards(Protocol):
    """What is done after a night, on the daemon's side."""

    async def __call__(self, context: Context, should_stop: Callable[[], bool]) -> Step:
        """Do it, and end early when it should stop. Preempted is let pass."""
        ...


class Synthesizer:
    """Subjects: all of a night (no name), themes."""

    name = "synthesizer"

    def __init__(
        self,
        *,
        seconds: float,
        most_bytes: int = 0,
        afterwards: Mapping[str, Afterwards] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``seconds``: how long a night may take that nobody waits for. ``most_bytes``: what hermes
        may hold on disk before that is said; 0 for no limit. ``afterwards``: further steps."""
        self._seconds = seconds
        self._most_bytes = most_bytes
        self._afterwards = dict(afterwards or {})
        self._clock = clock
        self._worked: dict[int, float] = {}
        """How long a job has worked that gave way, in seconds."""

    async def handle(self, assignment: Assignment, context: Context) -> Outcome:
        """Do a night, or the themes alone. Raise as the contract says."""
        if assignment.subject not in ("", "themes"):
            raise Hopeless(f"the synthesizer has no task {assignment.subject!r}")
        try:
            if assignment.dry_run:
                return _rehearsed(dict(await context.bulk("rehearse", assignment.repo)))
            # After a commit that changes the direction only what tells of it is made anew.
            if assignment.subject == "themes" or assignment.lane is Lane.REACTIVE:
                report = dict(await context.bulk("themes", assignment.repo))
                return _outcome(assignment, report, [])
            return await self._night(assignment, context)
        except HermesError as error:
            if error.code == GONE:
                return Skipped("the repository is not in memory any more")
            raise _failure(error) from error

    async def _night(self, assignment: Assignment, context: Context) -> Outcome:
        began = self._clock()
        worked = self._worked.pop(assignment.job, 0.0)
        waited_for = assignment.lane is Lane.ON_DEMAND

        def late() -> bool:
            return not waited_for and worked + self._clock() - began >= self._seconds

        try:
            left = None if waited_for else max(0.0, self._seconds - worked)
            report = dict(await context.bulk("consolidate", seconds=left))
            for name, do in self._afterwards.items():
                if late():
                    report["skipped"] = [*report["skipped"], name]
                    continue
                step = await do(context, late)
                report["steps"] = [*report["steps"], _fields(step)]
        except BaseException:
            if len(self._worked) >= MOST_KEPT:
                self._worked.pop(next(iter(self._worked)))
            self._worked[assignment.job] = worked + self._clock() - began
            raise
        return _outcome(assignment, report, self._findings(report))

    def _findings(self, report: Report) -> list[Finding]:
        """Return what the next brief is to say of a night, and what it need not say any more."""
        return [
            _cut_short(report, self._seconds),
            _too_large(report["bytes"], self._most_bytes),
            _unwell(report),
        ]


def _outcome(assignment: Assignment, report: Report, findings: list[Finding]) -> Outcome:
    said = summary_of(report)
    if not said and not findings and assignment.lane is not Lane.ON_DEMAND:
        return Nothing("nothing has changed since the last time")
    return Done(said or "nothing has changed since the last time", report, findings)


def _rehearsed(report: Report) -> Outcome:
    said = summary_of(report)
    return Done(f"would make {said}" if said else "would change no page", report)


def summary_of(report: Mapping[str, Any]) -> str:
    """Return in one line what a night changed; empty if nothing."""
    counts = {step["name"]: step["counts"] for step in report["steps"]}
    themes, marks = counts.get("themes", {}), counts.get("marks", {})
    pages = [_count(themes.get(f"{kind}s", 0), kind) for kind in ("day", "week")]
    said = [page for page in pages if page]
    parts = [f"the themes of {' and '.join(said)}"] if said else []
    if changed := marks.get("changed", 0):
        parts.append(f"{changed:,} {'mark' if changed == 1 else 'marks'} in memory")
    return ", ".join(parts)


def _cut_short(report: Report, seconds: float) -> Finding:
    if not report["left"] and not report["skipped"]:
        return Finding(CUT_SHORT, "the night came to its end", recovered=True)
    what: list[str] = [f"{report['left']:,} pages of themes"] if report["left"] else []
    what += [_WORDS.get(name, name) for name in report["skipped"] if name != "themes"]
    return Finding(
        CUT_SHORT,
        f"the night ran out of its {seconds / 60:.0f} minutes; left for the next: {', '.join(what)}",
        next_step="`hermes consolidate` does it now; the setting night.minutes gives it longer",
    )


def _too_large(held: int, most: int) -> Finding:
    if not most or held <= most:
        return Finding(TOO_LARGE, "hermes holds no more than it may", recovered=True)
    return Finding(
        TOO_LARGE,
        f"hermes holds {held / 1e6:,.0f} MB on disk, more than the {most / 1e6:,.0f} MB of"
        " night.size_mb; all is packed, and nothing was removed",
        next_step="`hermes memory audit` says what takes the room",
    )


def _unwell(report: Report) -> Finding:
    serious = [each for each in report["problems"] if each["serious"]]
    if not serious:
        return Finding(UNWELL, "the memory is whole", recovered=True)
    return Finding(UNWELL, f"memory: {serious[0]['problem']}", next_step=serious[0]["hint"])


def _failure(error: HermesError) -> HermesError:
    """Given what the worker says, return what it means for the job."""
    kind: type[HermesError] = NotReady if error.code in NOT_READY else Hopeless
    failure = kind(f"the night was not done: {error.message}", hint=error.hint)
    failure.code = error.code
    return failure


def _fields(step: Step) -> dict[str, Any]:
    return {
        "name": step.name,
        "seconds": step.seconds,
        "counts": dict(step.counts),
        "notes": list(step.notes),
    }


def _count(number: int, one: str) -> str:
    return f"{number:,} {one if number == 1 else one + 's'}" if number else ""


_WORDS: Mapping[str, str] = {
    "marks": "duplicates and facts",
    "compaction": "packing the store",
    "check": "the look at the memory",
    "titles": "titles by a model",
    "answers": "the answers of tomorrow",
}
