"""Readers follow the journal: woken by what is written, never holding up whoever writes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

from hermes.daemon.ledger.followers import BATCH, Followers, Gap
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.ledger.records import Entry
from hermes.daemon.ledger.trimming import KEPT


async def _next(reader: AsyncGenerator[Entry | Gap], count: int) -> list[int | Gap]:
    found: list[int | Gap] = []
    async with asyncio.timeout(10):
        while len(found) < count:
            each = await anext(reader)
            found.append(each if isinstance(each, Gap) else each.number)
    return found


def _write(ledger: Ledger, count: int, now: float = 0.0, topic: str = "job") -> None:
    with ledger.writing():
        for _ in range(count):
            ledger.journal.append(topic, "queued", now)


async def test_a_reader_gets_what_is_there_and_then_what_comes(ledger: Ledger) -> None:
    followers = Followers(ledger.journal)
    _write(ledger, 3)
    reader = followers.follow(1)
    assert await _next(reader, 2) == [2, 3]
    waiting = asyncio.create_task(_next(reader, 2))
    await asyncio.to_thread(_write, ledger, 2)
    assert await waiting == [4, 5]
    await reader.aclose()
    assert len(followers) == 0


async def test_what_is_not_on_disk_yet_is_not_shown(ledger: Ledger) -> None:
    followers = Followers(ledger.journal)
    reader = followers.follow(0)
    waiting = asyncio.create_task(_next(reader, 1))
    try:
        with ledger.writing():
            ledger.journal.append("job", "queued", 0)
            raise RuntimeError("the transaction fails")
    except RuntimeError:
        pass
    _write(ledger, 1, topic="daemon")
    assert await waiting == [1]
    assert ledger.journal.after(0)[0].topic == "daemon"
    await reader.aclose()


async def test_topics_and_repo_are_filtered_without_gaps(ledger: Ledger) -> None:
    followers = Followers(ledger.journal)
    reader = followers.follow(0, ("finding", "incident"), "shop")
    with ledger.writing():
        for number in range(2 * BATCH):
            topic, repo = ("finding", "shop") if number % 100 == 99 else ("job", "till")
            ledger.journal.append(topic, "queued", 0, repo=repo)
    assert await _next(reader, 4) == [100, 200, 300, 400]
    _write(ledger, 5, topic="job")
    ledger.journal.append("incident", "opened", 0, repo="shop")
    assert await _next(reader, 1) == [2 * BATCH + 6]
    await reader.aclose()


async def test_a_slow_reader_costs_nobody_anything_and_is_told_what_it_missed(
    ledger: Ledger,
) -> None:
    followers = Followers(ledger.journal)
    _write(ledger, 3 * BATCH)
    slow, quick = followers.follow(0), followers.follow(0)
    assert await _next(slow, 1) == [1]
    assert await _next(quick, 3 * BATCH) == list(range(1, 3 * BATCH + 1))
    ledger.trim(KEPT + 1)
    _write(ledger, 2, KEPT + 1)
    assert await _next(quick, 2) == [3 * BATCH + 1, 3 * BATCH + 2]
    found = await _next(slow, BATCH - 1 + 3)
    assert found[: BATCH - 1] == list(range(2, BATCH + 1))  # it had read these before
    assert found[BATCH - 1 :] == [Gap(2 * BATCH), 3 * BATCH + 1, 3 * BATCH + 2]
    await slow.aclose()
    await quick.aclose()


async def test_a_number_of_another_home_means_from_now_on(ledger: Ledger) -> None:
    _write(ledger, 3)
    reader = Followers(ledger.journal).follow(9_000)
    waiting = asyncio.create_task(_next(reader, 1))
    while not await asyncio.to_thread(lambda: waiting.done()):
        _write(ledger, 1)
    (first,) = await waiting
    assert isinstance(first, int) and first > 3
    await reader.aclose()


def test_numbers_only_grow_also_after_trimming_and_opening_again(tmp_path: Path) -> None:
    numbers: list[int] = []
    for time in range(3):
        ledger = Ledger.open(tmp_path / "runtime.db")
        now = time * 2 * KEPT
        numbers += [ledger.journal.append("daemon", "started", now).number for _ in range(2)]
        ledger.trim(now + KEPT + 1)
        assert ledger.journal.after(0) == []
        assert (ledger.journal.newest(), ledger.journal.oldest()) == (numbers[-1], numbers[-1] + 1)
        ledger.close()
    assert numbers == [1, 2, 3, 4, 5, 6]


def test_waking_after_the_loop_ended_is_harmless(ledger: Ledger) -> None:
    followers = Followers(ledger.journal)

    async def one() -> None:
        reader = followers.follow(0)
        _write(ledger, 1)
        await _next(reader, 1)
        await reader.aclose()

    asyncio.run(one())
    _write(ledger, 1)
    assert ledger.journal.newest() == 2
