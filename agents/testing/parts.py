"""What the test runner stands on: trees, frameworks and processes, each behind a plain call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ...ingest.git.command import Git
from ..project_settings import ProjectSettings
from .framework import Framework
from .records import Ended, Invocation, Tree


class RunProcess(Protocol):
    """Runs a process to its end, and ends it with its whole group when it is cancelled."""

    async def __call__(
        self, invocation: Invocation, *, limit: float, started: Callable[[int], None]
    ) -> Ended:
        """Return how it ended, after ``limit`` seconds at the latest."""
        ...


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one test runner."""

    take: Callable[[Git, Path], Tree]
    """Makes a snapshot of a worktree in a folder of ours. In a thread."""
    in_place: Callable[[Git, Path], Tree]
    detect: Callable[[Tree, ProjectSettings], Sequence[Framework]]
    """Finds how a tree is tested; it runs nothing of it. In a thread."""
    run: RunProcess
