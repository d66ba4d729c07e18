"""How a test stands after each of its results."""

from __future__ import annotations

import pytest

from hermes.memory.test_records import Colour, Result, upper_bound
from hermes.memory.test_standing import CLEAN_PASSES, Steadiness, after

RESULTS = {
    "p": Result("t", "passed"),
    "f": Result("t", "failed"),
    "e": Result("t", "error"),
    "s": Result("t", "skipped"),
    "~": Result("t", "passed", flaky=True),
}


def told(results: str) -> str:
    """Return the marks after each result: g, r or u, in capitals while it is flaky."""
    now, marks = Steadiness(), ""
    for each in results:
        now = after(now, RESULTS[each])
        letter = str(now.mark)[0]
        marks += letter.upper() if now.flaky else letter
    return marks


@pytest.mark.parametrize(
    ("results", "marks"),
    [
        ("p", "g"),
        ("f", "r"),
        ("e", "r"),
        ("s", "u"),
        ("pfp", "grg"),
        ("pfsf", "grur"),
        ("p~p", "gGG"),
        ("~f", "GU"),  # quarantined: one confirmed failure of a flaky test is not shouted
        ("~ffp", "GUUG"),
        ("~fff", "GUUR"),  # but three in a row count
        ("~ffff", "GUURR"),
        ("~ff~f", "GUUGU"),
        ("f~", "rG"),
        ("f~f", "rGU"),
        ("~" + "p" * (CLEAN_PASSES - 1) + "f", "G" * CLEAN_PASSES + "U"),
        ("~" + "p" * CLEAN_PASSES + "f", "G" * CLEAN_PASSES + "gr"),
    ],
)
def test_each_result_moves_a_test(results: str, marks: str) -> None:
    assert told(results) == marks


def test_what_was_red_stays_red_though_it_is_flaky() -> None:
    before = Steadiness(Colour.RED, flaky=True, flaky_count=3, streak=0)
    assert after(before, RESULTS["f"]).mark is Colour.RED


@pytest.mark.parametrize(
    ("missed", "of", "bound"),
    [(0, 1, 1.0), (0, 100, 0.03), (1, 100, 0.0474), (3, 100, 0.0775), (5, 1_000, 0.0105)],
)
def test_the_error_of_a_selection_is_bounded_as_by_poisson(
    missed: int, of: int, bound: float
) -> None:
    assert upper_bound(missed, of) == pytest.approx(bound, rel=0.01)
