"""What a service's end means."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from hermes.daemon import supervisor
from hermes.daemon.supervisor import Fatal, Supervisor
from hermes.memory.errors import HermesError


class Scripted:
    """A service that does what each of its starts is scripted to."""

    def __init__(self, name: str, *starts: Callable[[], Awaitable[None]]) -> None:
        self.name = name
        self.starts = 0
        self._script = starts

    async def serve(self) -> None:
        self.starts += 1
        await self._script[self.starts - 1]()


async def done() -> None:
    return


async def run_until_cancelled() -> None:
    await asyncio.Event().wait()


def raising(error: Exception) -> Callable[[], Awaitable[None]]:
    async def serve() -> None:
        raise error

    return serve


@pytest.fixture(autouse=True)
def no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "FIRST_DELAY", 0.0)


async def test_a_service_that_returns_is_not_started_again() -> None:
    stop = asyncio.Event()
    once = Scripted("once", done)

    async def finish() -> None:
        stop.set()

    assert await Supervisor([once, Scripted("last", finish)], {}).run(stop) == 0
    assert once.starts == 1


async def test_a_service_that_fails_is_started_again_and_its_fault_is_told() -> None:
    stop = asyncio.Event()
    faults: dict[str, str] = {}

    async def third_time() -> None:
        stop.set()
        await run_until_cancelled()

    flaky = Scripted("flaky", raising(OSError("gone")), raising(OSError("still gone")), third_time)
    await Supervisor([flaky], faults).run(stop)
    assert flaky.starts == 3
    assert faults == {"flaky": "OSError: still gone"}


async def test_a_service_that_needs_a_person_stays_down_and_the_others_run_on() -> None:
    stop = asyncio.Event()
    faults: dict[str, str] = {}
    blocked = Scripted("blocked", raising(HermesError("the memory is damaged", hint="rebuild")))
    reached = asyncio.Event()

    async def run_on() -> None:
        reached.set()
        await run_until_cancelled()

    other = Scripted("other", run_on)
    running = asyncio.create_task(Supervisor([blocked, other], faults).run(stop))
    await reached.wait()
    assert faults == {"blocked": "the memory is damaged"}
    assert (other.starts, blocked.starts) == (1, 1)
    assert not running.done()
    stop.set()
    assert await running == 0


async def test_a_fatal_end_ends_the_process_with_its_code() -> None:
    other = Scripted("other", run_until_cancelled)
    fatal = Scripted("fatal", raising(Fatal("the disk is gone", 4)))
    assert await Supervisor([other, fatal], {}).run(asyncio.Event()) == 4


async def test_services_are_stopped_in_reverse_order_and_may_clean_up() -> None:
    ended: list[str] = []
    stop = asyncio.Event()

    def cleaning(name: str) -> Callable[[], Awaitable[None]]:
        async def serve() -> None:
            try:
                await run_until_cancelled()
            finally:
                await asyncio.sleep(0)
                ended.append(name)

        return serve

    names = ("first", "second", "third")
    running = asyncio.create_task(
        Supervisor([Scripted(name, cleaning(name)) for name in names], {}).run(stop)
    )
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    stop.set()
    await running
    assert ended == ["third", "second", "first"]


async def test_a_service_that_does_not_end_is_not_waited_for_without_end() -> None:
    stop = asyncio.Event()
    release = asyncio.Event()

    async def stubborn() -> None:
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue

    running = asyncio.create_task(
        Supervisor([Scripted("stubborn", stubborn)], {}, grace=0.01).run(stop)
    )
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    stop.set()
    assert await running == 0
    release.set()
    await asyncio.sleep(0)


async def test_a_service_that_is_well_again_is_no_fault_any_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(supervisor, "WELL_SECONDS", 0.0)
    stop, faults = asyncio.Event(), dict[str, str]()

    async def once_no_fault_stands() -> None:
        assert faults == {"shaky": "ValueError: boom"}
        asyncio.get_running_loop().call_later(0.01, stop.set)
        await asyncio.Event().wait()

    shaky = Scripted("shaky", raising(ValueError("boom")), once_no_fault_stands)
    assert await Supervisor([shaky], faults).run(stop) == 0
    assert (shaky.starts, faults) == (2, {})
