"""A memory on disk, with a repository in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes.memory.memory import Memory
from hermes.memory.records import Repo


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the memory lies."""
    return tmp_path / "memory"


@pytest.fixture
def memory(folder: Path) -> Iterator[Memory]:
    """An empty memory, open for writing, without an embedder."""
    with Memory.open(folder, embedder=None, write=True) as opened:
        yield opened


@pytest.fixture
def repo(memory: Memory) -> Repo:
    """A repository in it."""
    return memory.index.add_repo("shop", "/home/sam/shop/.git", "/home/sam/shop", "a" * 40)
