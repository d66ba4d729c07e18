"""The queue's rules: who joins whom, who comes next, and how a job ends."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from hermes.agents.contract import Lane
from hermes.daemon.ledger.errors import NoSuchId
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.ledger.queue import backoff, key_of
from hermes.daemon.ledger.records import Job, Spec, State

ME = "this run"
SAVE = Spec("tests", "affected", "shop", paths=("a.py",), quiet=2, longest=10)


def _put(ledger: Ledger, spec: Spec, now: float = 0.0) -> Job:
    return ledger.queue.put([spec], now)[0].job


def _run(ledger: Ledger, now: float) -> Job:
    job = ledger.queue.take(now, owner=ME)
    assert job is not None
    return job


def _names(ledger: Ledger, now: float) -> list[str]:
    """Take all that may start, one after the other, and return what it was."""
    found: list[str] = []
    while job := ledger.queue.take(now, owner=ME):
        found.append(job.subject)
        ledger.queue.finish(job.id, State.OK, now)
    return found


# Joining


def test_saves_in_a_burst_are_one_job_with_all_paths_that_starts_when_it_is_quiet(
    ledger: Ledger,
) -> None:
    first = _put(ledger, SAVE, 0)
    (second,) = ledger.queue.put([replace(SAVE, paths=("b.py",))], 1)
    assert second.joined
    assert second.job.id == first.id
    assert ledger.queue.take(2.9, owner=ME) is None
    assert ledger.queue.next_wake(2.9) == 3
    assert _run(ledger, 3).paths == ("a.py", "b.py")


def test_saves_without_a_pause_start_when_the_longest_time_is_over(ledger: Ledger) -> None:
    for second in range(11):
        _put(ledger, SAVE, second)
    assert ledger.queue.take(9.9, owner=ME) is None
    assert _run(ledger, 10).subject == "affected"


def test_what_comes_while_a_job_runs_is_queued_behind_it_and_not_lost(ledger: Ledger) -> None:
    _put(ledger, SAVE, 0)
    running = _run(ledger, 2)
    (fresh,) = ledger.queue.put([SAVE], 3)
    assert not fresh.joined
    assert ledger.queue.take(60, owner=ME) is None
    ledger.queue.finish(running.id, State.OK, 61)
    assert _run(ledger, 61).id == fresh.job.id


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"agent": "docs"}, id="another agent"),
        pytest.param({"subject": "all"}, id="another subject"),
        pytest.param({"repo": "till"}, id="another repo"),
        pytest.param({"repo": None}, id="no repo"),
        pytest.param({"alone": True}, id="asked for by itself"),
        pytest.param({"dry_run": True}, id="a rehearsal"),
    ],
)
def test_different_work_is_not_united(ledger: Ledger, other: dict[str, Any]) -> None:
    _put(ledger, SAVE)
    (queued,) = ledger.queue.put([replace(SAVE, **other)], 0)
    assert not queued.joined


def test_one_persons_words_do_not_replace_anothers(ledger: Ledger) -> None:
    ask = Spec("qa", text="why?")
    first, second, third = ledger.queue.put([ask, Spec("qa", text="who?"), Spec("qa")], 0)
    assert not second.joined
    assert third.joined
    assert [ledger.queue.get(each.job.id).text for each in (first, second)] == ["why?", "who?"]


def test_a_joined_job_has_the_more_urgent_lane_and_the_later_expiry(ledger: Ledger) -> None:
    night = Spec("indexer", "read", "shop", lane=Lane.SCHEDULED, expires_in=100, delay=50)
    _put(ledger, night, 0)
    job = _put(ledger, Spec("indexer", "read", "shop", lane=Lane.REACTIVE, expires_in=30), 10)
    assert (job.lane, job.expires_at, job.not_before) == (Lane.REACTIVE, 100, 10)
    job = _put(ledger, Spec("indexer", "read", "shop", lane=Lane.SCHEDULED), 20)
    assert (job.lane, job.expires_at) == (Lane.REACTIVE, None)


def test_asking_for_it_ends_the_quiet_time(ledger: Ledger) -> None:
    _put(ledger, SAVE, 0)
    job = _put(ledger, Spec("tests", "affected", "shop", lane=Lane.ON_DEMAND), 1)
    assert _run(ledger, 1).id == job.id


def test_more_saves_do_not_shorten_the_wait_after_a_failure(ledger: Ledger) -> None:
    _put(ledger, SAVE, 0)
    job = _run(ledger, 2)
    ledger.queue.retry_later(job.id, 3, delay=100, reason="away", error={"code": "not_ready"})
    assert _put(ledger, SAVE, 4).not_before == 103


def test_a_thousand_events_of_many_paths_stay_small(ledger: Ledger) -> None:
    specs = [
        Spec(
            "indexer",
            "read",
            "shop",
            paths=tuple(f"d{number % 150}/{part}-{number}" for number in range(300)),
        )
        for part in range(6)
    ]
    job = ledger.queue.put(specs, 0)[-1].job
    assert not job.whole
    assert len(job.paths) <= 1_000
    assert len(job.folders) == 150


# Order


def test_lanes_come_by_urgency_and_in_a_lane_the_first_comes_first(ledger: Ledger) -> None:
    lanes = [Lane.SCHEDULED, Lane.REACTIVE, Lane.ON_DEMAND] * 2
    for number, lane in enumerate(lanes):
        _put(ledger, Spec("a", f"{lane.name}{number}", lane=lane))
    names = ["ON_DEMAND2", "ON_DEMAND5", "REACTIVE1", "REACTIVE4", "SCHEDULED0", "SCHEDULED3"]
    assert _names(ledger, 1) == names


@pytest.mark.parametrize(
    ("waited", "order"),
    [
        pytest.param(299, ["asked", "saved", "nightly"], id="not long enough"),
        pytest.param(300, ["asked", "nightly", "saved"], id="one lane up, and first there"),
        pytest.param(100_000, ["asked", "nightly", "saved"], id="never before what is asked for"),
    ],
)
def test_what_waited_long_counts_as_more_urgent(
    ledger: Ledger, waited: float, order: list[str]
) -> None:
    _put(ledger, Spec("a", "nightly", lane=Lane.SCHEDULED), 0)
    _put(ledger, Spec("a", "saved", lane=Lane.REACTIVE), waited - 1)
    _put(ledger, Spec("a", "asked", lane=Lane.ON_DEMAND), waited)
    assert _names(ledger, waited) == order


def test_nothing_starves_however_much_keeps_coming(ledger: Ledger) -> None:
    """Work comes twice as fast as it is done, forever; each job still starts.

    A job can only be overtaken by background work that was runnable before it or comes within
    600 seconds after it: two lanes of ageing. So it starts at the latest when all of that is done.
    """
    _put(ledger, Spec("a", "nightly", lane=Lane.SCHEDULED), 0)
    started: list[str] = []
    now = 0.0
    while "nightly" not in started:
        for part in range(2):
            _put(ledger, Spec("a", f"saved {now} {part}", lane=Lane.REACTIVE), now)
        started.append(_run(ledger, now).subject)
        ledger.queue.finish(ledger.queue.running()[0].id, State.OK, now)
        now += 20
        assert now <= 620, "it should have been aged past everything that came later"
    assert len(started) <= 32


def test_a_slot_for_on_demand_takes_nothing_else(ledger: Ledger) -> None:
    _put(ledger, Spec("a", "saved"))
    assert ledger.queue.take(0, owner=ME, lanes=[Lane.ON_DEMAND]) is None


@pytest.mark.parametrize(
    ("without", "next_up"),
    [
        pytest.param((), ("indexer", "shop"), id="nothing"),
        pytest.param(("indexer",), ("tests", "shop"), id="an agent"),
        pytest.param(("indexer/shop",), ("indexer", "till"), id="an agent in one repo"),
        pytest.param(("indexer", "tests/shop"), ("tests", "till"), id="both"),
        pytest.param(("indexer", "tests"), None, id="all"),
    ],
)
def test_what_can_not_start_now_is_passed_over(
    ledger: Ledger, without: tuple[str, ...], next_up: tuple[str, str | None] | None
) -> None:
    specs = [Spec(a, repo=r) for a in ("indexer", "tests") for r in ("shop", "till", None)]
    ledger.queue.put(specs, 0)
    job = ledger.queue.take(0, owner=ME, without=without)
    assert (job and (job.agent, job.repo)) == next_up


def test_two_of_one_key_never_run_at_once_even_if_each_was_asked_for_by_itself(
    ledger: Ledger,
) -> None:
    ledger.queue.put([Spec("qa", alone=True, text="a"), Spec("qa", alone=True, text="b")], 0)
    first = _run(ledger, 0)
    assert ledger.queue.take(0, owner=ME) is None
    ledger.queue.finish(first.id, State.OK, 1)
    assert _run(ledger, 1).text == "b"


def test_what_expired_is_late_and_said(ledger: Ledger) -> None:
    job = _put(ledger, Spec("standup", expires_in=60))
    assert ledger.queue.next_wake(0) == 60
    assert ledger.queue.take(60, owner=ME) is None
    assert ledger.queue.get(job.id).state is State.LATE
    assert [each.id for each in ledger.queue.trouble()] == [job.id]
    assert ledger.journal.after(0)[-1].what == "late"
    assert ledger.queue.next_wake(60) is None


# Ends


def test_an_end_and_what_follows_from_it_are_one_step(ledger: Ledger) -> None:
    _put(ledger, Spec("indexer", "read", "shop"))
    job = _run(ledger, 1)
    then = [Spec("indexer", "vectors", "shop", delay=5)]
    done = ledger.queue.finish(
        job.id, State.OK, 3, reason="12 commits", report={"n": 12}, then=then
    )
    assert (done.state, done.reason, done.report, done.ended_at) == (
        State.OK,
        "12 commits",
        {"n": 12},
        3,
    )
    (following,) = ledger.queue.followups(job.id)
    assert (following.subject, following.not_before) == ("vectors", 8)
    assert [entry.what for entry in ledger.journal.after(0)] == [
        "queued",
        "started",
        "ok",
        "queued",
    ]


def test_an_end_that_comes_too_late_changes_nothing(ledger: Ledger) -> None:
    _put(ledger, Spec("a"))
    job = _run(ledger, 0)
    ledger.queue.cancel(job.id, 1)
    written = ledger.journal.newest()
    then = [Spec("b")]
    assert ledger.queue.finish(job.id, State.OK, 2, then=then).state is State.CANCELLED
    assert ledger.queue.give_back(job.id, 2).state is State.CANCELLED
    retried = ledger.queue.retry_later(job.id, 2, delay=1, reason="", error={})
    assert retried.state is State.CANCELLED
    assert ledger.journal.newest() == written
    assert ledger.queue.counts() == {"cancelled": 1}


def test_failing_again_and_again_ends_dead_and_can_be_retried_by_hand(ledger: Ledger) -> None:
    _put(ledger, Spec("a", lane=Lane.ON_DEMAND))
    error = {"error": "boom", "hint": "", "code": "fault"}
    for attempt in (1, 2, 3):
        job = _run(ledger, attempt * 100)
        assert job.attempts == attempt
        job = ledger.queue.retry_later(job.id, attempt * 100, delay=5, reason="boom", error=error)
    assert (job.state, job.error) == (State.DEAD, error)
    assert [each.id for each in ledger.queue.trouble()] == [job.id]
    ledger.queue.retry(job.id, 400)
    assert ledger.queue.trouble() == []
    assert _run(ledger, 400).attempts == 1


def test_giving_way_costs_neither_the_attempt_nor_the_place(ledger: Ledger) -> None:
    ledger.queue.put([Spec("a", "first", expires_in=10), Spec("a", "second")], 0)
    job = _run(ledger, 5)
    ledger.queue.give_back(job.id, 20, reason="someone waits")
    again = _run(ledger, 21)
    assert (again.id, again.attempts) == (job.id, 1)
    ledger.queue.give_back(job.id, 22, delay=30, reason="a rebase is going on")
    assert _run(ledger, 23).subject == "second"
    assert ledger.queue.next_wake(23) == 52


def test_what_is_blocked_goes_on_as_one_job_when_the_settings_allow_it(ledger: Ledger) -> None:
    ids: list[int] = []
    for path in ("a", "b"):
        ids.append(_put(ledger, Spec("tests", "", "shop", paths=(path,))).id)
        error = {"error": "not trusted", "code": "misconfigured"}
        ledger.queue.finish(_run(ledger, 1).id, State.BLOCKED_CONFIG, 1, error=error)
    assert ledger.queue.unblock("needs_user", 2) == []
    (job,) = ledger.queue.unblock("misconfigured", 2)
    assert (job.id, job.state, job.paths) == (ids[1], State.QUEUED, ("a", "b"))
    assert ledger.queue.get(ids[0]).state is State.SKIPPED
    assert ledger.queue.trouble() == []


def test_what_could_not_be_shown_is_trouble_until_it_is_dealt_with(ledger: Ledger) -> None:
    _put(ledger, Spec("a"))
    job = ledger.queue.finish(_run(ledger, 0).id, State.OK, 1)
    assert ledger.queue.trouble() == []
    ledger.queue.undelivered(job.id, 2, "no notification service")
    assert [each.state for each in ledger.queue.trouble()] == [State.DELIVERY_FAILED]
    ledger.queue.deal_with([job.id])
    assert ledger.queue.trouble() == []


def test_an_id_that_nothing_has_is_said(ledger: Ledger) -> None:
    calls: list[Callable[[], object]] = [
        lambda: ledger.queue.get(7),
        lambda: ledger.queue.cancel(7, 0.0),
        lambda: ledger.queue.retry(7, 0.0),
        lambda: ledger.queue.finish(7, State.OK, 0.0),
    ]
    for call in calls:
        with pytest.raises(NoSuchId, match="no j7"):
            call()


# Leases


def test_after_a_kill_the_next_daemon_runs_the_job_again_but_not_for_ever(ledger: Ledger) -> None:
    _put(ledger, Spec("a"))
    for run in (1, 2):
        job = ledger.queue.take(run, owner=f"run {run}")
        assert job is not None
        (back,) = ledger.queue.recover(run + 0.5, f"run {run + 1}")
        assert (back.state, back.attempts) == (State.QUEUED, run)
    job = ledger.queue.take(3, owner="run 3")
    assert job is not None
    (gone,) = ledger.queue.recover(4, "run 4")
    assert gone.state is State.ABANDONED
    assert [each.id for each in ledger.queue.trouble()] == [job.id]


def test_a_lease_that_is_beaten_stays_and_one_that_is_not_ends(ledger: Ledger) -> None:
    _put(ledger, Spec("a"))
    job = _run(ledger, 0)
    ledger.queue.beat([job.id], 50)
    assert ledger.queue.recover(100, ME) == []
    assert ledger.queue.recover(111, ME) == []  # doubted, one more lease
    assert ledger.queue.recover(170, ME) == []
    assert [back.id for back in ledger.queue.recover(172, ME)] == [job.id]


# Looking


def test_depths_say_how_much_waits_and_since_when(ledger: Ledger) -> None:
    specs = [Spec("a", str(n), lane=Lane.REACTIVE, delay=n) for n in range(3)]
    ledger.queue.put([*specs, Spec("b", lane=Lane.SCHEDULED)], 100)
    assert ledger.queue.depths(101) == {
        "on_demand": {"queued": 0, "ready": 0, "oldest": None},
        "reactive": {"queued": 3, "ready": 2, "oldest": 100},
        "scheduled": {"queued": 1, "ready": 1, "oldest": 100},
    }


def test_jobs_are_found_by_what_is_asked_newest_first(ledger: Ledger) -> None:
    ledger.queue.put([Spec(a, repo=r) for a in "ab" for r in ("x", "y")], 0)
    _run(ledger, 1)
    queue = ledger.queue
    assert [job.id for job in queue.find()] == [4, 3, 2, 1]
    assert [job.id for job in queue.find(limit=2, before=4)] == [3, 2]
    assert [job.id for job in queue.find([State.RUNNING])] == [1]
    assert [job.id for job in queue.find(agent="b")] == [4, 3]
    assert [job.id for job in queue.find([State.QUEUED], repo="x")] == [3]


def test_the_same_input_is_known_again(ledger: Ledger) -> None:
    key = key_of("indexer", "shop", "read")
    assert not ledger.queue.seen(key, "1")
    ledger.queue.mark_done(key, "1")
    assert ledger.queue.seen(key, "1")
    ledger.queue.mark_done(key, "2")
    assert not ledger.queue.seen(key, "1")


@pytest.mark.parametrize(
    ("attempts", "middle"), [(1, 5), (2, 10), (4, 40), (8, 640), (9, 900), (99, 900)]
)
def test_each_wait_is_twice_as_long_up_to_a_quarter_of_an_hour(
    attempts: int, middle: float
) -> None:
    waits = [backoff(attempts, random.Random(seed)) for seed in range(200)]
    assert min(waits) >= middle * 0.8
    assert max(waits) <= middle * 1.2
    assert max(waits) - min(waits) > middle * 0.3
