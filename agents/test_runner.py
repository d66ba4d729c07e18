"""The test runner: after a save it runs the tests that may depend on it, and says what broke."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..ingest.git.command import Git
from .contract import Assignment, Context, Nothing, Outcome
from .project_settings import ProjectSettings

if TYPE_CHECKING:
    from ..memory.memory import Memory
    from ..memory.work import Work

Started = Callable[[int, str, int], None]
"""Told of the leader of a process group that was started: its id, what it is, and the job."""


@dataclass(frozen=True, slots=True)
class Running:
    """How tests are run."""

    isolation: Literal["snapshot", "in_place"] = "snapshot"
    limit: float = 600.0
    """Seconds that the affected tests may take in all."""
    full_limit: float = 3_600.0
    """Seconds that all tests may take, at night."""


class TestRunner:
    """Subjects: affected (after a save), full (all tests, at night or on demand)."""

    __test__ = False  # not pytest's
    name = "test_runner"

    def __init__(
        self,
        work: Work,
        memory: Callable[[], Awaitable[Memory]],
        git_of: Callable[[str | None], Git | None],
        project: Callable[[Path], ProjectSettings],
        folder: Path,
        running: Running,
        *,
        started: Started = lambda pid, what, job: None,
    ) -> None:
        """``folder`` is ours, for snapshots and what frameworks keep. ``git_of`` returns a known
        repository's git without asking git. ``project`` reads its settings."""
        self._work = work
        self._memory = memory
        self._git_of = git_of
        self._project = project
        self._folder = folder
        self._running = running
        self._started = started

    async def handle(self, assignment: Assignment, context: Context) -> Outcome:
        """Run tests. Raise as the contract says."""
        return Nothing("not built yet")
