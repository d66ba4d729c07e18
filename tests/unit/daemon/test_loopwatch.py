"""A loop that is stuck is said, with what it is stuck in; an idle one is never woken."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from hermes.daemon.loopwatch import LoopWatch


def hang(until: threading.Event) -> None:
    """Do what no coroutine may."""
    until.wait(10)


async def test_a_stuck_loop_is_told_with_its_stacks_and_given_up_at_last(
    caplog: pytest.LogCaptureFixture,
) -> None:
    lost = threading.Event()
    watch = LoopWatch(lost.set, every=0.01, stuck=0.05, lost=0.15)
    watch.arm()
    hang(lost)
    watch.close()
    assert lost.is_set()
    assert caplog.text.count("what all threads do") == 1
    assert "in hang" in caplog.text


async def test_a_loop_that_goes_on_is_not_given_up(caplog: pytest.LogCaptureFixture) -> None:
    lost, said = threading.Event(), threading.Event()
    watch = LoopWatch(lost.set, every=0.01, stuck=0.05, lost=30.0)
    watch.arm()
    deadline = time.monotonic() + 10
    while "what all threads do" not in caplog.text and time.monotonic() < deadline:
        said.wait(0.01)  # blocks the loop
    async with asyncio.timeout(5):
        while "goes on" not in caplog.text:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
    watch.close()
    assert not lost.is_set()


async def test_disarmed_it_asks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []
    loop = asyncio.get_running_loop()
    original = loop.call_soon_threadsafe

    def counting(*args: object) -> asyncio.Handle:
        asked.append(time.monotonic())
        return original(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(loop, "call_soon_threadsafe", counting)
    watch = LoopWatch(lambda: None, every=0.01)
    watch.arm()
    async with asyncio.timeout(5):
        while len(asked) < 2:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
    watch.disarm()
    await asyncio.sleep(0.03)  # a question that was on its way
    before = len(asked)
    await asyncio.sleep(0.1)
    assert len(asked) == before
    watch.arm()
    async with asyncio.timeout(5):
        while len(asked) == before:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
    watch.close()
