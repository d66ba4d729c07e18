"""How ``hermes tests`` shows what the daemon tells it."""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from hermes.daemon.tests_state import Allowed, state_of
from hermes.memory.test_records import Result, Why
from hermes.memory.test_runs import Runs
from hermes.memory.work import Work
from hermes.surfaces.cli.output import Stream
from hermes.surfaces.cli.tests import code_of
from hermes.surfaces.cli.tests_lines import (
    history_lines,
    run_lines,
    selection,
    state_lines,
    why_lines,
)
from hermes.surfaces.cli.text import width_of
from hermes.surfaces.cli.work_lines import work_lines
from hermes.tests.builders.runs import BROKE, failed, passed, record

from .conftest import MakeStream

NOW = 1_750_000_000.0
YES = Allowed(trusted=True, enabled=True)
TOTAL, TAX, PAY = (
    "tests/test_cart.py::test_total",
    "tests/test_cart.py::test_tax",
    "tests/test_pay.py::test_pay",
)
EVIL = "tests/test_\x1b]0;owned\x07\u202e.py::test_x\x9b31m"


@pytest.fixture
def runs(tmp_path: Path) -> Generator[Runs]:
    work = Work(tmp_path / "work.db")
    yield work.runs
    work.close()


def found_in(runs: Runs, allowed: Allowed = YES, *, everything: bool = False) -> dict[str, Any]:
    """What the daemon would answer, after its way over the wire."""
    state = state_of(runs, "r1", allowed, NOW, everything=everything)
    told: dict[str, Any] = json.loads(json.dumps(state))
    return {"repo": {"name": "shop"}, "running": None} | told


def shown(
    runs: Runs, stream: Stream, allowed: Allowed = YES, *, everything: bool = False
) -> list[str]:
    found = found_in(runs, allowed, everything=everything)
    return state_lines(found, NOW, stream, everything=everything)


def run_of(runs: Runs) -> dict[str, Any]:
    """The last run, as the daemon tells it."""
    run = runs.latest("r1", 1)[0]
    return asdict(run) | {
        "picks": [asdict(pick) for pick in runs.picks(run.id)],
        "results": [asdict(result) for result in runs.results(run.id)],
    }


def test_when_all_is_green_it_is_one_line(runs: Runs, make_stream: MakeStream) -> None:
    record(runs, *passed(TOTAL, TAX), at=NOW - 14.8, kind="full")
    assert shown(runs, make_stream()) == ["2 green; last run 14 s ago: 2 tests in 800 ms"]


def test_what_is_red_stands_first_with_its_error_place_and_note(
    runs: Runs, make_stream: MakeStream
) -> None:
    record(runs, *passed(TOTAL, TAX, PAY), at=NOW - 90_000, kind="full")
    why = Why("ValueError", "ValueError: the clock went back", "tests/test_pay.py", 31)
    record(runs, *failed(PAY, why=why), at=NOW - 72_000)
    runs.note("r1", "pytest", PAY, "also failed in the April incident", "docs/april.md")
    runs.first_bad("r1", "pytest", PAY, "3f2a91c0de" * 4)
    record(runs, *failed(TOTAL), at=NOW - 14.8)
    assert shown(runs, make_stream()) == [
        "red     tests/test_cart.py::test_total  new, 15 s ago",
        "        shop/cart.py:12: AssertionError: assert 3 == 4",
        "red     tests/test_pay.py::test_pay  for 20 h",
        "        tests/test_pay.py:31: ValueError: the clock went back",
        "        also failed in the April incident (docs/april.md)",
        "        it fails since commit 3f2a91c0de",
        "",
        "2 red, 1 green; last run 14 s ago: 1 of 3 tests in 800 ms",
    ]


def test_green_again_and_flaky_come_after_red(runs: Runs, make_stream: MakeStream) -> None:
    record(runs, *passed(TOTAL, TAX, PAY), at=NOW - 90, kind="full")
    record(runs, *failed(TAX), at=NOW - 80)
    flaky = Result(PAY, "passed", 0.1, BROKE, flaky=True)
    record(runs, *passed(TAX), flaky, *failed(TOTAL), at=NOW - 10)
    words = [line.split()[0] for line in shown(runs, make_stream()) if line[:1].isalpha()]
    assert words == ["red", "green", "flaky"]
    assert "flaky   tests/test_pay.py::test_pay  failed once, then passed" in shown(
        runs, make_stream()
    )


def test_many_red_tests_are_cut_unless_all_are_asked_for(
    runs: Runs, make_stream: MakeStream
) -> None:
    names = [f"tests/test_m.py::test_{n}" for n in range(35)]
    record(runs, *failed(*names), at=NOW - 10, kind="full")
    lines = shown(runs, make_stream())
    assert sum(line.startswith("red ") for line in lines) == 20
    assert "and 15 more red: hermes tests --all" in lines
    everything = shown(runs, make_stream(), everything=True)
    assert sum(line.startswith("red ") for line in everything) == 35


def test_all_lists_the_green_ones_too(runs: Runs, make_stream: MakeStream) -> None:
    record(runs, *passed(TOTAL), Result(TAX, "skipped"), at=NOW - 10, kind="full")
    lines = shown(runs, make_stream(), everything=True)
    assert lines[:2] == [
        "unknown tests/test_cart.py::test_tax  10 s ago",
        "green   tests/test_cart.py::test_total  10 s ago",
    ]


@pytest.mark.parametrize(
    ("state", "line"),
    [
        ("broken", "the tests can't be run: because"),
        ("uncollected", "some tests could not be collected: because"),
        ("timed_out", "the tests took too long and were ended: because"),
        ("overran", "the tests used too much and were ended: because"),
    ],
)
def test_what_could_not_be_run_is_said_plainly(
    runs: Runs, make_stream: MakeStream, state: str, line: str
) -> None:
    record(runs, *passed(TOTAL), at=NOW - 90, kind="full")
    record(runs, at=NOW - 10, state=state, detail="because")
    assert shown(runs, make_stream())[0] == line
    assert code_of(found_in(runs)) == 1


@pytest.mark.parametrize(
    ("allowed", "line"),
    [
        (YES, "no test of shop was run yet; the next save runs those it affects"),
        (Allowed(False, True), "shop is not trusted, so none of its code is run"),
        (Allowed(True, False), "no tests are run: the setting tests.enabled is off"),
        (Allowed(True, True, "it is turned off"), "no test of shop was run yet: it is turned off"),
    ],
)
def test_why_nothing_is_known_is_said_plainly(
    runs: Runs, make_stream: MakeStream, allowed: Allowed, line: str
) -> None:
    assert shown(runs, make_stream(), allowed)[0] == line
    assert code_of(found_in(runs, allowed)) == 3


def test_while_the_first_run_goes_only_that_is_said(runs: Runs, make_stream: MakeStream) -> None:
    job = {"id": 5, "phase": "pytest: running all tests", "done": 0, "total": 0}
    found = found_in(runs) | {"running": job}
    assert state_lines(found, NOW, make_stream(), everything=False) == [
        "tests run now (j5): pytest, all tests"
    ]


def test_what_many_tests_fail_with_is_said_once(runs: Runs, make_stream: MakeStream) -> None:
    names = [f"tests/test_shop.py::test_{number}" for number in range(5)]
    record(runs, *passed(*names, TOTAL), at=NOW - 90, kind="full")
    record(runs, *failed(*names), *failed(TOTAL, why=replace(BROKE, message="another")), at=NOW - 9)
    lines = shown(runs, make_stream())
    red = [line for line in lines if line.startswith("red")]
    assert len(red) == 6
    assert sum(BROKE.message in line for line in lines) == 1
    assert sum("another" in line for line in lines) == 1
    told = next(number for number, line in enumerate(lines) if BROKE.message in line)
    assert all("test_shop.py" in line for line in lines[told - 5 : told])


def test_what_waits_for_another_try_is_said_with_its_reason(
    runs: Runs, make_stream: MakeStream
) -> None:
    record(runs, *passed(TOTAL), at=NOW - 90, kind="full")
    job = {"id": 7, "reason": "there is no room for a snapshot", "not_before": NOW + 40}
    found = found_in(runs) | {"waiting": job}
    said = "\n".join(state_lines(found, NOW, make_stream(), everything=False))
    assert "what changed is not tested yet (j7): there is no room for a snapshot" in said
    assert "tried again in 40 s" in said


def test_exit_codes_are_for_scripts(runs: Runs) -> None:
    record(runs, *passed(TOTAL), at=NOW - 90, kind="full")
    assert code_of(found_in(runs)) == 0
    record(runs, *failed(TOTAL), at=NOW - 80)
    assert code_of(found_in(runs)) == 1


@pytest.mark.parametrize("columns", [30, 50, 80])
def test_no_line_is_wider_than_the_terminal_and_none_steers_it(
    runs: Runs, make_stream: MakeStream, columns: int
) -> None:
    long = f"tests/{'deep/' * 20}test_a.py::test_{'x' * 60}[å中{'y' * 40}]"
    why = Why("Error\x1b[2J", "wide 中 " * 30, "p/" * 60, 3, "text\x1b[31m")
    record(runs, *passed(long, EVIL, TAX), at=NOW - 90, kind="full", why="because " * 20)
    record(runs, *passed(TAX), *failed(long, EVIL, why=why), at=NOW - 10, picks={EVIL: EVIL * 3})
    runs.note("r1", "pytest", EVIL, "note \x1b[5m" * 10, "ref\x1b[6m")
    stream = make_stream(columns)
    run = run_of(runs)
    history = [
        {"run": asdict(run), "result": asdict(result)}
        for run, result in runs.history("r1", EVIL, 10)
    ]
    standing = runs.standing("r1", EVIL)
    assert standing is not None
    test = {"test": asdict(standing), "history": history, "episodes": []}
    told = [{"run": each["run"], "ran": True, "why": EVIL * 2} for each in history]
    lines = [
        *shown(runs, stream, everything=True),
        *run_lines(run, NOW, stream, brief=False),
        *run_lines(run, NOW, stream, brief=True),
        *history_lines(test, NOW, stream),
        *why_lines(test | {"runs": told}, NOW, stream),
    ]
    assert [line for line in lines if width_of(line) > columns] == []
    assert not any(ord(c) < 32 or c in "\x7f\x9b\u202e" for line in lines for c in line)


def test_colours_only_where_they_are_wanted(runs: Runs, make_stream: MakeStream) -> None:
    record(runs, *failed(TOTAL), *passed(TAX), at=NOW - 10, kind="full")
    assert any("\x1b[31mred\x1b[0m" in line for line in shown(runs, make_stream(80, colours=True)))
    assert not any("\x1b" in line for line in shown(runs, make_stream(80)))


def test_the_last_run_says_what_was_chosen_why_and_each_result(
    runs: Runs, make_stream: MakeStream
) -> None:
    record(runs, *passed(TOTAL, TAX), at=NOW - 90, kind="full")
    picks = {"tests/test_cart.py": "imports shop/cart.py, which changed"}
    record(runs, *passed(TAX), *failed(TOTAL), at=NOW - 15, picks=picks)
    assert run_lines(run_of(runs), NOW, make_stream(), brief=False) == [
        "15 s ago, after a change, by pytest: 2 of 41 test files import what changed",
        "   tests/test_cart.py  imports shop/cart.py, which changed",
        "",
        "failed  tests/test_cart.py::test_total  200 ms",
        "        shop/cart.py:12: AssertionError: assert 3 == 4",
        "passed  tests/test_cart.py::test_tax  100 ms",
        "",
        "2 tests in 800 ms: 1 failed, 1 passed",
    ]
    assert run_lines(run_of(runs), NOW, make_stream(), brief=True)[-1:] == [
        "2 tests in 800 ms: 1 failed, 1 passed"
    ]


@pytest.mark.parametrize(
    ("why", "hint"),
    [
        ("41 of 41 test files may depend on what changed", "every test imports what changed"),
        ("40 of 41 test files may depend on what changed", "nearly every test imports"),
        ("20 of 41 test files may depend on what changed", ""),
        ("2 of 2 test files may depend on what changed", ""),
        ("all tests: pyproject.toml changed", ""),
    ],
)
def test_where_imports_tell_little_the_last_run_says_what_would_tell_more(
    runs: Runs, make_stream: MakeStream, why: str, hint: str
) -> None:
    record(runs, *passed(TOTAL), at=NOW - 15, why=why)
    lines = run_lines(run_of(runs), NOW, make_stream(), brief=False)
    told = [line for line in lines if "pytest-testmon" in line]
    assert len(told) == bool(hint)
    assert all(line.startswith(hint) for line in told)


def test_what_the_snapshot_lacks_is_said_of_a_red_run(runs: Runs, make_stream: MakeStream) -> None:
    lacks = "build/ is not in the snapshot that tests run on"
    record(runs, *failed(TOTAL), at=NOW - 15, detail=lacks)
    assert lacks in shown(runs, make_stream())


def test_a_long_run_lists_all_that_failed_and_some_of_the_rest(
    runs: Runs, make_stream: MakeStream
) -> None:
    names = [f"tests/test_m.py::test_{n}" for n in range(1_000)]
    record(runs, *passed(*names[:970]), *failed(*names[970:]), at=NOW - 10, kind="full")
    lines = run_lines(run_of(runs), NOW, make_stream(), brief=False)
    assert sum(line.startswith("failed ") for line in lines) == 30
    assert sum(line.startswith("passed ") for line in lines) == 20
    assert "and 950 more: --json has them all" in lines


def test_a_run_that_found_nothing_to_run_says_why(runs: Runs, make_stream: MakeStream) -> None:
    record(runs, at=NOW - 15, state="nothing", why="no test imports docs/a.md")
    lines = run_lines(run_of(runs), NOW, make_stream(), brief=True)
    assert lines == ["no test was to be run: no test imports docs/a.md"]


def test_the_error_of_choosing_is_bounded_by_what_full_runs_found() -> None:
    assert selection({"selections": 0, "missed": 0, "error_bound": None}) == ""
    assert selection({"selections": 100, "missed": 0, "error_bound": 0.03}) == (
        "none of 100 selections that a full run checked missed a failing test "
        "(at most 3 % do, with 95 % confidence)"
    )
    assert selection({"selections": 100, "missed": 1, "error_bound": 0.047}).startswith(
        "1 of 100 selections"
    )


def test_status_has_a_line_only_for_what_wants_a_look(make_stream: MakeStream) -> None:
    green = {"repo_name": "shop", "verdict": "green", "red": 0, "green": 4, "worst": ""}
    green |= {"detail": ""}
    red = green | {"repo_name": "till", "verdict": "red", "red": 1, "worst": PAY}
    broken = green | {"repo_name": "mill", "verdict": "broken", "detail": "there is no pytest"}
    work = {
        "tests": [green, red, broken],
        "drafts": [{"repo_name": "shop", "subject": "Drop the queue"}],
        "documents": [{"repo_name": "shop", "count": 2}],
    }
    assert work_lines({"work": work}, make_stream(), 100) == [
        "",
        "Work",
        "  till: 1 test red of 5 (tests/test_pay.py::test_pay): hermes tests",
        "  mill: the tests can't be run: there is no pytest: hermes tests",
        "  shop: 2 documents drifted: hermes docs",
        "  shop: a commit message is ready: Drop the queue",
    ]
    assert work_lines({"work": work | {"tests": [green]}}, make_stream(), 100)[2].startswith(
        "  shop: 2"
    )
    assert work_lines({"work": {"tests": [green]}}, make_stream(), 100) == []
    assert work_lines({}, make_stream(), 100) == []
