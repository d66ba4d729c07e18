"""Work that fails in the same way again and again, or runs too often, is held."""

from __future__ import annotations

import pytest

from hermes.agents.contract import Lane
from hermes.daemon.ledger.breaker import RUNS_AN_HOUR, SPACING
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.ledger.records import Spec, State

ME = "this run"
BOOM = {"error": "line 12: boom", "code": "fault"}


def _fail(ledger: Ledger, now: float, error: dict[str, str], state: State = State.FAILED) -> None:
    """Queue it, run it, and let it fail; it must be able to start at once."""
    ledger.queue.put([Spec("docs", "", "shop")], now)
    job = ledger.queue.take(now, owner=ME)
    assert job is not None, "held"
    ledger.queue.finish(job.id, state, now, error=error)


def test_after_three_identical_failures_it_is_held_ever_longer_until_one_succeeds(
    ledger: Ledger,
) -> None:
    for line in range(3):
        _fail(ledger, line, {"error": f"line {line}: boom", "code": "fault"})
    now = 2.0
    for minutes in (15, 30, 60, 120, 240, 360, 360):
        ledger.queue.put([Spec("docs", "", "shop")], now)
        assert ledger.queue.take(now + minutes * 60 - 1, owner=ME) is None
        now += minutes * 60
        job = ledger.queue.take(now, owner=ME)
        assert job is not None
        ledger.queue.finish(job.id, State.FAILED, now, error=BOOM)
    waiting = ledger.queue.put([Spec("docs", "", "shop")], now)[0].job
    job = ledger.queue.take(now + 6 * 3600, owner=ME)
    assert job is not None and job.id == waiting.id
    ledger.queue.finish(job.id, State.OK, now + 6 * 3600)
    _fail(ledger, now + 6 * 3600, BOOM)
    _fail(ledger, now + 6 * 3600, BOOM)


def test_what_waited_already_is_held_as_well_and_says_why(ledger: Ledger) -> None:
    ledger.queue.put([Spec("docs", "", "shop", alone=True) for _ in range(4)], 0)
    for _ in range(3):
        job = ledger.queue.take(0, owner=ME)
        assert job is not None
        ledger.queue.finish(job.id, State.FAILED, 0, error=BOOM)
    assert ledger.queue.take(0, owner=ME) is None
    (waiting,) = ledger.queue.find([State.QUEUED])
    assert (waiting.not_before, waiting.reason) == (
        900,
        "held: it failed in the same way too often",
    )


def test_what_is_held_does_not_become_late_by_that(ledger: Ledger) -> None:
    ledger.queue.put([Spec("docs", alone=True, expires_in=600) for _ in range(4)], 0)
    for _ in range(3):
        job = ledger.queue.take(0, owner=ME)
        assert job is not None
        ledger.queue.finish(job.id, State.FAILED, 0, error=BOOM)
    assert ledger.queue.take(0, owner=ME) is None
    job = ledger.queue.take(901, owner=ME)
    assert job is not None and job.state is State.RUNNING


@pytest.mark.parametrize(
    "errors",
    [
        pytest.param([BOOM, {"error": "bang", "code": "fault"}] * 3, id="different messages"),
        pytest.param([BOOM, {"error": "line 12: boom", "code": "other"}] * 3, id="different codes"),
        pytest.param([{"error": "away", "code": "not_ready"}] * 6, id="only not ready"),
    ],
)
def test_failures_that_are_no_loop_do_not_hold_it(
    ledger: Ledger, errors: list[dict[str, str]]
) -> None:
    for number, error in enumerate(errors):
        _fail(ledger, number, error)


def test_other_work_of_the_agent_and_what_a_person_asks_for_is_not_held(ledger: Ledger) -> None:
    for second in range(3):
        _fail(ledger, second, BOOM)
    ledger.queue.put([Spec("docs", "", "till")], 3)
    ledger.queue.put([Spec("docs", "", "shop", lane=Lane.ON_DEMAND)], 3)
    assert {job.repo for _ in range(2) if (job := ledger.queue.take(3, owner=ME))} == {
        "till",
        "shop",
    }


def test_an_attempt_that_fails_counts_too(ledger: Ledger) -> None:
    ledger.queue.put([Spec("docs")], 0)
    for now in (0, 10, 20):
        job = ledger.queue.take(now, owner=ME)
        assert job is not None
        ledger.queue.retry_later(job.id, now, delay=5, reason="boom", error=BOOM, max_attempts=9)
    (waiting,) = ledger.queue.find([State.QUEUED])
    assert waiting.not_before == 20 + 900


@pytest.mark.parametrize(
    ("lane", "most"), [(Lane.REACTIVE, RUNS_AN_HOUR), (Lane.ON_DEMAND, RUNS_AN_HOUR + 20)]
)
def test_a_loop_that_goes_well_gets_slow_but_not_for_a_person(
    ledger: Ledger, lane: Lane, most: int
) -> None:
    last = RUNS_AN_HOUR + 20
    for second in range(last):
        ledger.queue.put([Spec("indexer", "read", "shop", lane=lane)], second)
        if job := ledger.queue.take(second, owner=ME):
            ledger.queue.finish(job.id, State.OK, second)
    assert ledger.queue.counts()["ok"] == most
    if lane is Lane.REACTIVE:
        again = RUNS_AN_HOUR - 1 + SPACING
        assert ledger.queue.next_wake(last) == again
        assert ledger.queue.take(again - 1, owner=ME) is None
        assert ledger.queue.take(again, owner=ME) is not None


def test_runs_with_nothing_to_do_are_not_counted(ledger: Ledger) -> None:
    for second in range(2 * RUNS_AN_HOUR):
        ledger.queue.put([Spec("indexer", "read", "shop")], second)
        job = ledger.queue.take(second, owner=ME)
        assert job is not None
        ledger.queue.finish(job.id, State.SILENT, second)


def test_runs_that_gave_way_are_not_counted(ledger: Ledger) -> None:
    ledger.queue.put([Spec("indexer", "read", "shop")], 0)
    for second in range(2 * RUNS_AN_HOUR):
        job = ledger.queue.take(second, owner=ME)
        assert job is not None
        ledger.queue.give_back(job.id, second)


def test_work_under_which_process_after_process_ends_is_held_in_the_end(ledger: Ledger) -> None:
    for run in range(9):
        if run % 3 == 0:
            ledger.queue.put([Spec("indexer", "read", "shop")], run)
        assert ledger.queue.take(run, owner=str(run)) is not None
        ledger.queue.recover(run, str(run + 1))
    assert ledger.queue.counts() == {"abandoned": 3}
    ledger.queue.put([Spec("indexer", "read", "shop")], 9)
    assert ledger.queue.next_wake(9) == 8 + 900
