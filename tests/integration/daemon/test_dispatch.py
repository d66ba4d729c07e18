"""Events become jobs: at once where rules decide, in turn where a model has a say, never lost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from hermes.agents.events import Committed, Event, FilesChanged, Requested, RunAsked
from hermes.agents.router import Decision, Route, Router
from hermes.daemon.dispatch import Decide, Dispatcher
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.ledger.records import State
from hermes.daemon.plan import to_specs
from hermes.tests.builders.runtime import until

INSTALLED = frozenset({"indexer", "qa"})


def commit(number: int = 0) -> Committed:
    return Committed(at=time.time(), source="hook", repo="shop", new=f"{number:040x}")


async def by_rule(event: Event, number: int) -> Decision:
    return await Router().decide(event, installed=INSTALLED, event_id=number)


@asynccontextmanager
async def dispatching(
    folder: Path,
    decide: Decide = by_rule,
    is_choice: Callable[[Event], bool] = lambda event: False,
    certain: Callable[[Event], Decision | None] = lambda event: None,
) -> AsyncGenerator[tuple[Dispatcher, Ledger]]:
    ledger = Ledger.open(folder / "runtime.db")
    dispatcher = Dispatcher(ledger, decide, to_specs, is_choice=is_choice, certain=certain)
    serving = asyncio.create_task(dispatcher.serve())
    try:
        yield dispatcher, ledger
    finally:
        serving.cancel()
        with suppress(asyncio.CancelledError):
            await serving
        ledger.close()


async def routed(ledger: Ledger) -> None:
    await until(lambda: not ledger.intake.pending())


async def test_a_commit_becomes_one_read_however_often_it_is_told(tmp_path: Path) -> None:
    async with dispatching(tmp_path) as (dispatcher, ledger):
        first = await dispatcher.accept(commit(), "hook:1")
        assert await dispatcher.accept(commit(), "hook:1") == first
        await dispatcher.accept(commit(), "watch:1")
        await routed(ledger)
        [job] = ledger.queue.find()
        assert (job.agent, job.subject, job.repo, job.events) == ("indexer", "read", "shop", 2)


async def test_what_was_accepted_before_a_crash_is_routed_after_it(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "runtime.db")
    for number in range(150):
        event = FilesChanged(at=1.0, source="watch", repo="shop", paths=(f"docs/{number}.md",))
        ledger.intake.accept(event, key=None, now=time.time())
    ledger.close()
    async with dispatching(tmp_path) as (_, ledger):
        await routed(ledger)
        [job] = [job for job in ledger.queue.find() if job.agent == "indexer"]
        assert (job.events, len(job.paths)) == (150, 150)


async def test_what_is_certain_does_not_wait_for_the_model_and_is_queued_once(
    tmp_path: Path,
) -> None:
    go = asyncio.Event()
    read, check = Route("indexer", "read"), Route("doc_keeper")

    async def decide(event: Event, number: int) -> Decision:
        await go.wait()
        return Decision((read, check), "model", "it may touch documents")

    async with dispatching(
        tmp_path, decide, lambda event: True, lambda event: Decision((read,), "rule", "")
    ) as (dispatcher, ledger):
        number = await dispatcher.accept(commit())
        await until(lambda: bool(ledger.queue.find()))
        assert [job.agent for job in ledger.queue.find()] == ["indexer"]
        job = ledger.queue.take(time.time() + 60, owner="me")
        assert job is not None
        ledger.queue.finish(job.id, State.OK, time.time())
        go.set()
        await routed(ledger)
        assert [job.agent for job in ledger.queue.find()] == ["doc_keeper", "indexer"]
        assert [event for event, _ in ledger.intake.of_job(job.id)] == [number]


async def test_a_model_that_thinks_holds_up_neither_rules_nor_intake(tmp_path: Path) -> None:
    thinking, go = asyncio.Event(), asyncio.Event()
    at_once: list[int] = [0, 0]

    async def decide(event: Event, number: int) -> Decision:
        if not isinstance(event, Requested):
            return await by_rule(event, number)
        at_once[0] += 1
        at_once[1] = max(at_once)
        thinking.set()
        await go.wait()
        at_once[0] -= 1
        return Decision((Route("qa"),), "model", "it said so")

    def is_choice(event: Event) -> bool:
        return isinstance(event, Requested)

    async with dispatching(tmp_path, decide, is_choice) as (dispatcher, ledger):
        for text in ("who?", "why?"):
            await dispatcher.accept(Requested(at=1.0, source="api", text=text))
        await asyncio.wait_for(thinking.wait(), 5)
        await dispatcher.accept(commit())
        await until(lambda: len(ledger.queue.find()) == 1)
        assert ledger.queue.find()[0].agent == "indexer"
        go.set()
        await routed(ledger)
        assert at_once == [0, 1]  # one after the other
        assert len(ledger.queue.find(agent="qa")) == 2


async def test_an_event_that_cannot_be_decided_about_is_set_aside(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def decide(event: Event, number: int) -> Decision:
        if event.kind == "run_asked":
            raise KeyError("painter")
        return await by_rule(event, number)

    async with dispatching(tmp_path, decide) as (dispatcher, ledger):
        number = await dispatcher.accept(RunAsked(at=1.0, source="api", agent="painter"))
        await dispatcher.accept(commit())
        await routed(ledger)
        found = ledger.intake.get(number)
        assert found is not None
        assert found[1] is not None
        assert (found[1]["by"], found[1]["reason"]) == ("failed", "KeyError: 'painter'")
        assert [job.agent for job in ledger.queue.find()] == ["indexer"]
    assert "could not be routed" in caplog.text


async def test_the_queue_takes_a_storm_as_one_job(tmp_path: Path) -> None:
    async with dispatching(tmp_path) as (dispatcher, ledger):
        for number in range(200):
            await dispatcher.accept(commit(number))
        await routed(ledger)
        assert len(ledger.queue.find((State.QUEUED,))) == 1
