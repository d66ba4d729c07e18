"""What git is in the middle of, as real git leaves it on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes.daemon.triggers.busy import mid_operation
from hermes.tests.builders.git import RepoBuilder


@pytest.fixture
def torn(tmp_path: Path) -> RepoBuilder:
    """A repository whose branches main and other change the same line."""
    repo = RepoBuilder(tmp_path / "shop")
    repo.commit({"a": "1\n"})
    repo.commit({"a": "2\n"}, branch="other")
    repo.switch("main")
    repo.commit({"a": "3\n"})
    return repo


@pytest.mark.parametrize(
    ("command", "operation"),
    [
        (["merge", "other"], "merge"),
        (["rebase", "other"], "rebase"),
        (["rebase", "--apply", "other"], "rebase"),
        (["cherry-pick", "other"], "cherry-pick"),
        (["revert", "HEAD~1"], "revert"),
    ],
)
def test_a_conflict_leaves_git_in_the_middle(
    torn: RepoBuilder, command: list[str], operation: str
) -> None:
    git_dir = torn.path / ".git"
    assert mid_operation(git_dir) is None
    with pytest.raises(AssertionError):
        torn.git("-c", "user.name=x", "-c", "user.email=x@example.com", *command)
    assert mid_operation(git_dir) == operation
    torn.git(command[0], "--abort")
    assert mid_operation(git_dir) is None


def test_bisecting_and_a_locked_index_are_seen(torn: RepoBuilder) -> None:
    git_dir = torn.path / ".git"
    torn.git("bisect", "start")
    assert mid_operation(git_dir) == "bisect"
    torn.git("bisect", "reset")
    (git_dir / "index.lock").touch()
    assert mid_operation(git_dir) == "index.lock"


def test_a_linked_worktree_has_its_own_operations(torn: RepoBuilder, tmp_path: Path) -> None:
    torn.git("worktree", "add", "--quiet", str(tmp_path / "linked"), "other")
    linked = RepoBuilder(tmp_path / "linked", existing=True)
    with pytest.raises(AssertionError):
        linked.git("-c", "user.name=x", "-c", "user.email=x@example.com", "merge", "main")
    common = torn.path / ".git"
    assert mid_operation(common, common / "worktrees" / "linked") == "merge"
    assert mid_operation(common, common) is None
