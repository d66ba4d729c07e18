"""The runtime with the real worker process: bulk work in its order, interrupted, killed, given up."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from hermes.agents.contract import Lane
from hermes.agents.events import FilesChanged, IndexChanged
from hermes.agents.indexer import Indexer
from hermes.agents.roster import CARDS
from hermes.daemon.ledger.records import Job, State
from hermes.daemon.opening import choose_embedder, open_memory
from hermes.daemon.paths import keep_cache, locate, make_private
from hermes.daemon.settings import load
from hermes.ingest.git.command import Git
from hermes.ingest.git.history import root_commit
from hermes.memory.memory import Memory
from hermes.tests.builders.daemon import lives, until
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.runtime import World, spec, world
from hermes.tests.builders.runtime import until as eventually
from hermes.tests.builders.shop import make_shop

COMMITS = 6_000


@pytest.fixture(autouse=True)
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    """No models; vectors from the bundled embedder."""
    monkeypatch.setenv("HERMES_AMBIENT_EMBEDDER__PROVIDER", "static")
    monkeypatch.setenv("HERMES_AMBIENT_MODELS__PROVIDER", "none")


@pytest.fixture
def shop(tmp_path: Path) -> RepoBuilder:
    """A small repository."""
    return make_shop(tmp_path / "shop")


@pytest.fixture
def big(tmp_path: Path) -> RepoBuilder:
    """A repository that takes a moment to read."""
    big = RepoBuilder(tmp_path / "big")
    big.many_commits(COMMITS, files=50)
    return big


class Library:
    """The memory as the daemon has it: open for reading, opened anew when it was rebuilt."""

    def __init__(self) -> None:
        self._open: Memory | None = None

    async def __call__(self) -> Memory:
        if self._open is None:
            paths = locate()
            settings = load(paths.config_file)
            keep_cache(paths)
            make_private(paths.memory)
            self._open = open_memory(paths, settings, choose_embedder(paths, settings).embedder)
        return self._open

    def forget(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None


@asynccontextmanager
async def indexing(tmp_path: Path, library: Library) -> AsyncGenerator[World]:
    indexer = Indexer(library, on_rebuilt=library.forget)
    async with world(tmp_path, indexer, cards=CARDS) as here:
        try:
            yield here
        finally:
            library.forget()


async def add(library: Library, repo: RepoBuilder) -> str:
    git = Git.open(repo.path)
    memory = await library()
    added = memory.index.add_repo(
        repo.path.name, str(git.common_dir), str(git.worktree), root_commit(git)
    )
    return added.id


async def settle(here: World) -> None:
    """Wait until nothing waits and nothing runs."""
    await eventually(lambda: not here.ledger.queue.find((State.QUEUED, State.RUNNING)))


async def started(here: World, job: Job) -> None:
    """Wait until a job has written its first batch."""
    events = here.runtime.watch(job.id)
    async for event in events:
        assert event["type"] == "progress", event
        if 0 < event["done"] < event["total"]:
            break
    await events.aclose()


def counts(memory: Memory, repo: str) -> Mapping[str, Any]:
    stats = memory.stats(repo)
    return {"commits": stats.commits, "missing": stats.vectors_total - stats.vectors}


async def test_a_commit_is_read_its_vectors_made_and_memory_tidied_up(
    tmp_path: Path, shop: RepoBuilder
) -> None:
    library = Library()
    async with indexing(tmp_path, library) as here:
        repo = await add(library, shop)
        [job] = await here.put(spec("indexer", "read", repo=repo))
        ended = await here.until(job)
        assert (ended.state, ended.reason) == (State.OK, "read 4 commits of shop")
        await settle(here)
        assert counts(await library(), repo) == {"commits": 4, "missing": 0}
        done = [job.subject for job in here.ledger.queue.find()][::-1]
        assert done == ["read", "vectors", "upkeep"]
        states = [job.state for job in here.ledger.queue.find()][::-1]
        assert states == [State.OK, State.OK, State.SILENT]  # so little needs no tidying up
        # Told of again, it costs a look at git, and nobody sees it.
        [job] = await here.put(spec("indexer", "read", repo=repo))
        assert (await here.until(job)).state is State.SILENT
        assert len(here.ledger.traces.of(ended.id)["read"]) == 2  # its two branches


async def test_a_rehearsal_says_what_it_would_do_and_does_nothing(
    tmp_path: Path, shop: RepoBuilder
) -> None:
    library = Library()
    async with indexing(tmp_path, library) as here:
        repo = await add(library, shop)
        [job] = await here.put(spec("indexer", "read", Lane.ON_DEMAND, repo=repo, dry_run=True))
        assert (await here.until(job)).reason == "would read 4 commits of shop"
        [job] = await here.put(spec("indexer", "rescan", Lane.ON_DEMAND, dry_run=True))
        assert (await here.until(job)).report == {"repos": [repo]}
        assert counts(await library(), repo)["commits"] == 0
        assert here.bulk.worker_pid is None
        assert len(here.ledger.queue.find()) == 2


async def test_a_rescan_has_read_what_was_missed(tmp_path: Path, shop: RepoBuilder) -> None:
    library = Library()
    async with indexing(tmp_path, library) as here:
        repo = await add(library, shop)
        await here.put(spec("indexer", "rescan"))
        await settle(here)
        assert counts(await library(), repo) == {"commits": 4, "missing": 0}
        [job] = await here.put(spec("indexer", "rescan"))
        ended = await here.until(job)
        assert (ended.state, ended.reason) == (State.SILENT, "all is current")


async def test_the_clock_does_not_read_what_was_added_just_now(
    tmp_path: Path, shop: RepoBuilder
) -> None:
    library = Library()
    async with indexing(tmp_path, library) as here:
        await add(library, shop)
        [job] = await here.put(spec("indexer", "rescan", Lane.SCHEDULED))
        assert (await here.until(job)).state is State.SILENT
        [job] = await here.put(spec("indexer", "rescan", Lane.ON_DEMAND, dry_run=True))
        assert (await here.until(job)).reason == "1 repository to be read"


async def test_a_killed_worker_is_replaced_and_its_job_goes_on(
    tmp_path: Path, big: RepoBuilder
) -> None:
    library = Library()
    async with indexing(tmp_path, library) as here:
        repo = await add(library, big)
        [job] = await here.put(spec("indexer", "read", Lane.ON_DEMAND, repo=repo))
        await started(here, job)
        assert here.bulk.worker_pid is not None
        os.kill(here.bulk.worker_pid, signal.SIGKILL)
        told = [event async for event in here.runtime.watch(job.id)]
        notices = [event["text"] for event in told if event["type"] == "notice"]
        assert notices == [
            "the worker ended unexpectedly (killed by SIGKILL); going on with a new one"
        ]
        assert told[-1]["type"] == "done"
        assert counts(await library(), repo)["commits"] == COMMITS


async def test_a_worker_that_dies_again_and_again_fails_its_job_with_a_hint(
    tmp_path: Path, shop: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\nif 'hermes.daemon.worker' in sys.orig_argv: os._exit(9)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    library = Library()
    async with indexing(tmp_path, library) as here:
        repo = await add(library, shop)
        [job] = await here.put(spec("indexer", "read", repo=repo))
        ended = await here.until(job)
        assert ended.state is State.FAILED
        assert ended.reason == "the worker ended unexpectedly (exit code 9)"
        assert (ended.error["code"], bool(ended.error["hint"])) == ("crashed", True)
        assert [job.id for job in here.troubled] == [job.id]


async def test_vectors_give_way_to_a_commit_and_go_on_afterwards(
    tmp_path: Path, big: RepoBuilder, shop: RepoBuilder
) -> None:
    library = Library()
    async with indexing(tmp_path, library) as here:
        first, second = await add(library, big), await add(library, shop)
        [job] = await here.put(spec("indexer", "read", repo=first))
        await here.until(job)
        [vectors] = here.ledger.queue.followups(job.id)
        await started(here, vectors)
        [job] = await here.put(spec("indexer", "read", repo=second))
        assert (await here.until(job)).state is State.OK
        assert here.ledger.queue.get(vectors.id).state is not State.OK
        assert ("job", "given_back") in here.journal("job")
        await settle(here)
        ended = here.ledger.queue.get(vectors.id)
        assert (ended.state, ended.attempts) == (State.OK, 1)
        assert counts(await library(), first) == {"commits": COMMITS, "missing": 0}


async def test_what_is_cancelled_stops_at_its_batch_and_the_next_is_done(
    tmp_path: Path, big: RepoBuilder, shop: RepoBuilder
) -> None:
    library = Library()
    async with indexing(tmp_path, library) as here:
        first, second = await add(library, big), await add(library, shop)
        [job] = await here.put(spec("indexer", "read", repo=first))
        await started(here, job)
        assert (await here.runtime.cancel(job.id)).state is State.CANCELLED
        [job] = await here.put(spec("indexer", "read", repo=second))
        assert (await here.until(job)).state is State.OK
        assert counts(await library(), first)["commits"] < COMMITS


async def test_a_daemon_that_stops_leaves_no_worker_and_the_next_goes_on(
    tmp_path: Path, big: RepoBuilder
) -> None:
    library = Library()
    async with indexing(tmp_path, library) as here:
        repo = await add(library, big)
        [job] = await here.put(spec("indexer", "read", repo=repo))
        await started(here, job)
        worker = here.bulk.worker_pid
        assert worker is not None
    until(lambda: lives(worker), lambda living: not living)
    library = Library()
    async with indexing(tmp_path, library) as here:
        assert (await here.until(job)).state is State.OK
        assert counts(await library(), repo)["commits"] == COMMITS


async def test_a_rebuilt_memory_is_opened_anew_and_read_again(
    tmp_path: Path, shop: RepoBuilder
) -> None:
    library = Library()
    async with indexing(tmp_path, library) as here:
        repo = await add(library, shop)
        await here.put(spec("indexer", "read", repo=repo))
        await settle(here)
        [job] = await here.put(spec("indexer", "rebuild", Lane.ON_DEMAND))
        assert (await here.until(job)).state is State.OK
        await settle(here)
        assert counts(await library(), repo) == {"commits": 4, "missing": 0}


async def test_a_repository_is_forgotten_and_what_waits_for_it_is_skipped(
    tmp_path: Path, shop: RepoBuilder
) -> None:
    library = Library()
    async with indexing(tmp_path, library) as here:
        repo = await add(library, shop)
        await here.put(spec("indexer", "read", repo=repo))
        await settle(here)
        [job] = await here.put(spec("indexer", "forget", Lane.ON_DEMAND, repo=repo))
        assert (await here.until(job)).state is State.OK
        [job] = await here.put(spec("indexer", "read", repo=repo))
        assert (await here.until(job)).state is State.SKIPPED
        assert (await library()).index.repos() == []


async def test_a_repository_whose_folder_is_gone_needs_the_user(
    tmp_path: Path, shop: RepoBuilder
) -> None:
    library = Library()
    async with indexing(tmp_path, library) as here:
        repo = await add(library, shop)
        shop.path.rename(tmp_path / "moved")
        [job] = await here.put(spec("indexer", "read", repo=repo))
        ended = await here.until(job)
        assert (ended.state, ended.error["code"]) == (State.BLOCKED_CONFIG, "path_missing")
        assert ended.error["hint"]


async def test_a_worker_that_hangs_when_told_to_stop_is_replaced(
    tmp_path: Path, shop: RepoBuilder, big: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes.daemon.bulk.STOP_SECONDS", 0.2)
    library = Library()
    async with indexing(tmp_path, library) as here:
        first, second = await add(library, big), await add(library, shop)
        [job] = await here.put(spec("indexer", "read", repo=first))
        await started(here, job)
        hung = here.bulk.worker_pid
        assert hung is not None
        os.kill(hung, signal.SIGSTOP)
        await here.runtime.cancel(job.id)
        [job] = await here.put(spec("indexer", "read", repo=second))
        assert (await here.until(job)).state is State.OK
        assert not lives(hung)


async def test_a_hint_of_a_commit_starts_a_worker_unless_paused(
    tmp_path: Path, shop: RepoBuilder
) -> None:
    library = Library()
    async with indexing(tmp_path, library) as here:
        await here.runtime.pause(None)
        here.runtime.foresee(IndexChanged(at=1.0, source="watch", repo="shop"))
        await here.runtime.resume()
        here.runtime.foresee(FilesChanged(at=1.0, source="watch", repo="shop"))
        await here.step()
        assert here.bulk.worker_pid is None
        here.runtime.foresee(IndexChanged(at=1.0, source="watch", repo="shop"))
        await eventually(lambda: here.bulk.worker_pid is not None)
        warm = here.bulk.worker_pid
        repo = await add(library, shop)
        [job] = await here.put(spec("indexer", "read", repo=repo))
        assert (await here.until(job)).state is State.OK
        assert here.bulk.worker_pid == warm


async def test_whom_a_person_waits_for_is_read_before_what_came_earlier(
    tmp_path: Path, shop: RepoBuilder, big: RepoBuilder
) -> None:
    library = Library()
    async with indexing(tmp_path, library) as here:
        other = make_shop(tmp_path / "other")
        first = await add(library, big)
        reactive, asked = await add(library, other), await add(library, shop)
        [running] = await here.put(spec("indexer", "read", repo=first))
        await started(here, running)
        [earlier] = await here.put(spec("indexer", "read", repo=reactive))
        await here.until(earlier, State.RUNNING)
        [later] = await here.put(spec("indexer", "read", Lane.ON_DEMAND, repo=asked))
        ended = [await here.until(job) for job in (running, earlier, later)]
        assert [job.state for job in ended] == [State.OK] * 3
        assert (ended[2].ended_at or 0) < (ended[1].ended_at or 0)
