"""Clocks that are put forward or back hold nothing for longer than was meant."""

from __future__ import annotations

import pytest

from hermes.agents.contract import Lane
from hermes.daemon.ledger.breaker import RUNS_AN_HOUR, SPACING
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.ledger.queue import Queue
from hermes.daemon.ledger.records import Job, Spec, State

ME = "this run"
HOUR = 3600.0
START = 1_000_000.0


def _waits_for(queue: Queue, now: float) -> float:
    """Return how long it is from ``now`` until a job can be taken, sleeping as a daemon would."""
    clock = now
    while queue.take(clock, owner=ME) is None:
        wake = queue.next_wake(clock)
        assert wake is not None and wake > clock
        clock = wake
    return clock - now


@pytest.mark.parametrize("jump", [-10 * 365 * 24 * HOUR, -24 * HOUR, -HOUR, -60])
@pytest.mark.parametrize("ask", [0.0, 2.0, 30.0])
def test_put_back_a_waiting_job_waits_as_long_as_was_asked_for(
    ledger: Ledger, jump: float, ask: float
) -> None:
    ledger.queue.put([Spec("a", delay=ask)], START)
    assert _waits_for(ledger.queue, START + jump) <= ask


def test_put_back_a_little_it_waits_at_most_twice_as_long(ledger: Ledger) -> None:
    ledger.queue.put([Spec("a", delay=900)], START)
    assert _waits_for(ledger.queue, START + 800 - 790) <= 900


def test_put_back_while_it_waits_after_a_failure_the_wait_is_not_longer(ledger: Ledger) -> None:
    ledger.queue.put([Spec("a")], START)
    job = _take(ledger, START + 10 * HOUR)
    error = {"code": "not_ready"}
    ledger.queue.retry_later(job.id, START + 10 * HOUR, delay=900, reason="away", error=error)
    assert _waits_for(ledger.queue, START + 5 * HOUR) <= 900


def test_put_back_constant_change_still_gets_its_turn(ledger: Ledger) -> None:
    save = Spec("tests", "", "shop", quiet=2, longest=10)
    ledger.queue.put([save], START)
    for second in range(12):
        ledger.queue.put([save], START - HOUR + second)
    assert ledger.queue.take(START - HOUR + 11, owner=ME) is not None


def test_put_back_the_order_stays(ledger: Ledger) -> None:
    ledger.queue.put([Spec("a", str(n), lane=Lane.REACTIVE) for n in range(5)], START)
    taken = [_take(ledger, START - HOUR).subject for _ in range(5)]
    assert taken == ["0", "1", "2", "3", "4"]


def test_put_back_expiry_comes_after_the_time_that_was_meant(ledger: Ledger) -> None:
    (queued,) = ledger.queue.put([Spec("a", delay=50, expires_in=60)], START)
    assert ledger.queue.next_wake(START - HOUR) == START - HOUR + 50
    assert ledger.queue.take(START - HOUR + 60, owner=ME) is None
    assert ledger.queue.get(queued.job.id).state is State.LATE


def test_put_forward_what_waits_can_start_and_what_expired_is_late(ledger: Ledger) -> None:
    ledger.queue.put([Spec("a", "long", delay=900), Spec("a", "short", expires_in=60)], START)
    assert _take(ledger, START + 24 * HOUR).subject == "long"
    assert ledger.queue.counts() == {"late": 1, "running": 1}


@pytest.mark.parametrize("jump", [24 * HOUR, -24 * HOUR])
def test_a_jump_does_not_take_a_job_from_an_owner_that_is_well(ledger: Ledger, jump: float) -> None:
    ledger.queue.put([Spec("a")], START)
    job = _take(ledger, START)
    now = START + jump
    assert ledger.queue.recover(now, ME) == []
    ledger.queue.beat([job.id], now + 20)
    assert ledger.queue.recover(now + 70, ME) == []


@pytest.mark.parametrize("jump", [24 * HOUR, -24 * HOUR])
def test_a_jump_does_not_keep_a_job_with_an_owner_that_is_gone(ledger: Ledger, jump: float) -> None:
    ledger.queue.put([Spec("a"), Spec("b")], START)
    stuck = _take(ledger, START)
    other = ledger.queue.take(START, owner="an earlier run")
    assert other is not None
    assert [job.id for job in ledger.queue.recover(START + jump, ME)] == [other.id]
    assert [job.id for job in ledger.queue.recover(START + jump + 61, ME)] == [stuck.id]


@pytest.mark.parametrize("jump", [0, 24 * HOUR, -24 * HOUR])
def test_what_runs_too_often_waits_a_minute_at_most(ledger: Ledger, jump: float) -> None:
    for number in range(RUNS_AN_HOUR + 1):
        ledger.queue.put([Spec("a")], START + number)
        job = ledger.queue.take(START + number, owner=ME)
        if job is not None:
            ledger.queue.finish(job.id, State.OK, START + number)
    assert ledger.queue.counts() == {"ok": RUNS_AN_HOUR, "queued": 1}
    assert _waits_for(ledger.queue, START + RUNS_AN_HOUR + 1 + jump) <= SPACING


@pytest.mark.parametrize("jump", [0, 24 * HOUR, -24 * HOUR])
def test_the_breaker_holds_no_longer_than_it_meant(ledger: Ledger, jump: float) -> None:
    error = {"error": "boom", "code": "fault"}
    for second in range(3):
        ledger.queue.put([Spec("a")], START + second)
        ledger.queue.finish(_take(ledger, START + second).id, State.FAILED, START, error=error)
    ledger.queue.put([Spec("a")], START + 3 + jump)
    waited = _waits_for(ledger.queue, START + 3 + jump)
    assert waited <= 900
    assert waited > 0 or jump > 0


def _take(ledger: Ledger, now: float) -> Job:
    job = ledger.queue.take(now, owner=ME)
    assert job is not None
    return job
