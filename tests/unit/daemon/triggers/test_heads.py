"""What a person did with real git, told apart by what it left behind."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes.agents.events import Committed, Event, HeadMoved, RefsMoved
from hermes.daemon.triggers.heads import Heads
from hermes.daemon.triggers.watched import Watched
from hermes.ingest.git.errors import GitError
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.watching import Accepted, Remembered

Act = Callable[[RepoBuilder], object]
NAMED = ("-c", "user.name=Sam", "-c", "user.email=sam@example.com")


@pytest.fixture
def repo(tmp_path: Path) -> RepoBuilder:
    """Two branches: main with a second commit to b, topic with two commits to c."""
    made = RepoBuilder(tmp_path / "shop")
    made.commit({"a": "1\n", "b": "1\n"})
    made.commit({"c": "1\n"}, branch="topic")
    made.commit({"c": "2\n"})
    made.switch("main")
    made.commit({"b": "2\n"})
    return made


@pytest.fixture
def heads() -> Heads:
    return Heads(Remembered(), clock=lambda: 1_000.0)


def watched(repo: RepoBuilder) -> Watched:
    return Watched("shop", repo.path, repo.path / ".git")


def brief(event: Event) -> tuple[str, str, str | None]:
    assert isinstance(event, Committed | HeadMoved)
    return event.kind, event.cause, event.branch


def amend(repo: RepoBuilder) -> None:
    repo.commit({"b": "3\n"}, amend=True)


def commit_twice(repo: RepoBuilder) -> None:
    repo.commit({"b": "3\n"})
    repo.commit({"b": "4\n"})


def rebase(repo: RepoBuilder) -> None:
    repo.switch("topic")
    repo.git(*NAMED, "rebase", "--quiet", "main")


def stash(repo: RepoBuilder) -> None:
    repo.write({"b": "dirty\n"})
    repo.git(*NAMED, "stash")


def commit_and_leave(repo: RepoBuilder) -> None:
    repo.commit({"b": "3\n"})
    repo.switch("topic")


DONE: list[tuple[Act, list[tuple[str, str, str | None]]]] = [
    (lambda repo: repo.commit({"b": "3\n"}), [("committed", "commit", "main")]),
    (commit_twice, [("committed", "commit", "main")]),
    (amend, [("committed", "amend", "main")]),
    (lambda repo: repo.merge("topic"), [("committed", "merge", "main")]),
    (lambda repo: repo.switch("topic"), [("head_moved", "checkout", "topic")]),
    (lambda repo: repo.switch("brand-new"), [("head_moved", "checkout", "brand-new")]),
    (
        lambda repo: repo.git("checkout", "--quiet", "HEAD~1"),
        [("head_moved", "checkout", None)],
    ),
    (rebase, [("head_moved", "checkout", "topic"), ("head_moved", "rebase", "topic")]),
    (
        lambda repo: repo.git("reset", "--quiet", "--hard", "HEAD~1"),
        [("head_moved", "reset", "main")],
    ),
    (stash, [("head_moved", "stash", "main")]),
    (
        lambda repo: repo.git(*NAMED, "cherry-pick", "topic~1"),
        [("committed", "commit", "main")],
    ),
    (
        lambda repo: repo.git(*NAMED, "revert", "--no-edit", "HEAD"),
        [("committed", "commit", "main")],
    ),
    (
        commit_and_leave,
        [("committed", "commit", "main"), ("head_moved", "checkout", "topic")],
    ),
    (lambda repo: repo.git("gc", "--quiet"), []),
    (lambda repo: repo.git("status"), []),
]


@pytest.mark.parametrize(("act", "told"), DONE)
def test_what_was_done_is_told(
    repo: RepoBuilder,
    heads: Heads,
    act: Act,
    told: list[tuple[str, str, str | None]],
) -> None:
    old = repo.head()
    assert heads.look(watched(repo)) == []
    act(repo)
    events = heads.look(watched(repo))
    assert [brief(event) for event in events] == told
    if events:
        first, last = events[0], events[-1]
        assert isinstance(first, Committed | HeadMoved)
        assert isinstance(last, Committed | HeadMoved)
        assert (first.old, last.new) == (old, repo.head())
    assert heads.look(watched(repo)) == []


def test_a_fast_forward_is_a_merge(repo: RepoBuilder, heads: Heads) -> None:
    repo.git("branch", "behind", "HEAD~1")
    repo.switch("behind")
    heads.look(watched(repo))
    repo.git("merge", "--quiet", "--ff-only", "main")
    assert [brief(e) for e in heads.look(watched(repo))] == [("committed", "merge", "behind")]


def test_the_first_commit_of_all_is_told(tmp_path: Path, heads: Heads) -> None:
    repo = RepoBuilder(tmp_path / "empty")
    assert heads.look(watched(repo)) == []
    sha = repo.commit({"a": "1"})
    assert heads.look(watched(repo)) == [
        Committed(at=1_000.0, source="watch", repo="shop", new=sha, branch="main")
    ]


def test_a_fetch_tells_which_refs_moved(repo: RepoBuilder, tmp_path: Path, heads: Heads) -> None:
    copy = repo.clone(tmp_path / "copy")
    heads.look(watched(copy))
    repo.commit({"b": "3\n"})
    repo.git("tag", "v1")
    copy.git("fetch", "--quiet")
    assert heads.look(watched(copy)) == [
        RefsMoved(
            at=1_000.0,
            source="watch",
            repo="shop",
            cause="fetch",
            refs=("refs/remotes/origin/main", "refs/tags/v1"),
        )
    ]


def test_a_push_into_a_bare_repository_is_a_commit(
    repo: RepoBuilder, tmp_path: Path, heads: Heads
) -> None:
    bare = repo.clone(tmp_path / "bare.git", "--bare")
    it = Watched("shop", None, bare.path)
    heads.look(it)
    repo.commit({"b": "3\n"})
    repo.git("push", "--quiet", str(bare.path), "main", "topic:new")
    commit, refs = heads.look(it, "hook")
    assert brief(commit) == ("committed", "commit", "main")
    assert isinstance(refs, RefsMoved)
    assert refs.refs == ("refs/heads/new",)


def test_a_linked_worktree_has_its_own_head(
    repo: RepoBuilder, tmp_path: Path, heads: Heads
) -> None:
    repo.git("worktree", "add", "--quiet", str(tmp_path / "linked"), "topic")
    linked = RepoBuilder(tmp_path / "linked", existing=True)
    here, there = watched(repo), Watched("linked", linked.path, repo.path / ".git")
    heads.look(here)
    heads.look(there)
    linked.commit({"c": "3\n"})
    assert [brief(e) for e in heads.look(there)] == [("committed", "commit", "topic")]
    (moved,) = heads.look(here)
    assert isinstance(moved, RefsMoved)
    assert moved.refs == ("refs/heads/topic",)


def test_without_a_reflog_ancestry_tells(repo: RepoBuilder, heads: Heads) -> None:
    heads.look(watched(repo))
    repo.commit({"b": "3\n"})
    shutil.rmtree(repo.path / ".git" / "logs")
    assert [brief(e) for e in heads.look(watched(repo))] == [("committed", "commit", "main")]
    repo.git("update-ref", "refs/heads/main", "HEAD~2")
    shutil.rmtree(repo.path / ".git" / "logs", ignore_errors=True)
    assert [brief(e) for e in heads.look(watched(repo))] == [("head_moved", "unknown", "main")]


async def test_what_was_not_all_written_down_is_told_again_under_the_same_keys(
    repo: RepoBuilder, heads: Heads
) -> None:
    accepted = Accepted()
    await heads.tell(watched(repo), accepted.accept)
    repo.commit({"b": "3\n"})
    repo.switch("topic")
    accepted.room = 1
    with pytest.raises(OSError, match="full"):
        await heads.tell(watched(repo), accepted.accept)
    accepted.room = None
    await heads.tell(watched(repo), accepted.accept)
    committed, moved = accepted.keys[0], accepted.keys[1]
    assert accepted.keys == [committed, moved, committed, moved]
    assert [event.kind for event in accepted.events] == ["committed", "head_moved"]


def test_staging_is_told_apart_from_a_refreshed_index(repo: RepoBuilder, heads: Heads) -> None:
    assert not heads.index_changed(watched(repo))
    (repo.path / "a").touch()
    repo.git("update-index", "--refresh")
    assert not heads.index_changed(watched(repo))
    repo.write({"a": "2\n"})
    repo.git("add", "a")
    assert heads.index_changed(watched(repo))
    repo.git("reset", "--quiet")
    assert heads.index_changed(watched(repo))
    assert not heads.index_changed(watched(repo))


def test_staging_in_a_linked_worktree_is_news(
    repo: RepoBuilder, heads: Heads, tmp_path: Path
) -> None:
    repo.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    linked = RepoBuilder(tmp_path / "linked", existing=True)
    assert not heads.index_changed(watched(repo))
    linked.write({"a": "2\n"})
    linked.git("add", "a")
    assert heads.index_changed(watched(repo))
    assert not heads.index_changed(watched(repo))
    shutil.rmtree(linked.path)
    assert heads.index_changed(watched(repo))


def test_a_repository_that_is_gone_is_an_error(repo: RepoBuilder, heads: Heads) -> None:
    heads.look(watched(repo))
    shutil.rmtree(repo.path)
    with pytest.raises(GitError):
        heads.look(watched(repo))


def test_a_forgotten_repository_is_looked_at_as_if_for_the_first_time(
    repo: RepoBuilder, heads: Heads
) -> None:
    heads.look(watched(repo))
    repo.commit({"b": "3\n"})
    heads.forget("shop")
    assert heads.look(watched(repo)) == []
