"""Memory follows history: what is new, what was rewritten, what came back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hermes.ingest.git.command import Git
from hermes.ingest.git.errors import GitError
from hermes.ingest.git.history import commits_of, heads, plan, root_commit
from hermes.memory.records import Filters
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.ingested import Ingested


@pytest.fixture
def repo(tmp_path: Path) -> RepoBuilder:
    repo = RepoBuilder(tmp_path / "shop")
    for number in range(3):
        repo.commit({"a.txt": f"{number}\n"}, f"Change {number}")
    return repo


def test_only_what_is_new_is_read(repo: RepoBuilder, tmp_path: Path) -> None:
    with Ingested(tmp_path / "home", repo.path) as memory:
        assert memory.run().new_commits == 3
        assert memory.run().new_commits == 0
        new = repo.commit({"a.txt": "new\n"}, "One more")
        report = memory.run()
        assert (report.new_commits, report.chunks) == (1, 2)
        assert memory.known == set(repo.shas())
        assert memory.message(new).text == "One more"


def test_every_local_branch_is_followed_and_no_remote_one(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    side = repo.commit({"b.txt": "1\n"}, "On the side", branch="side")
    clone = repo.clone(tmp_path / "clone", "--branch=main")
    assert list(heads(Git.open(clone.path))) == ["refs/heads/main"]
    with Ingested(tmp_path / "home", repo.path) as memory:
        report = memory.run()
        assert report.branches == 2
        assert side in memory.known
    with Ingested(tmp_path / "other", clone.path) as memory:
        memory.run()
        assert side not in memory.known


def test_the_detached_head_of_any_worktree_is_followed(repo: RepoBuilder, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "second"))
    second = RepoBuilder(tmp_path / "second", existing=True)
    loose = second.commit({"b.txt": "1\n"}, "On no branch")
    assert heads(Git.open(repo.path)) == {
        "refs/heads/main": repo.head("main"),
        f"HEAD@{tmp_path / 'second'}": loose,
    }
    with Ingested(tmp_path / "home", repo.path) as memory:
        memory.run()
        assert loose in memory.known
        # The same repository, seen from its other worktree.
        assert Git.open(second.path).common_dir == Git.open(repo.path).common_dir
        shutil.rmtree(second.path)
        assert memory.run().orphaned == 1
        assert loose not in memory.known


def test_an_amended_commit_is_no_longer_cited(repo: RepoBuilder, tmp_path: Path) -> None:
    old = repo.commit({"a.txt": "x\n"}, "Tpyo in the subject")
    with Ingested(tmp_path / "home", repo.path) as memory:
        memory.run()
        new = repo.commit({"a.txt": "y\n"}, "Typo in the subject", amend=True)
        report = memory.run()
        assert (report.new_commits, report.orphaned) == (1, 1)
        assert memory.known == set(repo.shas())
        assert memory.message(new).text == "Typo in the subject"
        assert memory.memory.store.count_chunks(Filters(refs=frozenset({old}))) == 0


def test_a_rebased_branch_replaces_its_former_self(repo: RepoBuilder, tmp_path: Path) -> None:
    repo.commit({"b.txt": "1\n"}, "Topic one", branch="topic")
    repo.commit({"c.txt": "1\n"}, "Topic two")
    repo.switch("main")
    repo.commit({"a.txt": "ahead\n"}, "Main moves on")
    before = set(repo.shas())
    with Ingested(tmp_path / "home", repo.path) as memory:
        memory.run()
        who = {"GIT_COMMITTER_NAME": "Sam Doe", "GIT_COMMITTER_EMAIL": "sam@example.com"}
        repo.git("rebase", "-q", "main", "topic", environment=who)
        report = memory.run()
        assert (report.new_commits, report.orphaned) == (2, 2)
        assert memory.known == set(repo.shas())
        assert memory.known != before


def test_a_deleted_branch_is_forgotten_and_read_again_when_it_returns(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    lost = repo.commit({"b.txt": "1\n"}, "On the side", branch="side")
    repo.switch("main")
    with Ingested(tmp_path / "home", repo.path) as memory:
        memory.run()
        repo.git("branch", "-D", "side")
        assert memory.run().orphaned == 1
        assert lost not in memory.known
        repo.git("branch", "side", lost)
        report = memory.run()
        assert (report.new_commits, report.orphaned) == (1, 0)
        assert memory.message(lost).text == "On the side"


def test_a_deleted_branch_whose_commits_were_collected_is_forgotten(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    lost = repo.commit({"b.txt": "1\n"}, "On the side", branch="side")
    repo.switch("main")
    with Ingested(tmp_path / "home", repo.path) as memory:
        memory.run()
        repo.git("branch", "-D", "side")
        repo.git("reflog", "expire", "--expire=now", "--all")
        repo.git("gc", "-q", "--prune=now")
        repo.commit({"a.txt": "further\n"}, "Further")
        report = memory.run()
        assert (report.new_commits, report.orphaned) == (1, 1)
        assert lost not in memory.known
        assert memory.known == set(repo.shas())


def test_a_run_that_was_stopped_is_carried_on_by_the_next(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    repo.many_commits(400)
    everything = repo.shas()
    with Ingested(tmp_path / "home", repo.path) as memory:
        first = memory.run(should_stop=lambda: True)
        assert first.stopped
        assert first.new_commits == 50
        assert memory.known == set(everything[:50])  # the newest come first
        assert memory.memory.index.tips(memory.repo.id) == {}
        second = memory.run()
        assert not second.stopped
        assert second.new_commits == len(everything) - 50
        assert memory.known == set(everything)
        assert [(step.done, step.total) for step in memory.progress[:2]] == [
            (0, len(everything)),
            (50, len(everything)),
        ]
        assert (memory.progress[-1].done, memory.progress[-1].total) == (353, 353)


def test_a_memory_to_be_read_again_that_was_stopped_halfway_is_carried_on(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    repo.many_commits(200)
    with Ingested(tmp_path / "home", repo.path) as memory:
        memory.run()
        memory.memory.store.delete_refs(memory.repo.id, memory.known)
        memory.memory.index.mark_all_unread()
        assert memory.run(should_stop=lambda: True).new_commits == 50
        assert memory.run().new_commits == 153
        assert memory.known == set(repo.shas())


def test_a_repository_without_commits_gives_an_empty_report(tmp_path: Path) -> None:
    empty = RepoBuilder(tmp_path / "empty")
    with Ingested(tmp_path / "home", empty.path) as memory:
        report = memory.run()
        assert (report.new_commits, report.branches, report.notes) == (0, 0, ())
        assert root_commit(Git.open(empty.path)) is None
        first = empty.commit({"a": "1\n"}, "First")
        assert memory.run().new_commits == 1
        assert root_commit(Git.open(empty.path)) == first


def test_a_sha256_repository_is_read_like_any_other(tmp_path: Path) -> None:
    wide = RepoBuilder(tmp_path / "wide", object_format="sha256")
    sha = wide.commit({"a.txt": b"1\n", "b.bin": b"\0\1"}, "Wide")
    assert len(sha) == 64
    with Ingested(tmp_path / "home", wide.path) as memory:
        memory.run()
        assert memory.context(sha, "a.txt").text.endswith("+1")
        assert memory.context(sha, "b.bin").text == "b.bin: binary file added, 2 bytes"


def test_a_bare_repository_reads_its_rules_from_head(repo: RepoBuilder, tmp_path: Path) -> None:
    sha = repo.commit({".hermesignore": "*.log\n", "x.log": "noise\n"}, "Noise")
    bare = repo.clone(tmp_path / "shop.git", "--bare")
    with Ingested(tmp_path / "home", bare.path) as memory:
        memory.run()
        assert memory.context(sha, "x.log").text == "x.log: excluded file added, +1 -0 lines"


def test_a_branch_names_its_commits(repo: RepoBuilder) -> None:
    repo.git("tag", "v1", "main~1")
    side = repo.commit({"b.txt": "1\n"}, "On the side", branch="side")
    git = Git.open(repo.path)
    assert commits_of(git, "main") == set(repo.shas("main"))
    assert commits_of(git, "side") == {side, *repo.shas("main")}
    assert commits_of(git, "v1") == set(repo.shas("main~1"))
    for wrong in ("no-such-branch", "--all", "-h", ""):
        with pytest.raises(GitError, match="has no branch"):
            commits_of(git, wrong)


def test_nothing_moved_costs_no_walk(repo: RepoBuilder) -> None:
    git = Git.open(repo.path)
    first = plan(git, set(), {})
    assert first.unread == tuple(repo.shas())
    again = plan(git, set(first.unread), first.heads)
    assert (again.unread, again.orphaned, again.complete_walk) == ((), frozenset(), False)
