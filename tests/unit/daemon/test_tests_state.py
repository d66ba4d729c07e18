"""How tests stand, from what was written down of their runs."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from hermes.daemon.tests_state import Allowed, brief_of, state_of
from hermes.daemon.wire import Fields
from hermes.memory.test_records import Result
from hermes.memory.test_runs import Runs
from hermes.memory.work import Work
from hermes.tests.builders.runs import BROKE, failed, passed, record

YES = Allowed(trusted=True, enabled=True)
NOW = 1_000_000.0
A, B, C = (
    "tests/test_cart.py::test_total",
    "tests/test_cart.py::test_tax",
    "tests/test_pay.py::test_pay",
)


@pytest.fixture
def runs(tmp_path: Path) -> Generator[Runs]:
    work = Work(tmp_path / "work.db")
    yield work.runs
    work.close()


def state(runs: Runs, allowed: Allowed = YES, *, now: float = NOW) -> Fields:
    return state_of(runs, "r1", allowed, now, everything=False)


def test_before_any_run_nothing_is_known(runs: Runs) -> None:
    found = state(runs)
    assert (found["verdict"], found["last"], found["red"]) == ("never", None, [])


def test_all_passed_is_green(runs: Runs) -> None:
    record(runs, *passed(A, B), at=NOW - 5, kind="full")
    found = state(runs)
    assert found["verdict"] == "green"
    assert found["counts"] == {"green": 2, "red": 0, "unknown": 0, "flaky": 0}


def test_what_broke_just_now_stands_above_what_has_been_red(runs: Runs) -> None:
    record(runs, *passed(A, B, C), at=NOW - 90_000, kind="full")
    record(runs, *failed(A), at=NOW - 80_000)
    record(runs, *failed(B), at=NOW - 5)
    found = state(runs)
    assert found["verdict"] == "red"
    assert [(each["test"], each["new"]) for each in found["red"]] == [(B, True), (A, False)]
    assert found["red"][0]["failure"]["message"] == BROKE.message


def test_what_the_very_first_run_found_red_is_not_new(runs: Runs) -> None:
    record(runs, *failed(A), *passed(B), at=NOW - 5, kind="full")
    assert [(each["test"], each["new"]) for each in state(runs)["red"]] == [(A, False)]


def test_what_is_fixed_is_newly_green(runs: Runs) -> None:
    record(runs, *passed(A, B), at=NOW - 50, kind="full")
    record(runs, *failed(A), at=NOW - 40)
    record(runs, *passed(A), at=NOW - 30)
    found = state(runs)
    assert (found["verdict"], found["newly_green"]) == ("green", [A])
    assert state(runs, now=NOW + 90_000)["newly_green"] == [A]  # the last run is always news


def test_what_can_not_be_collected_any_more_is_not_newly_green(runs: Runs) -> None:
    record(runs, *failed(A), at=NOW - 50, kind="full")
    record(runs, *passed(A), at=NOW - 40)
    broken = {A.split("::")[0]: "SyntaxError: '(' was never closed"}
    record(runs, at=NOW - 30, state="uncollected", collected=broken)
    found = state(runs)
    assert (found["verdict"], found["newly_green"]) == ("uncollected", [])


def test_a_flaky_test_is_listed_and_not_red(runs: Runs) -> None:
    record(runs, Result(A, "passed", 0.1, BROKE, flaky=True), *passed(B), at=NOW - 5, kind="full")
    found = state(runs)
    assert (found["verdict"], found["red"]) == ("green", [])
    assert [each["test"] for each in found["flaky"]] == [A]


@pytest.mark.parametrize("stopped", ["broken", "uncollected", "timed_out", "overran"])
def test_a_run_that_could_not_be_made_is_said_and_not_taken_for_green(
    runs: Runs, stopped: str
) -> None:
    record(runs, *passed(A, B), at=NOW - 50, kind="full")
    record(runs, at=NOW - 5, state=stopped, detail="there is no pytest in .venv")
    found = state(runs)
    assert (found["verdict"], found["detail"]) == (stopped, "there is no pytest in .venv")
    assert found["counts"]["green"] == 2
    record(runs, at=NOW - 3, state="nothing", why="no test imports README.md")
    assert state(runs)["verdict"] == stopped
    record(runs, *passed(A), at=NOW - 1)
    assert state(runs)["verdict"] == "green"


def test_tests_that_are_not_there(runs: Runs) -> None:
    record(runs, at=NOW - 5, kind="full", state="nothing")
    assert state(runs)["verdict"] == "nothing"


def test_only_skipped_tests_are_not_green(runs: Runs) -> None:
    record(runs, Result(A, "skipped"), at=NOW - 5, kind="full")
    assert state(runs)["verdict"] == "unknown"


@pytest.mark.parametrize(
    ("allowed", "verdict"),
    [
        (Allowed(trusted=False, enabled=True), "untrusted"),
        (Allowed(trusted=True, enabled=False), "disabled"),
    ],
)
def test_what_may_not_be_run_is_said_first(runs: Runs, allowed: Allowed, verdict: str) -> None:
    record(runs, *failed(A), at=NOW - 5, kind="full")
    assert state(runs, allowed)["verdict"] == verdict
    assert brief_of(runs, "r1", allowed, NOW)["verdict"] == verdict


def test_status_is_told_the_worst_in_short(runs: Runs) -> None:
    record(runs, *passed(A, B, C), at=NOW - 50, kind="full")
    record(runs, *failed(C), at=NOW - 5)
    found = brief_of(runs, "r1", YES, NOW)
    assert (found["verdict"], found["red"], found["green"]) == ("red", 1, 2)
    assert (found["worst"], found["newly_red"]) == (C, [C])


def test_another_repository_is_another_matter(runs: Runs) -> None:
    record(runs, *failed(A), at=NOW - 5, kind="full", repo="r2")
    assert state(runs)["verdict"] == "never"
