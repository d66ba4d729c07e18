"""The doc keeper: finds documents that a commit made wrong, and prepares what puts them right."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ..ingest.git.command import Git
from .contract import Assignment, Context, Nothing, Outcome
from .project_settings import ProjectSettings

if TYPE_CHECKING:
    from ..memory.memory import Memory
    from ..memory.work import Work


class DocKeeper:
    """Subjects: check (after a commit), scan (a whole repository)."""

    name = "doc_keeper"

    def __init__(
        self,
        work: Work,
        memory: Callable[[], Awaitable[Memory]],
        git_of: Callable[[str | None], Git | None],
        project: Callable[[Path], ProjectSettings],
    ) -> None:
        self._work = work
        self._memory = memory
        self._git_of = git_of
        self._project = project

    async def handle(self, assignment: Assignment, context: Context) -> Outcome:
        """Look for drift. Raise as the contract says."""
        return Nothing("not built yet")
