"""Whether a repository is where it was; said once when it goes, and once when it is back."""

from __future__ import annotations

import asyncio
import time

from ...agents.events import RepoGone
from .around import Around
from .aside import aside
from .inotify import Folder, LimitReached
from .watched import Watched

SOON = 0.5
"""Seconds after which a repository that seems gone is looked for: it may just be replaced."""


class Presence:
    """The presence of one repository. ``gone`` is whether its folders are not there."""

    def __init__(self, repo: Watched, around: Around) -> None:
        self.gone = False
        self._repo = repo
        self._around = around
        self._above: Folder | None = None

    def watches(self, folder: Folder) -> bool:
        """Return whether an event in a folder means that the repository may be back."""
        return folder is self._above

    async def look(self) -> None:
        """Look for it. Raise as accepting an event does; then what is to be said is said later."""
        heads, repo = self._around.heads, self._repo
        self.gone = await aside(repo.missing) is not None
        key = await asyncio.to_thread(heads.key_if_news, repo.id, self.gone)
        if key is not None:
            event = RepoGone(at=time.time(), source="watch", repo=repo.id, back=not self.gone)
            await self._around.accept(event, key)
            await asyncio.to_thread(heads.set_gone, repo.id, self.gone)

    async def wait(self, owner: object) -> float:
        """Watch for its return, for ``owner``; return after how many seconds to look for it in any case."""
        self.unwatch()
        missing = await aside(self._repo.missing)
        if missing is None:
            return SOON
        folder, name = missing
        if self._around.inotify is not None:
            try:
                self._above = self._around.inotify.add(
                    owner, str(folder), str(folder), names={name}, saves=False
                )
            except LimitReached:
                return self._around.timing.gone
        came = await aside((folder / name).exists)
        return SOON if came else self._around.timing.gone

    def unwatch(self) -> None:
        """Watch for its return no more."""
        if self._around.inotify is not None and self._above is not None:
            self._around.inotify.remove([self._above])
        self._above = None
