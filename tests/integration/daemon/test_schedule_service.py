"""The schedule and attention as services: real alarms, a real loop, and nothing while idle."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from hermes.agents.contract import Finding, Lane, Level
from hermes.agents.events import Committed, Event, Scheduled
from hermes.daemon.attention.attention import Attention
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.ledger.records import Spec, State
from hermes.daemon.triggers.alarms import Alarms
from hermes.daemon.triggers.clock_watch import clock_watch
from hermes.daemon.triggers.cron import Cron
from hermes.daemon.triggers.entries import Entry
from hermes.daemon.triggers.runs import Run, Runs
from hermes.daemon.triggers.schedule import Schedule

UTC = ZoneInfo("UTC")


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    ledger = Ledger.open(tmp_path / "runtime.db")
    yield ledger
    ledger.close()


async def test_an_alarm_rings_at_its_moment_and_one_that_was_taken_off_does_not() -> None:
    rang = asyncio.Event()
    alarms = Alarms(rang.set)
    alarms.start()
    try:
        set_for = time.time() + 0.3
        alarms.set({"never": time.time() + 0.1, "soon": set_for + 0.1})
        alarms.set({"soon": set_for})
        await asyncio.wait_for(rang.wait(), 10)
        assert time.time() >= set_for
        rang.clear()
        alarms.set({"passed": time.time() - 86_400})
        await asyncio.wait_for(rang.wait(), 10)
    finally:
        alarms.stop()
        await asyncio.sleep(0)


async def test_the_clock_watch_is_silent_while_nobody_sets_the_clock() -> None:
    jumps: list[float] = []
    with clock_watch(lambda: jumps.append(time.time())):
        await asyncio.sleep(0.05)
    assert jumps == []


async def test_the_service_hands_over_what_is_due_and_then_sleeps(ledger: Ledger) -> None:
    now = time.time()
    cron = Cron.parse("* * * * *")
    due = next(cron.backwards(now, now - 120, UTC))
    Runs(ledger).record(Run("brief", due - 60, due - 60, "ran"))
    accepted: asyncio.Queue[tuple[Event, str | None]] = asyncio.Queue()
    steps = 0

    async def accept(event: Event, key: str | None) -> int:
        await accepted.put((event, key))
        return ledger.intake.accept(event, key=key, now=time.time()).id

    def clock() -> float:
        nonlocal steps
        steps += 1
        return now  # it stands still, so that no further minute begins

    entry = Entry("brief", cron, "standup", "", "once")
    schedule = Schedule(accept, [entry], ledger, zone=lambda: UTC, clock=clock)
    task = asyncio.create_task(schedule.serve())
    event, key = await asyncio.wait_for(accepted.get(), 10)
    assert isinstance(event, Scheduled)
    assert (event.due, key) == (due, f"cron:brief:{due:.0f}")
    await asyncio.sleep(0.2)
    assert steps == 1
    assert schedule.state()["state"] == "ok"
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    assert accepted.empty()


async def test_attention_follows_the_journal_by_itself(ledger: Ledger) -> None:
    attention = Attention(ledger)
    task = asyncio.create_task(attention.serve())
    now = time.time()
    ledger.queue.put([Spec("tester", "", "shop", Lane.REACTIVE)], now)
    job = ledger.queue.take(now, owner="test", lanes=tuple(Lane))
    assert job is not None
    await attention.consider(job, [Finding("test_a", "test_a failed", Level.INTERRUPT)])
    assert [row.place for row in attention.latest()] == ["held"]
    ledger.queue.finish(job.id, State.FAILED, now, error={"error": "it broke", "code": "fault"})
    await asyncio.to_thread(
        ledger.intake.accept,
        Committed(at=time.time(), source="hook", repo="shop"),
        key=None,
        now=time.time(),
    )
    for _ in range(200):
        if attention.latest()[0].place == "shown" and attention.incidents():
            break
        await asyncio.sleep(0.02)
    assert [row.place for row in attention.latest()] == ["shown"]
    assert attention.incidents()[0].title == "tester: it broke"
    newest = ledger.journal.newest()
    await asyncio.sleep(0.3)
    assert ledger.journal.newest() == newest
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
