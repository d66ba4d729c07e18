"""How a test stands after one more result: a pure function, so that it can be read as a table."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .test_records import Colour, Result

QUARANTINE = 3
"""So many confirmed failures in a row, and a flaky test counts as red all the same."""
CLEAN_PASSES = 20
"""After so many passes in a row at the first try a test is not called flaky any longer."""


@dataclass(frozen=True, slots=True)
class Steadiness:
    """A test's mark, and what of its past bears on the next one."""

    mark: Colour = Colour.UNKNOWN
    flaky: bool = False
    flaky_count: int = 0
    streak: int = 0
    """Confirmed failures in a row."""
    passes: int = 0
    """Passes in a row at the first try."""


def after(before: Steadiness, result: Result) -> Steadiness:
    """Given how a test stood and its confirmed result, return how it stands."""
    if result.bad:
        streak = before.streak + 1
        held = before.flaky and streak < QUARANTINE and before.mark is not Colour.RED
        mark = Colour.UNKNOWN if held else Colour.RED
        return replace(before, mark=mark, streak=streak, passes=0)
    if result.mark == "skipped":
        return replace(before, mark=Colour.UNKNOWN, streak=0)
    if result.flaky:
        count = before.flaky_count + 1
        return Steadiness(Colour.GREEN, flaky=True, flaky_count=count, streak=0, passes=0)
    passes = before.passes + 1
    flaky = before.flaky and passes < CLEAN_PASSES
    return replace(before, mark=Colour.GREEN, flaky=flaky, streak=0, passes=passes)
