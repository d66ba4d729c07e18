"""Repositories and daemons for the tests of this folder."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from hermes.tests.builders.daemon import Daemon, running
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.shop import make_shop


@pytest.fixture
def shop(tmp_path: Path) -> RepoBuilder:
    """A small repository with something to find."""
    return make_shop(tmp_path / "shop")


@pytest.fixture
def big(tmp_path: Path) -> RepoBuilder:
    """A repository that takes a moment to read."""
    big = RepoBuilder(tmp_path / "big")
    big.many_commits(3_000, files=50)
    return big


@pytest.fixture
def daemon(home: Path) -> Generator[Daemon]:
    """A running daemon with an empty memory."""
    with running(home) as daemon:
        yield daemon
