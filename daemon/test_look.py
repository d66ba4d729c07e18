"""A cheap look at how a repository is tested: it reads files and runs nothing of them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from ..agents.contract import Misconfigured
from ..agents.project_settings import read_project
from ..agents.testing.records import Tree
from .host import Host


@dataclass(frozen=True, slots=True)
class Look:
    """What tests there are."""

    frameworks: tuple[str, ...]
    """Names of those by which tests could be run; none where there are no tests."""
    problem: str = ""
    """One line: what keeps them from being run; empty if nothing is known to."""


async def look(host: Host, repo: str, worktree: Path) -> Look:
    """Look at a repository's worktree."""
    return await asyncio.to_thread(_look, worktree, host.paths.testing / repo)


def _look(worktree: Path, scratch: Path) -> Look:
    from ..agents.testing.frameworks import detect  # heavy: not before it is wanted

    try:
        project = read_project(worktree)
    except Misconfigured as error:
        return Look((), error.message)
    if not project.tests.enabled:
        return Look((), "the repository's .hermes.toml has tests turned off")
    tree = Tree(worktree, worktree, scratch)
    return Look(tuple(framework.name for framework in detect(tree, project)))
