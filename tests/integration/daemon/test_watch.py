"""The file watch on real trees and real git: what is told, and what is not."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from hermes.agents.events import FilesChanged
from hermes.daemon.triggers.watched import Watched
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.watching import watching


@pytest.fixture
def repo(tmp_path: Path) -> RepoBuilder:
    made = RepoBuilder(tmp_path / "shop")
    made.commit({"src/cart.py": "a = 1\n", "src/shop.py": "b = 1\n", "README.md": "Shop\n"})
    return made


def watched(repo: RepoBuilder) -> Watched:
    return Watched("shop", repo.path, repo.path / ".git")


async def test_a_saved_file_is_told_once(repo: RepoBuilder, tmp_path: Path) -> None:
    async with watching(watched(repo), folder=tmp_path / "state") as w:
        repo.write({"src/cart.py": "a = 2\n"})
        repo.write({"src/cart.py": "a = 3\n"})
        events = await w.settled(repo.path / "probe")
    assert [e.paths for e in events if isinstance(e, FilesChanged)] in (
        [("src/cart.py",)],
        [("probe", "src/cart.py")],
    )
