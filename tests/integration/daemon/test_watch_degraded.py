"""The file watch where it can't be had, or ends, or the repository does."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from watchdog.observers.inotify_c import InotifyConstants, InotifyEvent, WatchDescriptor

from hermes.agents.events import Committed, Event, RepoGone
from hermes.daemon.triggers.around import Timing
from hermes.daemon.triggers.reader import Reader
from hermes.daemon.triggers.watched import Watched
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.watching import Accepted, Remembered, told, watching

POLLING = Timing(quiet=0.1, longest=1.0, poll=0.2)


@pytest.fixture
def repo(tmp_path: Path) -> RepoBuilder:
    made = RepoBuilder(tmp_path / "shop")
    made.commit({"src/cart.py": "a = 1\n", "docs/intro.md": "Shop\n"})
    return made


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def watched(repo: RepoBuilder) -> Watched:
    return Watched("shop", repo.path, repo.path / ".git")


def reader() -> Reader:
    return next(thread for thread in threading.enumerate() if isinstance(thread, Reader))


def gone(events: Sequence[Event]) -> list[bool]:
    return [event.back for event in events if isinstance(event, RepoGone)]


@pytest.mark.parametrize("limit", [0, 1, 7])
async def test_past_the_limit_of_watches_it_polls_and_says_so_once(
    repo: RepoBuilder, state: Path, limit: int
) -> None:
    async with watching(watched(repo), folder=state, limit=limit, timing=POLLING) as w:
        assert w.watch.state()["state"] == "degraded"
        assert w.watch.state()["folders"] <= limit
        repo.write({"src/cart.py": "a = 2\n", "new/file.py": "1"})
        await w.accepted.paths("src/cart.py", "new/file.py")
        sha = repo.commit()
        events = await w.accepted.kinds("committed")
        assert [event.new for event in events if isinstance(event, Committed)] == [sha]
    assert [what for what, _ in w.said] == ["degraded"]
    assert "watch" in w.said[0][1]


async def test_it_comes_back_to_events_once_there_is_room(repo: RepoBuilder, state: Path) -> None:
    for number in range(20):
        repo.write({f"many/{number}/file.py": "1"})
    async with watching(watched(repo), folder=state, limit=25, timing=POLLING) as w:
        assert w.watch.state()["state"] == "degraded"
        shutil.rmtree(repo.path / "many")
        await w.well()
        assert w.watch.state()["polled"] == {}
        repo.write({"src/cart.py": "a = 2\n"})
        await w.accepted.paths("src/cart.py")
    assert [what for what, _ in w.said] == ["degraded", "recovered"]


async def test_a_reader_that_died_is_replaced(repo: RepoBuilder, state: Path) -> None:
    async with watching(watched(repo), folder=state) as w:
        reader().stop()
        await w.degraded()
        repo.write({"src/cart.py": "a = 2\n"})
        await w.well()
        await w.accepted.paths("src/cart.py")
        w.accepted.take()
        repo.write({"docs/intro.md": "More\n"})
        await w.accepted.paths("docs/intro.md")
    assert [what for what, _ in w.said] == ["degraded", "recovered"]


async def test_after_lost_events_everything_is_looked_at(repo: RepoBuilder, state: Path) -> None:
    async with watching(watched(repo), folder=state) as w:
        before = w.watch.state()["folders"]
        overflow = InotifyEvent(WatchDescriptor(-1), InotifyConstants.IN_Q_OVERFLOW, 0, b"")
        reader().handle_event(overflow)
        repo.write({"src/cart.py": "a = 2\n"})
        await w.accepted.paths("src/cart.py")
        await w.settled(repo.path / "probe")
        assert w.watch.state()["folders"] == before
    assert [what for what, _ in w.said] == ["rescan"]


async def test_a_repository_that_went_and_came_back_is_told_once_each(
    repo: RepoBuilder, tmp_path: Path, state: Path
) -> None:
    async with watching(watched(repo), folder=state) as w:
        repo.path.rename(tmp_path / "elsewhere")
        events = await w.accepted.kinds("repo_gone")
        assert gone(events) == [False]
        assert w.watch.state()["gone"] == ["shop"]
        w.accepted.take()
        moved = RepoBuilder(tmp_path / "elsewhere", existing=True)
        moved.write({"src/cart.py": "a = 2\n"})
        moved.path.rename(repo.path)
        await w.accepted.paths("src/cart.py")
        assert gone(w.accepted.take()) == [True]
        repo.write({"docs/intro.md": "More\n"})
        await w.accepted.paths("docs/intro.md")
        assert gone(w.accepted.events) == []


async def test_a_deleted_repository_is_told_once_also_over_a_restart(
    repo: RepoBuilder, state: Path
) -> None:
    values, accepted = Remembered(), Accepted()
    it = watched(repo)
    async with watching(it, folder=state, values=values, accepted=accepted) as w:
        shutil.rmtree(repo.path)
        assert gone(await w.accepted.kinds("repo_gone")) == [False]
        assert w.said == []
        w.accepted.take()
    async with watching(it, folder=state, values=values, accepted=accepted) as w:
        assert w.accepted.events == []
        RepoBuilder(repo.path).commit({"src/cart.py": "a = 9\n"})
        await w.accepted.kinds("repo_gone", "head_moved")
        assert gone(w.accepted.events) == [True]


async def test_a_folder_above_it_may_be_gone_too(tmp_path: Path, state: Path) -> None:
    repo = RepoBuilder(tmp_path / "work" / "deep" / "shop")
    repo.commit({"a": "1"})
    async with watching(watched(repo), folder=state) as w:
        (tmp_path / "work").rename(tmp_path / "play")
        w.watch.look_again()
        await w.accepted.kinds("repo_gone")
        (tmp_path / "play").rename(tmp_path / "work")
        await w.accepted.kinds("repo_gone", "repo_gone")
        assert gone(w.accepted.events) == [False, True]


async def test_another_repository_in_its_place_is_looked_at_anew(
    repo: RepoBuilder, tmp_path: Path, state: Path
) -> None:
    other = RepoBuilder(tmp_path / "other")
    other.commit({"src/cart.py": "b = 1\n", "more/file.py": "1"})
    async with watching(watched(repo), folder=state) as w:
        repo.path.rename(tmp_path / "away")
        other.path.rename(repo.path)
        await w.accepted.paths("more/file.py")
        w.accepted.take()
        repo.write({"more/file.py": "2"})
        await w.accepted.paths("more/file.py")
        assert told(w.accepted.events) == {"more/file.py"}


async def test_a_repository_that_git_can_not_read_is_said_and_does_not_spin(
    repo: RepoBuilder, state: Path
) -> None:
    async with watching(watched(repo), folder=state) as w:
        config = repo.path / ".git" / "config"
        good = config.read_text()
        config.write_text("[broken")
        repo.path.joinpath(".git", "refs", "heads", "x").write_text(repo_head(repo) + "\n")
        await w.degraded()
        config.write_text(good)
        w.watch.look_again()
        await w.well()


def repo_head(repo: RepoBuilder) -> str:
    return (repo.path / ".git" / "refs" / "heads" / "main").read_text().strip()
