"""The standup: has the morning's brief written before the first shell of the day asks for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..ingest.git.command import Git
from .brief.calendar import Calendar
from .brief.records import Fact
from .contract import Assignment, Context, Nothing, Outcome

if TYPE_CHECKING:
    from ..memory.memory import Memory
    from ..memory.work import Work


class Standup:
    """Composes the brief and puts it where shells find it."""

    name = "standup"

    def __init__(
        self,
        work: Work,
        memory: Callable[[], Awaitable[Memory]],
        git_of: Callable[[str | None], Git | None],
        at_night: Callable[[], Sequence[Fact]],
        folder: Path,
        calendar: Calendar,
        *,
        names: Sequence[str] = (),
        emails: Sequence[str] = (),
        lines: int = 15,
    ) -> None:
        """``at_night`` returns what attention holds for the brief: findings, failed jobs. ``folder``
        is where shells look. ``names`` and ``emails``: the person's own, besides git's."""
        self._work = work
        self._memory = memory
        self._git_of = git_of
        self._at_night = at_night
        self._folder = folder
        self._calendar = calendar
        self._names = tuple(names)
        self._emails = tuple(emails)
        self._lines = lines

    async def handle(self, assignment: Assignment, context: Context) -> Outcome:
        """Compose. Raise as the contract says."""
        return Nothing("not built yet")
