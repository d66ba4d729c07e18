"""Small real Python projects with a virtual environment, for tests that run tests."""

from __future__ import annotations

import asyncio
import os
import sys
import textwrap
import venv
from collections.abc import Iterable, Mapping
from pathlib import Path

from hermes.agents.testing import process, snapshot
from hermes.agents.testing.limits import Limits
from hermes.agents.testing.pytest_framework import Pytest
from hermes.agents.testing.records import Choice, Pick, Report, Tree
from hermes.ingest.git.command import Git
from hermes.tests.builders.git import RepoBuilder

ALL = Choice((), "asked", "all", whole=True)


class PythonProject:
    """A repository at ``path`` with a package, tests and, at ``.venv``, an environment that has
    what ours has."""

    def __init__(self, path: Path, files: Mapping[str, str], *, environment: bool = True) -> None:
        self.repo = RepoBuilder(path)
        self.path = path
        self.folder = path.parent / f"{path.name}-ours"
        self.write({".gitignore": ".venv/\n__pycache__/\n*.log\n", **files})
        self.repo.commit()
        if environment:
            self.site = make_environment(path / ".venv")
        self.git = Git.open(path)
        self.framework = Pytest()

    def write(self, files: Mapping[str, str]) -> None:
        """Write files, each text without its common indentation."""
        self.repo.write({name: textwrap.dedent(text) for name, text in files.items()})

    def tree(self) -> Tree:
        """Take a snapshot."""
        return snapshot.take(self.git, self.folder)

    def run(self, choice: Choice = ALL, *, tree: Tree | None = None, limit: float = 60.0) -> Report:
        """Run tests to the end, in a loop of its own."""
        return asyncio.run(self.run_in_loop(choice, tree=tree, limit=limit))

    async def run_in_loop(
        self,
        choice: Choice = ALL,
        *,
        tree: Tree | None = None,
        limit: float = 60.0,
        limits: Limits | None = None,
    ) -> Report:
        """Run tests as the test runner does."""
        if tree is None:
            tree = await asyncio.to_thread(self.tree)
        invocation = self.framework.invocation(tree, choice)
        ended = await process.run(invocation, limit=limit, started=lambda pid: None, limits=limits)
        return self.framework.read(tree, choice, ended)


def picked(*targets: str) -> Choice:
    """Return a choice of some tests."""
    return Choice(tuple(Pick(target, "a test of it") for target in targets), "asked", "some")


def make_environment(folder: Path, extra: Iterable[str] = ()) -> Path:
    """Make a virtual environment that sees our packages, without their import hooks; return its
    site-packages."""
    venv.create(folder, with_pip=False, symlinks=True)
    site = next(folder.glob("lib/python*/site-packages"))
    ours = [path for path in sys.path if path.endswith("site-packages")]
    (site / "ours.pth").write_text("\n".join([*extra, *ours, ""]))
    return site


def inodes(root: Path) -> dict[str, tuple[int, int, int, int]]:
    """Return inode, size, mode and time of change of everything below a folder, and its own."""
    found: dict[str, tuple[int, int, int, int]] = {}
    for folder, folders, files in os.walk(root):
        for name in (".", *folders, *files):
            status = os.lstat(os.path.join(folder, name))
            found[os.path.join(folder, name)] = (
                *(status.st_ino, status.st_size, status.st_mode, status.st_mtime_ns),
            )
    return found
