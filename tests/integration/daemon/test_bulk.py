"""The one worker and whose turn it is, without a runtime around it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from hermes.daemon.bulk import Bulk
from hermes.daemon.reaper import Reaper
from hermes.tests.builders.runtime import until


@asynccontextmanager
async def served(bulk: Bulk) -> AsyncGenerator[None]:
    """Serve for the time of the block."""
    serving = asyncio.create_task(bulk.serve())
    try:
        yield
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)


async def test_two_that_are_cancelled_in_one_moment_are_both_cancelled() -> None:
    bulk = Bulk(Reaper())
    async with served(bulk):
        bulk.foresee()  # the first then waits for the worker that is being started
        tasks = [asyncio.create_task(bulk.run("upkeep")) for _ in range(2)]
        await until(lambda: bulk.summary()["waiting"] == ["upkeep"])
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        assert [task.cancelled() for task in tasks] == [True, True]
        assert (bulk.summary()["task"], bulk.summary()["waiting"]) == (None, [])


async def test_when_it_is_served_again_it_has_workers_again() -> None:
    bulk = Bulk(Reaper())
    async with served(bulk):
        bulk.foresee()
        await until(lambda: bulk.worker_pid is not None)
    assert bulk.worker_pid is None
    async with served(bulk):
        bulk.foresee()
        await until(lambda: bulk.worker_pid is not None)
