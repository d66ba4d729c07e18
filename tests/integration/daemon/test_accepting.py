"""A fix that is accepted: its message waits where the commit helper keeps its own."""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from hermes.agents.commit_helper import CommitHelper
from hermes.agents.commits.ready import Ready, worktrees_of
from hermes.agents.contract import Assignment, Lane, Nothing
from hermes.agents.documents.accept import Refused
from hermes.agents.documents.edits import digest, edits_of
from hermes.agents.project_settings import read_project
from hermes.daemon.accepting import accept
from hermes.ingest.git.command import Git
from hermes.memory.drift import Found, State
from hermes.memory.errors import HermesError
from hermes.memory.memory import Memory
from hermes.memory.work import Work
from hermes.tests.builders.around import Around
from hermes.tests.builders.git import RepoBuilder

TEXT = "# Shop\n\nUse `--fast` to be fast.\n"
FOUND = Found(
    document="README.md",
    thing="flag",
    name="--fast",
    tier="certain",
    reason="the option --fast in shop.py is --quick since 3f2a9c1",
    lines=(3,),
    texts=("Use `--fast` to be fast.",),
    keys=("k",),
    loose=("l",),
    rank=0,
    replacement="--quick",
    digest=digest(TEXT.encode()),
    edits=edits_of(TEXT, TEXT.replace("--fast", "--quick")),
    by="rule",
)


@pytest.fixture
def work(tmp_path: Path) -> Generator[Work]:
    work = Work(tmp_path / "work.db")
    yield work
    work.close()


@pytest.fixture
def shop(tmp_path: Path) -> RepoBuilder:
    shop = RepoBuilder(tmp_path / "shop")
    for number in range(12):
        shop.commit({"a.py": f"x = {number}\n"}, f"fix: count to {number}")
    shop.commit({"README.md": TEXT, "shop.py": "--quick\n"}, "feat: name it --quick")
    return shop


async def test_the_commit_helper_leaves_the_message_of_a_fix_alone(
    work: Work, shop: RepoBuilder, tmp_path: Path
) -> None:
    git = Git.open(shop.path)
    (number,) = work.proposals.put("r1", [FOUND], 1.0)
    done = accept(work, git, tmp_path / "drafts", work.proposals.get(number), None)
    assert done.message == "docs: rename --fast to --quick in README.md\n"
    assert not done.opens  # no hook was installed
    ready = Ready(tmp_path / "drafts", worktrees_of(git)[0])
    before = ready.file.read_bytes()
    assert before.endswith(b"\ndocs: rename --fast to --quick in README.md\n")

    async def memory() -> Memory:
        raise HermesError("there is none")

    helper = CommitHelper(work, memory, lambda repo: git, read_project, tmp_path / "drafts")
    asked = Assignment(1, "commit_helper", "", Lane.REACTIVE, "r1")
    assert await helper.handle(asked, Around()) == Nothing("the draft for this index is ready")
    assert ready.file.read_bytes() == before


def test_a_fix_goes_into_the_worktree_that_one_stands_in(
    work: Work, shop: RepoBuilder, tmp_path: Path
) -> None:
    shop.git("worktree", "add", "-q", str(tmp_path / "second"))
    (number,) = work.proposals.put("r1", [FOUND], 1.0)
    cwd = tmp_path / "second" / "docs"
    cwd.mkdir()
    git = Git.open(shop.path)
    done = accept(work, git, tmp_path / "drafts", work.proposals.get(number), str(cwd))
    assert done.worktree == str(tmp_path / "second")
    assert shop.git("status", "--porcelain") == ""
    second = RepoBuilder(tmp_path / "second", existing=True)
    assert second.git("status", "--porcelain") == "M  README.md"


def test_a_fix_for_a_commit_of_another_branch_is_refused(
    work: Work, shop: RepoBuilder, tmp_path: Path
) -> None:
    other = shop.commit({"b.py": "x = 1\n"}, "feat: go aside", branch="side")
    shop.switch("main")
    (number,) = work.proposals.put("r1", [replace(FOUND, commit=other)], 1.0)
    with pytest.raises(Refused, match="which the branch here does not have"):
        accept(work, Git.open(shop.path), tmp_path, work.proposals.get(number), None)
    assert shop.git("status", "--porcelain") == ""


@pytest.mark.parametrize("state", [State.GONE, State.ACCEPTED])
def test_what_is_over_is_not_accepted(work: Work, shop: RepoBuilder, state: State) -> None:
    (number,) = work.proposals.put("r1", [FOUND], 1.0)
    over = work.proposals.close(number, state, time.time(), "committed")
    with pytest.raises(Refused, match="D1 (is over|was accepted)"):
        accept(work, Git.open(shop.path), shop.path, over, None)


def test_the_message_of_a_fix_is_checked_as_any_other(
    work: Work, shop: RepoBuilder, tmp_path: Path
) -> None:
    # The change does not have what this finding names: no message that names it may stand.
    wrong = replace(FOUND, name="--slow", replacement="--turtle", reason="--slow is --turtle now")
    (number,) = work.proposals.put("r1", [wrong], 1.0)
    done = accept(work, Git.open(shop.path), tmp_path / "drafts", work.proposals.get(number), None)
    assert "--turtle in README.md" not in done.message
    assert "README.md" in done.message
