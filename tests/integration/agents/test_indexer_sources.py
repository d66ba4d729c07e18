"""What the indexer makes of sources: which it has read, and what becomes of each way to fail."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from hermes.agents.contract import (
    Assignment,
    Done,
    Hopeless,
    Lane,
    NeedsUser,
    Nothing,
    NotReady,
    Outcome,
    Skipped,
)
from hermes.agents.indexer import LAST_TRY, Indexer
from hermes.memory.errors import HermesError
from hermes.memory.memory import Memory
from hermes.memory.sources import Fault
from hermes.tests.builders.around import Around

API = {"token": "env:NO_SUCH_TOKEN_HERE"}
READ = {"items": 3, "news": 2, "gone": 1}


@dataclass
class Worker(Around):
    """A context whose worker gives a report, or raises."""

    answer: Mapping[str, Any] | HermesError = field(default_factory=lambda: READ)
    sources: list[str | None] = field(default_factory=list[str | None])

    async def bulk(
        self,
        task: str,
        repo: str | None = None,
        *,
        source: str | None = None,
        seconds: float | None = None,
    ) -> Mapping[str, Any]:
        self.sources.append(source)
        if isinstance(self.answer, HermesError):
            raise self.answer
        return self.answer


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory with the source ``slack``."""
    with Memory.open(tmp_path / "memory", embedder=None, write=True) as opened:
        opened.index.sources.add("slack", "slack", API, int(time.time()))
        yield opened


async def ask(
    memory: Memory,
    subject: str,
    worker: Worker | None = None,
    *,
    lane: Lane = Lane.ON_DEMAND,
    attempt: int = 1,
    offered: str | None = None,
) -> Outcome:
    """Have the indexer do something."""

    async def opened() -> Memory:
        return memory

    indexer = Indexer(opened, offered=lambda source: offered)
    job = Assignment(1, "indexer", subject, lane, attempt=attempt)
    return await indexer.handle(job, worker or Worker())


def failing(code: str) -> Worker:
    error = HermesError("it failed", hint="do something")
    error.code = code
    return Worker(answer=error)


async def test_a_sync_tells_what_came_and_has_vectors_made(memory: Memory) -> None:
    worker = Worker()
    outcome = await ask(memory, "sync slack", worker)
    assert isinstance(outcome, Done)
    assert outcome.summary == "read 3 items of slack: 2 new, 1 gone"
    assert [each.subject for each in outcome.then] == ["vectors"]
    assert worker.sources == ["slack"]


async def test_where_nothing_is_new_nothing_follows(memory: Memory) -> None:
    outcome = await ask(memory, "sync slack", Worker(answer=READ | {"news": 0, "gone": 0}))
    assert isinstance(outcome, Done)
    assert (outcome.summary, list(outcome.then)) == ("slack is current", [])


async def test_by_the_clock_only_those_are_read_whose_turn_it_is(memory: Memory) -> None:
    sources = memory.index.sources
    sources.add("paused", "slack", {"token": "env:A"}, 1)
    sources.pause("paused", True)
    sources.add("missing", "slack", {"export": "/nowhere/export.zip"}, 1)
    outcome = await ask(memory, "sync", lane=Lane.SCHEDULED)
    assert isinstance(outcome, Done)
    assert [(each.subject, each.lane) for each in outcome.then] == [("sync slack", Lane.SCHEDULED)]
    sources.fail("slack", Fault("no_token", "not set", ""), "")
    assert isinstance(await ask(memory, "sync", lane=Lane.SCHEDULED), Nothing)
    assert isinstance(await ask(memory, "sync", lane=Lane.SCHEDULED, offered="xoxb"), Done)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("source_refused", NeedsUser),
        ("no_token", NeedsUser),
        ("source_broken", Hopeless),
        ("source_away", NotReady),
        ("store_busy", NotReady),
        ("no_space", NotReady),
        ("store_damaged", NeedsUser),
    ],
)
async def test_each_failure_has_its_consequence(
    memory: Memory, code: str, kind: type[HermesError]
) -> None:
    with pytest.raises(kind) as raised:
        await ask(memory, "sync slack", failing(code))
    assert (raised.value.code, raised.value.message) == (code, "it failed")


@pytest.mark.parametrize(
    ("worker", "told"),
    [
        (Worker(), True),
        (Worker(answer={"items": 3, "news": 0, "gone": 0}), False),
        (Worker(answer=HermesError("it failed")), True),
    ],
)
async def test_what_it_brought_or_that_it_failed_is_told_to_whoever_waits(
    memory: Memory, worker: Worker, told: bool
) -> None:
    async def opened() -> Memory:
        return memory

    heard: list[str] = []
    indexer = Indexer(opened, on_brought=lambda: heard.append("something"))
    with suppress(HermesError):
        await indexer.handle(Assignment(1, "indexer", "sync slack", Lane.SCHEDULED), worker)
    assert bool(heard) is told


async def test_a_source_that_says_when_is_asked_then(memory: Memory) -> None:
    fault = Fault("source_away", "patience", "")
    memory.index.sources.fail("slack", fault, "", int(time.time()) + 600)
    with pytest.raises(NotReady) as raised:
        await ask(memory, "sync slack", failing("source_away"))
    assert raised.value.retry_after is not None and 500 < raised.value.retry_after <= 600


async def test_by_the_clock_being_away_is_no_failure_before_it_lasts(memory: Memory) -> None:
    clock: dict[str, Any] = {"lane": Lane.SCHEDULED, "attempt": LAST_TRY}
    outcome = await ask(memory, "sync slack", failing("source_away"), **clock)
    assert isinstance(outcome, Skipped)
    memory.index.sources.succeed("slack", int(time.time()) - 2 * 86_400, "", ())
    with pytest.raises(NotReady):
        await ask(memory, "sync slack", failing("source_away"), **clock)


async def test_a_source_that_is_paused_or_removed_meanwhile_is_skipped(memory: Memory) -> None:
    assert isinstance(await ask(memory, "sync slack", failing("no_such_source")), Skipped)
    assert isinstance(await ask(memory, "sync gone"), Skipped)
    memory.index.sources.pause("slack", True)
    worker = Worker()
    assert isinstance(await ask(memory, "sync slack", worker), Skipped)
    assert worker.sources == []
