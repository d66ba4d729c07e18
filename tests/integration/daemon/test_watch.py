"""The file watch on real trees and real git: what is told, and what is not."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from hermes.agents.events import FilesChanged
from hermes.daemon.triggers.watched import Watched
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.watching import Watching, told, watching


@pytest.fixture
def repo(tmp_path: Path) -> RepoBuilder:
    made = RepoBuilder(tmp_path / "shop")
    made.commit(
        {
            "src/cart.py": "a = 1\n",
            "src/shop.py": "b = 1\n",
            "docs/en/intro.md": "Shop\n",
            ".gitignore": "node_modules/\n*.log\n",
        }
    )
    return made


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def watched(repo: RepoBuilder) -> Watched:
    return Watched("shop", repo.path, repo.path / ".git")


async def changed(w: Watching, repo: RepoBuilder) -> set[str]:
    """Wait until all that was done is told; return the paths, and nothing else may be told."""
    events = await w.settled(repo.path / "probe")
    assert {event.kind for event in events} <= {"files_changed"}
    return told(events) - {"probe"}


async def test_several_saves_of_a_file_are_told_once(repo: RepoBuilder, state: Path) -> None:
    async with watching(watched(repo), folder=state) as w:
        for number in range(20):
            repo.write({"src/cart.py": f"a = {number}\n"})
        events = await w.settled(repo.path / "probe")
    assert told(events) - {"probe"} == {"src/cart.py"}
    assert len(events) == 1


async def test_an_atomic_save_is_told_by_the_files_own_name(repo: RepoBuilder, state: Path) -> None:
    async with watching(watched(repo), folder=state) as w:
        repo.write({"src/.cart.py.tmp": "a = 2\n"})
        os.replace(repo.path / "src" / ".cart.py.tmp", repo.path / "src" / "cart.py")
        repo.write({"src/4913": ""})
        (repo.path / "src" / "4913").unlink()
        assert await changed(w, repo) == {"src/cart.py"}


async def test_made_renamed_and_removed_files_are_told(repo: RepoBuilder, state: Path) -> None:
    async with watching(watched(repo), folder=state) as w:
        repo.write({"new.py": "1"})
        (repo.path / "src" / "cart.py").rename(repo.path / "src" / "basket.py")
        (repo.path / "docs" / "en" / "intro.md").unlink()
        os.symlink("src", repo.path / "link")
        assert await changed(w, repo) == {
            *("new.py", "src/cart.py", "src/basket.py", "docs/en/intro.md", "link"),
        }


async def test_reading_or_touching_nothing_tells_nothing(repo: RepoBuilder, state: Path) -> None:
    async with watching(watched(repo), folder=state) as w:
        for path in repo.path.rglob("*.py"):
            path.read_text()
        repo.git("status")
        repo.git("diff")
        repo.git("log", "-p")
        os.close(os.open(repo.path / "src" / "cart.py", os.O_WRONLY))
        assert await changed(w, repo) == set()


async def test_what_is_made_in_new_folders_is_told_and_watched(
    repo: RepoBuilder, state: Path
) -> None:
    async with watching(watched(repo), folder=state) as w:
        repo.write({f"new/{n}/deep/er/file.py": "1" for n in range(20)})
        assert await changed(w, repo) == {f"new/{n}/deep/er/file.py" for n in range(20)}
        repo.write({"new/3/deep/er/file.py": "2"})
        assert await changed(w, repo) == {"new/3/deep/er/file.py"}


async def test_a_renamed_folder_is_watched_under_its_new_name(
    repo: RepoBuilder, state: Path
) -> None:
    async with watching(watched(repo), folder=state) as w:
        (repo.path / "docs").rename(repo.path / "pages")
        assert await changed(w, repo) == {"docs/en/intro.md", "pages/en/intro.md"}
        repo.write({"pages/en/intro.md": "More\n"})
        assert await changed(w, repo) == {"pages/en/intro.md"}
        folders = w.watch.state()["folders"]
        shutil.rmtree(repo.path / "pages")
        assert await changed(w, repo) == {"pages/en/intro.md"}
        assert w.watch.state()["folders"] == folders - 2


async def test_a_folder_swapped_for_another_is_seen_through(repo: RepoBuilder, state: Path) -> None:
    async with watching(watched(repo), folder=state) as w:
        repo.write({"fresh/cart.py": "new\n"})
        await changed(w, repo)
        (repo.path / "src").rename(repo.path / "old")
        (repo.path / "fresh").rename(repo.path / "src")
        repo.write({"src/cart.py": "newer\n", "old/shop.py": "older\n"})
        await changed(w, repo)
        repo.write({"src/cart.py": "newest\n", "old/shop.py": "oldest\n"})
        assert await changed(w, repo) == {"src/cart.py", "old/shop.py"}


async def test_ignored_folders_are_neither_watched_nor_told(repo: RepoBuilder, state: Path) -> None:
    repo.write({"node_modules/left/index.js": "1"})
    async with watching(watched(repo), folder=state) as w:
        folders = w.watch.state()["folders"]
        repo.write({"node_modules/right/deep/index.js": "1", "src/debug.log": "1"})
        repo.write({"web/node_modules/pad/index.js": "1", "web/page.js": "1"})
        assert await changed(w, repo) == {"web/page.js"}
        assert w.watch.state()["folders"] == folders + 1


async def test_new_rules_count_at_once(repo: RepoBuilder, state: Path) -> None:
    repo.write({"build/a.py": "1", "node_modules/b.js": "1"})
    async with watching(watched(repo), folder=state) as w:
        repo.write({".gitignore": "build/\n"})
        assert await changed(w, repo) == {".gitignore", "node_modules/b.js"}
        repo.write({"build/a.py": "2", "node_modules/b.js": "2"})
        assert await changed(w, repo) == {"node_modules/b.js"}
        repo.write({"src/.gitignore": "*.tmp\n", "src/x.tmp": "1"})
        assert await changed(w, repo) == {"src/.gitignore"}
        repo.write({".git/info/exclude": "docs/\n"})
        await changed(w, repo)
        repo.write({"docs/en/intro.md": "2"})
        assert await changed(w, repo) == set()


async def test_many_files_of_a_folder_are_told_by_the_folder(
    repo: RepoBuilder, state: Path
) -> None:
    async with watching(watched(repo), folder=state) as w:
        repo.write({f"gen/f{n}.py": "1" for n in range(500)})
        events = await w.settled(repo.path / "probe")
        files = [event for event in events if isinstance(event, FilesChanged)]
        assert {folder for event in files for folder in event.folders} == {"gen"}
        assert told(events) <= {"probe"}


async def test_a_mass_change_is_told_as_the_whole(repo: RepoBuilder, state: Path) -> None:
    async with watching(watched(repo), folder=state) as w:
        repo.write({f"gen/{n}/f{m}.py": "1" for n in range(30) for m in range(50)})
        events = await w.settled(repo.path / "probe")
        assert any(isinstance(event, FilesChanged) and event.whole for event in events)
        repo.write({"gen/7/f7.py": "2"})
        assert await changed(w, repo) == {"gen/7/f7.py"}


async def test_a_name_that_is_not_text_is_told_by_its_folder(
    repo: RepoBuilder, state: Path
) -> None:
    async with watching(watched(repo), folder=state) as w:
        repo.write({b"src/caf\xe9.py": b"1"})
        events = await w.settled(repo.path / "probe")
        assert {f for e in events if isinstance(e, FilesChanged) for f in e.folders} == {"src"}


async def test_a_repository_within_is_not_looked_into(repo: RepoBuilder, state: Path) -> None:
    inner = RepoBuilder(repo.path / "vendor" / "lib")
    inner.commit({"src/lib.py": "1"})
    async with watching(watched(repo), folder=state) as w:
        inner.commit({"src/lib.py": "2"})
        assert await changed(w, repo) == set()


async def test_folders_that_hermes_writes_to_are_not_watched(repo: RepoBuilder) -> None:
    home = repo.path / "home"
    async with watching(watched(repo), folder=home / "watch", own=[home]) as w:
        repo.write({"home/runtime.db": "1", "home/watch/other": "1"})
        assert await changed(w, repo) == set()


async def test_what_changed_while_nobody_watched_is_told_at_the_start(
    repo: RepoBuilder, state: Path
) -> None:
    async with watching(watched(repo), folder=state) as w:
        repo.write({"src/shop.py": "b = 2\n"})
        await changed(w, repo)
    repo.write({"src/cart.py": "a = 2\n", "new/file.py": "1"})
    (repo.path / "docs" / "en" / "intro.md").unlink()
    async with watching(watched(repo), folder=state) as w:
        (event,) = w.accepted.events
        assert isinstance(event, FilesChanged)
        assert event.source == "rescan"
        assert set(event.paths) == {"src/cart.py", "new/file.py", "docs/en/intro.md"}
        w.accepted.take()
        assert await changed(w, repo) == set()


async def test_a_snapshot_that_is_torn_means_anything_may_have_changed(
    repo: RepoBuilder, state: Path
) -> None:
    async with watching(watched(repo), folder=state):
        pass
    (state / "shop.snapshot").write_bytes(b"torn")
    async with watching(watched(repo), folder=state) as w:
        (event,) = w.accepted.events
        assert isinstance(event, FilesChanged)
        assert event.whole


async def test_nothing_is_written_while_nothing_changes(repo: RepoBuilder, state: Path) -> None:
    async with watching(watched(repo), folder=state):
        before = (state / "shop.snapshot").stat()
    async with watching(watched(repo), folder=state) as w:
        w.watch.look_again()
        assert await changed(w, repo) == set()
    async with watching(watched(repo), folder=state):
        pass
    after = (state / "shop.snapshot").stat()
    assert (after.st_mode & 0o777, after.st_size) == (0o600, before.st_size)


async def test_repositories_come_and_go(repo: RepoBuilder, tmp_path: Path, state: Path) -> None:
    other = RepoBuilder(tmp_path / "other")
    other.commit({"a.py": "1"})
    async with watching(watched(repo), folder=state) as w:
        folders = w.watch.state()["folders"]
        w.watch.set_repos([Watched("other", other.path, other.path / ".git")])
        await w.ready("other")
        other.write({"a.py": "2"})
        repo.write({"src/cart.py": "2"})
        await w.accepted.paths("a.py")
        assert {event.repo for event in w.accepted.take()} == {"other"}
        w.watch.set_repos([])
        await w.ready()
        assert w.watch.state()["folders"] == 0 < folders
        w.watch.forget("other")
        assert not (state / "other.snapshot").exists()


async def test_what_a_full_disk_refuses_is_kept_and_told_later(
    repo: RepoBuilder, state: Path
) -> None:
    async with watching(watched(repo), folder=state) as w:
        w.accepted.room = 0
        repo.write({"src/cart.py": "2"})
        await w.degraded()
        assert "the disk is full" in w.watch.state()["detail"]
        w.accepted.room = None
        assert await w.accepted.paths("src/cart.py")
        await w.well()
    assert [what for what, _ in w.said] == ["degraded", "recovered"]
