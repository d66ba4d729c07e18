"""The commit helper: has the message written before `git commit` asks for it."""

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


class CommitHelper:
    """Drafts the message for what is staged, and puts it where the git hook finds it."""

    name = "commit_helper"

    def __init__(
        self,
        work: Work,
        memory: Callable[[], Awaitable[Memory]],
        git_of: Callable[[str | None], Git | None],
        project: Callable[[Path], ProjectSettings],
        folder: Path,
        *,
        wait: float = 0.0,
    ) -> None:
        """``folder`` is where the hook looks for drafts; ``wait``: seconds that it may wait for
        one."""
        self._work = work
        self._memory = memory
        self._git_of = git_of
        self._project = project
        self._folder = folder
        self._wait = wait

    async def handle(self, assignment: Assignment, context: Context) -> Outcome:
        """Draft. Raise as the contract says."""
        return Nothing("not built yet")
