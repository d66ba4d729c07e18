"""What is run once more, and what counts then."""

from __future__ import annotations

import pytest

from hermes.agents.testing.confirm import MOST, settle, to_confirm
from hermes.agents.testing.records import Case, Mark, Report, State

A, B = "tests/test_a.py::test_a", "tests/test_a.py::test_b"
P, F, E, S = Mark.PASSED, Mark.FAILED, Mark.ERROR, Mark.SKIPPED


def report(state: State = State.RED, **marks: Mark) -> Report:
    return Report(state, tuple(Case(test, mark) for test, mark in marks.items()))


def failing(count: int) -> Report:
    return Report(State.RED, tuple(Case(f"t{n}", F) for n in range(count)))


@pytest.mark.parametrize(
    ("found", "red", "again"),
    [
        (report(a=P, b=F), (), ("b",)),
        (report(a=E, b=F), (), ("a", "b")),
        (report(a=F, b=F), ("a",), ("b",)),
        (report(a=F), ("a",), None),
        (report(State.GREEN, a=P), (), None),
        (report(State.TIMED_OUT, a=F), (), None),
        (report(State.UNCOLLECTED, a=F), (), None),
        (Report(State.RED, (Case("a", F),), collected={"tests/b.py": "SyntaxError"}), (), None),
        (failing(MOST), (), tuple(f"t{n}" for n in range(MOST))),
        (failing(MOST + 1), (), None),
    ],
)
def test_new_failures_are_run_once_more_unless_they_have_one_reason(
    found: Report, red: tuple[str, ...], again: tuple[str, ...] | None
) -> None:
    choice = to_confirm(found, red)
    assert (None if choice is None else tuple(pick.target for pick in choice.picks)) == again


@pytest.mark.parametrize(
    ("first", "second", "bad", "flaky"),
    [
        (F, P, False, True),
        (E, P, False, True),
        (F, F, True, False),
        (F, E, True, False),
        (F, S, True, False),
        (F, None, True, False),
        (P, None, False, False),
        (S, None, False, False),
    ],
)
def test_a_failure_counts_unless_it_passes_the_second_time(
    first: Mark, second: Mark | None, bad: bool, flaky: bool
) -> None:
    again = [] if second is None else [Case(A, second)]
    a, b = settle([Case(A, first), Case(B, P)], again)
    assert (a.bad, a.flaky) == (bad, flaky)
    assert (b.bad, b.flaky) == (False, False)
