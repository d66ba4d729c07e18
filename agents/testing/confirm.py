"""A failure is run once more before it counts. Pure: what to run again, and what came of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from .records import Case, Choice, Mark, Pick, Report, State

MOST = 50
"""More new failures than these have one reason, and are not each run again."""
BAD = frozenset({Mark.FAILED, Mark.ERROR})


@dataclass(frozen=True, slots=True)
class Settled:
    """One test after the failures were run again."""

    case: Case
    flaky: bool = False
    """It failed and then passed; ``case`` tells of the failure."""

    @property
    def bad(self) -> bool:
        """Whether it counts as failed."""
        return self.case.mark in BAD and not self.flaky


def to_confirm(report: Report, red: Collection[str]) -> Choice | None:
    """Given what a run found and what was red before, return what to run again; None if nothing.

    What was red counts already. A run that could not do all it was to do is not looked into.
    """
    failed = [case.id for case in report.cases if case.mark in BAD and case.id not in red]
    if report.state is not State.RED or report.collected or not 0 < len(failed) <= MOST:
        return None
    picks = tuple(Pick(test, "it failed: run once more") for test in dict.fromkeys(failed))
    return Choice(picks, "asked", f"{len(picks)} failed: run once more")


def settle(cases: Sequence[Case], again: Sequence[Case]) -> list[Settled]:
    """Given the first results and those of the second run, return what counts. A failure that the
    second run did not come to counts."""
    second: Mapping[str, Case] = {case.id: case for case in again}
    settled: list[Settled] = []
    for case in cases:
        other = second.get(case.id) if case.mark in BAD else None
        if other is None:
            settled.append(Settled(case))
        elif other.mark is Mark.PASSED:
            settled.append(Settled(case, flaky=True))
        else:  # the second failure is no less true, and its report is as good
            settled.append(Settled(other if other.mark in BAD else case))
    return settled
