"""What the file watch tells of real git at work."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from hermes.agents.events import Committed, Event, FilesChanged, HeadMoved, RefsMoved
from hermes.daemon.triggers.around import Timing
from hermes.daemon.triggers.watched import Watched
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.watching import Remembered, told, watching

NAMED = ("-c", "user.name=Sam", "-c", "user.email=sam@example.com")


@pytest.fixture
def repo(tmp_path: Path) -> RepoBuilder:
    """Main, and a topic of five commits that changes 300 files."""
    made = RepoBuilder(tmp_path / "shop")
    made.commit({f"src/{n % 10}/f{n}.py": "1\n" for n in range(300)} | {"a": "1\n"})
    for part in range(5):
        made.commit(
            {f"src/{n % 10}/f{n}.py": "2\n" for n in range(part * 60, part * 60 + 60)},
            branch="topic",
        )
    made.switch("main")
    made.commit({"a": "2\n"})
    return made


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def watched(repo: RepoBuilder) -> Watched:
    return Watched("shop", repo.path, repo.path / ".git")


def kinds(events: list[Event]) -> Counter[str]:
    return Counter(event.kind for event in events)


async def test_a_commit_is_told_without_its_files(repo: RepoBuilder, state: Path) -> None:
    async with watching(watched(repo), folder=state) as w:
        repo.write({"a": "3\n"})
        await w.accepted.paths("a")
        w.accepted.take()
        sha = repo.commit()
        events = await w.settled(repo.path / "probe")
        commits = [event for event in events if isinstance(event, Committed)]
        assert [commit.new for commit in commits] == [sha]
        assert told(events) <= {"probe"}


async def test_a_commit_is_hinted_at_before_it_is_told(repo: RepoBuilder, state: Path) -> None:
    unhurried = Timing(quiet=60.0, longest=60.0)
    async with watching(watched(repo), folder=state, timing=unhurried) as w:
        w.accepted.take()
        repo.write({"a": "3\n"})
        repo.git("add", "a")
        assert w.moved == []
        repo.commit()
        await w.stirred()
        assert w.accepted.take() == []


async def test_a_checkout_is_one_head_moved_and_its_files_ride_along(
    repo: RepoBuilder, state: Path
) -> None:
    main, topic = repo.head("main"), repo.head("topic")
    async with watching(watched(repo), folder=state) as w:
        for branch, old, new in (("topic", main, topic), ("main", topic, main)):
            repo.switch(branch)
            events = await w.settled(repo.path / "probe")
            assert kinds(events)["head_moved"] == 1
            moved = next(event for event in events if isinstance(event, HeadMoved))
            assert (moved.cause, moved.old, moved.new) == ("checkout", old, new)
            files = [e for e in events if isinstance(e, FilesChanged) and told([e]) != {"probe"}]
            assert len(files) == 1
            assert len(told(files) - {"probe"}) == 301
            assert events.index(moved) < events.index(files[0])


async def test_a_rebase_is_one_head_moved(repo: RepoBuilder, state: Path) -> None:
    repo.switch("topic")
    old = repo.head()
    async with watching(watched(repo), folder=state) as w:
        repo.git(*NAMED, "rebase", "--quiet", "main")
        events = await w.settled(repo.path / "probe")
        moved = [event for event in events if isinstance(event, HeadMoved | Committed)]
        assert [(m.cause, m.old, m.new) for m in moved] == [("rebase", old, repo.head())]
        assert kinds(events)["files_changed"] <= 1


async def test_a_stash_is_one_head_moved(repo: RepoBuilder, state: Path) -> None:
    async with watching(watched(repo), folder=state) as w:
        repo.write({"a": "dirty\n"})
        await w.accepted.paths("a")
        w.accepted.take()
        repo.git(*NAMED, "stash")
        events = await w.settled(repo.path / "probe")
        assert [e.cause for e in events if isinstance(e, HeadMoved)] == ["stash"]
        assert told(events) - {"probe"} == {"a"}


async def test_a_conflict_is_held_until_it_is_over(repo: RepoBuilder, state: Path) -> None:
    repo.commit({"a": "other\n"}, branch="rival")
    repo.switch("main")
    repo.commit({"a": "mine\n"})
    async with watching(watched(repo), folder=state) as w:
        with pytest.raises(AssertionError):
            repo.git(*NAMED, "merge", "rival")
        repo.write({"src/0/f0.py": "held\n"})
        repo.git("merge", "--abort")
        events = await w.settled(repo.path / "probe")
        assert kinds(events)["files_changed"] <= 1
        assert kinds(events)["committed"] == kinds(events)["head_moved"] == 0


async def test_collecting_garbage_tells_nothing(repo: RepoBuilder, state: Path) -> None:
    async with watching(watched(repo), folder=state) as w:
        repo.git("gc", "--quiet", "--prune=now")
        assert await w.settled(repo.path / "probe") == []
        repo.commit({"a": "3\n"})
        await w.accepted.kinds("committed")


async def test_staging_is_told_and_a_refreshed_index_is_not(repo: RepoBuilder, state: Path) -> None:
    async with watching(watched(repo), folder=state) as w:
        repo.write({"a": "3\n"})
        repo.git("add", "a")
        events = await w.settled(repo.path / "probe")
        assert kinds(events)["index_changed"] == 1
        repo.git("update-index", "--refresh")
        repo.git("status")
        assert await w.settled(repo.path / "probe") == []


async def test_new_branches_in_new_folders_and_fetches_are_told(
    repo: RepoBuilder, tmp_path: Path, state: Path
) -> None:
    copy = repo.clone(tmp_path / "copy")
    async with watching(watched(copy), folder=state) as w:
        copy.git("branch", "deep/er/one")
        events = await w.accepted.kinds("refs_moved")
        assert [e.refs for e in events if isinstance(e, RefsMoved)] == [("refs/heads/deep/er/one",)]
        w.accepted.take()
        copy.git("branch", "--force", "deep/er/one", "HEAD~1")
        await w.accepted.kinds("refs_moved")
        w.accepted.take()
        repo.commit({"a": "3\n"})
        copy.git("fetch", "--quiet")
        (event,) = await w.accepted.kinds("refs_moved")
        assert isinstance(event, RefsMoved)
        assert (event.cause, event.refs) == ("fetch", ("refs/remotes/origin/main",))


async def test_linked_worktrees_submodules_and_bare_repositories_are_watched(
    repo: RepoBuilder, tmp_path: Path, state: Path
) -> None:
    repo.git("worktree", "add", "--quiet", str(tmp_path / "linked"), "topic")
    linked = RepoBuilder(tmp_path / "linked", existing=True)
    outer = RepoBuilder(tmp_path / "outer")
    allowed = ("-c", "protocol.file.allow=always")
    outer.git(*allowed, "submodule", "--quiet", "add", str(repo.path), "sub")
    sub = RepoBuilder(outer.path / "sub", existing=True)
    bare = repo.clone(tmp_path / "bare.git", "--bare")
    all_of_them = (
        Watched("linked", linked.path, repo.path / ".git"),
        Watched("sub", sub.path, outer.path / ".git" / "modules" / "sub"),
        Watched("bare", None, bare.path),
    )
    async with watching(*all_of_them, folder=state) as w:
        linked.commit({"a": "linked\n"})
        sub.commit({"a": "sub\n"})
        repo.git("push", "--quiet", str(bare.path), "main~1:refs/heads/new")
        events = await w.accepted.kinds(
            *("committed", "committed", "refs_moved"), *("files_changed", "files_changed")
        )
        commits = {e.repo: e.branch for e in events if isinstance(e, Committed)}
        assert commits == {"linked": "topic", "sub": "main"}
        assert {e.repo for e in events if isinstance(e, RefsMoved)} >= {"bare"}
        assert told([e for e in events if e.repo in ("linked", "sub")]) == {"a"}


async def test_a_commit_made_while_nobody_watched_is_told_at_the_start(
    repo: RepoBuilder, state: Path
) -> None:
    values = Remembered()
    async with watching(watched(repo), folder=state, values=values):
        pass
    sha = repo.commit({"a": "3\n"})
    async with watching(watched(repo), folder=state, values=values) as w:
        commits = [event for event in w.accepted.events if isinstance(event, Committed)]
        assert [(commit.new, commit.source) for commit in commits] == [(sha, "rescan")]
