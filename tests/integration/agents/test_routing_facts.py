"""What a commit did, as the router sees it, from real repositories."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes.agents.events import Cause, Committed
from hermes.agents.roster import CARDS
from hermes.agents.router import Router
from hermes.agents.routing_facts import Change, look_at
from hermes.ingest.git.command import Git
from hermes.ingest.git.errors import GitError
from hermes.tests.builders.git import RepoBuilder


def committed(new: str, old: str | None = None, cause: Cause = "commit") -> Committed:
    return Committed(at=1, source="hook", new=new, old=old, cause=cause)


@pytest.fixture
def repo(tmp_path: Path) -> RepoBuilder:
    repo = RepoBuilder(tmp_path / "shop")
    repo.write({"store/user.py": "a = 1\nb = 2\nc = 3\nd = 4\n", "old.py": "x\n", "ß c.py": "1\n"})
    repo.commit(message="Start")
    return repo


def look(repo: RepoBuilder, event: Committed) -> Change:
    change = look_at(Git.open(repo.path), event)
    assert change is not None
    return change


def test_the_first_commit_has_all_its_files(repo: RepoBuilder) -> None:
    change = look(repo, committed(repo.head()))
    assert change.message.strip() == "Start"
    assert sorted(change.paths) == ["old.py", "store/user.py", "ß c.py"]
    assert (change.added, change.removed, change.gone) == (6, 0, ())


def test_renames_and_deletions_are_gone_under_their_old_names(repo: RepoBuilder) -> None:
    repo.git("mv", "store/user.py", "store/account.py")
    repo.git("rm", "-q", "old.py")
    repo.write({"ß c.py": b"1\n2\n", "logo.bin": b"\0\1\2"})
    repo.commit(message="Rename\n\nwith a body")
    change = look(repo, committed(repo.head()))
    assert sorted(change.gone) == ["old.py", "store/user.py"]
    assert sorted(change.paths) == ["logo.bin", "old.py", "store/account.py", "ß c.py"]
    assert (change.added, change.removed) == (1, 1)


def test_several_commits_at_once_are_looked_at_together(repo: RepoBuilder) -> None:
    before = repo.head()
    for name in ("a.py", "b.py"):
        repo.write({name: "1\n"})
        repo.commit(message=f"Add {name}")
    change = look(repo, committed(repo.head(), before, "merge"))
    assert sorted(change.paths) == ["a.py", "b.py"]


def test_a_commit_that_is_not_there_is_a_git_error(repo: RepoBuilder) -> None:
    assert look_at(Git.open(repo.path), Committed(at=1, source="hook")) is None
    with pytest.raises(GitError):
        look_at(Git.open(repo.path), committed("f" * 40))


async def test_the_router_follows_what_git_tells(repo: RepoBuilder) -> None:
    repo.git("mv", "store/user.py", "store/account.py")
    repo.commit(message="Tidy the store")
    git = Git.open(repo.path)
    router = Router(look=lambda event: look_at(git, event))
    decision = await router.decide(committed(repo.head()), installed=CARDS)
    assert [route.agent for route in decision.routes] == ["indexer", "doc_keeper"]
    assert "store/user.py is not there any more" in decision.reason
