"""When the brief is made by itself: at the start, and after what happens until it was seen."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from hermes.agents.events import Committed, Event, FilesChanged, Scheduled
from hermes.daemon.morning import Morning


class Brief:
    """A brief that is there or not, seen or not."""

    def __init__(self, *, missing: bool = False, waits: bool = True) -> None:
        self.is_missing = missing
        self.is_waiting = waits

    def missing(self) -> bool:
        return self.is_missing

    def waits(self) -> bool:
        return self.is_waiting


class Asked:
    """What was asked for."""

    def __init__(self) -> None:
        self.subjects: list[str] = []
        self.came = asyncio.Event()

    async def accept(self, event: Event, key: str | None) -> int:
        assert isinstance(event, Scheduled) and (event.agent, event.job) == ("standup", "brief")
        self.subjects.append(event.subject)
        self.came.set()
        return 1


async def test_a_missing_brief_is_asked_for_at_the_start() -> None:
    asked = Asked()
    await Morning(Brief(missing=True), asked.accept).begin()
    await Morning(Brief(missing=False), asked.accept).begin()
    assert asked.subjects == [""]


async def test_a_seen_brief_costs_no_job() -> None:
    asked = Asked()
    assert await Morning(Brief(waits=True), asked.accept).step()
    assert not await Morning(Brief(waits=False), asked.accept).step()
    assert asked.subjects == ["refresh"]


async def test_many_commits_make_it_anew_once_and_saves_never_do() -> None:
    asked = Asked()
    morning = Morning(Brief(), asked.accept, quiet=0.05)
    serving = asyncio.create_task(morning.serve())
    morning.hear(FilesChanged(at=1, source="watch", repo="r"))
    for _ in range(20):
        morning.hear(Committed(at=1, source="watch", repo="r"))
        await asyncio.sleep(0)
    await asyncio.wait_for(asked.came.wait(), 10)
    assert asked.subjects == ["refresh"]
    serving.cancel()
    with suppress(asyncio.CancelledError):
        await serving


async def test_what_a_source_brought_has_it_made_anew() -> None:
    asked = Asked()
    morning = Morning(Brief(), asked.accept, quiet=0.01)
    serving = asyncio.create_task(morning.serve())
    morning.look()
    await asyncio.wait_for(asked.came.wait(), 10)
    assert asked.subjects == ["refresh"]
    serving.cancel()
    with suppress(asyncio.CancelledError):
        await serving


async def test_it_does_not_wait_for_ever_for_quiet() -> None:
    asked = Asked()
    morning = Morning(Brief(), asked.accept, quiet=60.0, longest=0.05)
    serving = asyncio.create_task(morning.serve())
    morning.hear(Committed(at=1, source="watch", repo="r"))
    await asyncio.wait_for(asked.came.wait(), 10)
    serving.cancel()
    with suppress(asyncio.CancelledError):
        await serving
