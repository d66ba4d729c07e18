"""Nights in the runtime, with the real worker: they give way, go on, wait, and survive its death."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from hermes.agents.contract import Finding, Lane
from hermes.agents.indexer import Indexer
from hermes.agents.roster import CARDS
from hermes.agents.synthesizer import Synthesizer
from hermes.agents.themes.folder import ThemesFolder
from hermes.daemon.ledger.records import Job, State
from hermes.daemon.machine import Conditions, Machine, Strength
from hermes.daemon.opening import choose_embedder, open_memory
from hermes.daemon.paths import keep_cache, locate, make_private
from hermes.daemon.settings import load
from hermes.ingest.git.command import Git
from hermes.ingest.git.history import root_commit
from hermes.memory.memory import Memory
from hermes.tests.builders.clock import noon
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.runtime import World, spec, world
from hermes.tests.builders.shop import make_shop

COMMITS = 2_000
HOUR = 3_600


class Low(Machine):
    """A machine whose battery is nearly empty."""

    def look(self) -> Conditions:
        return Conditions(battery=True, charge=5.0)


@pytest.fixture(autouse=True)
def at_noon() -> Generator[None]:
    """Days are looked at here: none is to end meanwhile."""
    with noon():
        yield


@pytest.fixture(autouse=True)
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    """No models, no vectors."""
    monkeypatch.setenv("HERMES_AMBIENT_EMBEDDER__PROVIDER", "none")
    monkeypatch.setenv("HERMES_AMBIENT_MODELS__PROVIDER", "none")


@pytest.fixture
def big(tmp_path: Path) -> RepoBuilder:
    """Commits of half a year, which take a night a moment to look through."""
    big = RepoBuilder(tmp_path / "big")
    big.now = int(time.time()) - (COMMITS + 10) * HOUR
    big.many_commits(COMMITS, files=50)
    big.commit({"payments/retry.py": "x = 1\n" * 30}, "payments: try a payment again")
    return big


@pytest.fixture
def shop(tmp_path: Path) -> RepoBuilder:
    return make_shop(tmp_path / "shop")


def opened() -> Memory:
    """The memory as the daemon has it: for reading."""
    paths = locate()
    settings = load(paths.config_file)
    keep_cache(paths)
    make_private(paths.memory)
    return open_memory(paths, settings, choose_embedder(paths, settings).embedder)


@asynccontextmanager
async def night(
    tmp_path: Path, *, seconds: float = 600.0, **options: Any
) -> AsyncGenerator[tuple[World, Memory]]:
    """A runtime with the indexer and the synthesizer, and the memory that they work on."""
    memory = opened()

    async def library() -> Memory:
        return memory

    agents = (Indexer(library), Synthesizer(seconds=seconds))
    async with world(tmp_path, *agents, cards=CARDS, **options) as here:
        try:
            yield here, memory
        finally:
            memory.close()


async def take_in(here: World, memory: Memory, *repositories: RepoBuilder) -> None:
    for each in repositories:
        repo = add(memory, each)
        [job] = await here.put(spec("indexer", "read", Lane.ON_DEMAND, repo=repo))
        assert (await here.until(job)).state is State.OK


def add(memory: Memory, repository: RepoBuilder) -> str:
    git = Git.open(repository.path)
    name = repository.path.name
    return memory.index.add_repo(name, str(git.common_dir), str(git.worktree), root_commit(git)).id


async def begun(here: World, job: Job) -> None:
    """Wait until the worker has told how far it is."""
    async with aclosing(here.runtime.watch(job.id)) as events:
        async for event in events:
            assert event["type"] == "progress", event
            return


def themes() -> ThemesFolder:
    return ThemesFolder(locate().themes)


def findings(here: World) -> list[Finding]:
    return [each for _, found in here.considered for each in found if not each.recovered]


async def test_a_night_gives_way_to_a_commit_and_goes_on_afterwards(
    tmp_path: Path, big: RepoBuilder, shop: RepoBuilder
) -> None:
    async with night(tmp_path) as (here, memory):
        await take_in(here, memory, big)
        [job] = await here.put(spec("synthesizer", lane=Lane.SCHEDULED))
        await begun(here, job)
        [read] = await here.put(spec("indexer", "read", repo=add(memory, shop)))
        assert (await here.until(read)).state is State.OK
        assert here.ledger.queue.get(job.id).state is not State.OK
        assert ("job", "given_back") in here.journal("job")
        ended = await here.until(job)
        assert (ended.state, ended.attempts) == (State.OK, 1)
        assert len(themes().log()) == 1
        assert themes().pages(weeks=True)


async def test_a_worker_that_is_killed_in_a_night_is_replaced_and_the_night_done(
    tmp_path: Path, big: RepoBuilder
) -> None:
    async with night(tmp_path) as (here, memory):
        await take_in(here, memory, big)
        [job] = await here.put(spec("synthesizer", lane=Lane.SCHEDULED))
        await begun(here, job)
        assert here.bulk.worker_pid is not None
        os.kill(here.bulk.worker_pid, signal.SIGKILL)
        assert (await here.until(job)).state is State.OK
        [again] = await here.put(spec("synthesizer", lane=Lane.SCHEDULED))
        ended = await here.until(again)
        assert ended.reason == "nothing has changed since the last time"
        assert len(themes().log()) == 1


async def test_a_night_that_runs_out_of_time_ends_well_and_says_what_is_left(
    tmp_path: Path, shop: RepoBuilder
) -> None:
    async with night(tmp_path, seconds=0.0) as (here, memory):
        await take_in(here, memory, shop)
        [job] = await here.put(spec("synthesizer", lane=Lane.SCHEDULED))
        ended = await here.until(job)
        assert ended.state is State.OK
        [told] = findings(here)
        assert told.title.startswith("the night ran out of its 0 minutes; left for the next: ")
        assert "hermes consolidate" in told.next_step
        # A person who waits for it is not cut short.
        [job] = await here.put(spec("synthesizer", lane=Lane.ON_DEMAND))
        ended = await here.until(job)
        assert ended.report["skipped"] == []


async def test_paused_or_low_on_battery_no_night_begins_but_for_a_person(
    tmp_path: Path, shop: RepoBuilder
) -> None:
    async with night(tmp_path, strength=Strength(Low())) as (here, memory):
        await take_in(here, memory, shop)
        [job] = await here.put(spec("synthesizer", lane=Lane.SCHEDULED))
        [asked] = await here.put(spec("synthesizer", "themes", lane=Lane.ON_DEMAND))
        await here.until(asked)
        assert here.ledger.queue.get(job.id).state is State.QUEUED
    async with night(tmp_path / "other") as (here, memory):
        await here.runtime.pause(None)
        [job] = await here.put(spec("synthesizer", lane=Lane.SCHEDULED))
        [asked] = await here.put(spec("synthesizer", "themes", lane=Lane.ON_DEMAND))
        await here.until(asked)
        assert here.ledger.queue.get(job.id).state is State.QUEUED
        await here.runtime.resume()
        assert (await here.until(job)).state is State.OK


async def test_a_pause_stops_a_night_that_runs_and_it_goes_on_when_it_is_over(
    tmp_path: Path, big: RepoBuilder
) -> None:
    async with night(tmp_path) as (here, memory):
        await take_in(here, memory, big)
        [job] = await here.put(spec("synthesizer", lane=Lane.SCHEDULED))
        await begun(here, job)
        await here.runtime.pause(None)
        await here.until(job, State.QUEUED)
        await here.runtime.resume()
        assert (await here.until(job)).state is State.OK


async def test_after_a_change_of_direction_only_its_own_themes_are_made(
    tmp_path: Path, big: RepoBuilder, shop: RepoBuilder
) -> None:
    shop.now = int(time.time()) - HOUR
    shop.commit({"limits/store.py": "y = 2\n" * 30}, "Move the limits to redis")
    async with night(tmp_path) as (here, memory):
        await take_in(here, memory, big, shop)
        repo = next(each.id for each in memory.index.repos() if each.name == "shop")
        [job] = await here.put(spec("synthesizer", lane=Lane.REACTIVE, repo=repo))
        assert (await here.until(job)).state is State.OK
        assert {page.repo for page in themes().pages(weeks=True)} == {repo}


async def test_a_failed_night_is_told_once_and_the_pages_of_before_stay(
    tmp_path: Path, shop: RepoBuilder
) -> None:
    shop.now = int(time.time()) - HOUR
    shop.commit({"limits/store.py": "y = 2\n" * 30}, "Keep the limits in redis")
    async with night(tmp_path) as (here, memory):
        await take_in(here, memory, shop)
        [job] = await here.put(spec("synthesizer", lane=Lane.SCHEDULED))
        await here.until(job)
        pages = themes().pages(weeks=True)
        (locate().themes / ".git/HEAD").unlink()
        [job] = await here.put(spec("synthesizer", lane=Lane.SCHEDULED))
        ended = await here.until(job)
        assert ended.state is State.FAILED
        assert ended.reason.startswith("the night was not done: the history of themes is damaged")
        assert "rm -r" in ended.error["hint"]
        assert [each.id for each in here.troubled] == [job.id]
        assert themes().pages(weeks=True) == pages
