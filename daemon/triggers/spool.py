"""The spool folder as a trigger: what git hooks and scripts drop there becomes events.

A file is deleted only after its event is on disk. One that can't be understood is set aside with
the reason; one of a repository that is not in memory is dropped, which the journal says once.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from ...agents.events import Event
from ...memory.errors import HermesError
from .drops import Drop, Malformed
from .spool_folder import SpoolFolder, Taken

BATCH = 64
"""Files in hand at once: 4 MB at most."""
FIRST_DELAY = 5.0
"""Seconds after which a disk that refused is tried again for the first time."""
LONGEST_DELAY = 60.0
RESCAN = 600.0
"""Seconds after which the folder is looked at even if nothing was heard of it."""
POLL = 10.0
"""The same where it can't be watched."""
MOST_TRIES = 3
"""Times a file may make this service fail before it is set aside."""
MOST_STRANGERS = 1_000
"""Unknown repositories that are remembered as said."""

logger = logging.getLogger(__name__)

Accept = Callable[[Event, str | None], Awaitable[int]]
Refuse = Callable[[str, str], Awaitable[None]]
RepoOf = Callable[[str, str], str | None]


class Spool:
    """Drains ``<state>/spool``.

    ``accept`` puts an event on disk under a key; HermesError means that it can't right now.
    ``refuse`` writes a name and a reason into the journal. ``repo_of`` finds a repository's id by
    a git directory (may be empty) and a folder; None if it is not in memory.
    """

    name = "spool"

    def __init__(self, accept: Accept, folder: Path, *, refuse: Refuse, repo_of: RepoOf) -> None:
        self._accept = accept
        self._refuse = refuse
        self._repo_of = repo_of
        self._folder = SpoolFolder(folder)
        self._watch = _FolderWatch(folder)
        self._strangers: dict[str, None] = {}
        self._tries: dict[str, int] = {}
        self._inode = 0
        self._trouble = ""
        self._delay = FIRST_DELAY
        self._last: float | None = None
        self._accepted = 0
        self._set_aside = 0

    def state(self) -> dict[str, Any]:
        """Return how it goes, for status."""
        detail = self._trouble or self._watch.trouble
        return {
            "name": self.name,
            "state": "degraded" if detail else "ok",
            "detail": detail,
            "last": self._last,
            "accepted": self._accepted,
            "refused": self._set_aside,
        }

    async def serve(self) -> None:
        """Drain the folder now, and whenever something comes, until cancelled."""
        try:
            while True:
                self._watch.heard.clear()
                wait = await self.step(time.time())
                if self._trouble:
                    await asyncio.sleep(wait)  # what comes meanwhile would be refused as well
                elif not self._watch.stands(self._inode):
                    self._watch.start(self._inode)  # and look again, at what came before it stood
                elif wait > 0:
                    await self._watch.wait(wait)
        finally:
            self._watch.close()

    async def step(self, now: float) -> float:
        """Take up one batch; return the seconds until the next is due, 0 for at once."""
        try:
            # Hooks do nothing without the folder, so it is made again when it was removed.
            inode = await asyncio.to_thread(self._folder.inode)
            if inode is None:
                inode = await asyncio.to_thread(self._folder.make)
            self._inode = inode
            haul = await asyncio.to_thread(self._folder.haul, BATCH, now)
            for name, reason in haul.refused:
                await self._say_refused(name, reason)
            await self._take_up(haul.taken, now)
        except HermesError as error:
            return self._refused_by_disk(error)
        if self._trouble:
            logger.info("the spool folder is being drained again")
        self._trouble, self._delay = "", FIRST_DELAY
        if haul.more:
            return 0.0
        soon = RESCAN if not self._watch.trouble else POLL
        return soon if haul.later is None else min(soon, max(0.1, haul.later - now))

    async def _take_up(self, batch: list[Taken], now: float) -> None:
        done: list[Taken] = []
        try:
            for taken in batch:
                if await self._take_up_one(taken, now):
                    done.append(taken)
                await asyncio.sleep(0)
        finally:
            # Also when the next one was refused. After a kill here each is accepted again under
            # its key, which changes nothing.
            if done:
                await asyncio.shield(asyncio.to_thread(self._folder.finish, done))

    async def _take_up_one(self, taken: Taken, now: float) -> bool:
        """Return whether the file is done with and can be deleted."""
        drop = taken.drop
        repo = await asyncio.to_thread(self._find, drop) if drop.cwd else None
        if drop.source == "hook" and repo is None:
            await self._say_stranger(taken, drop.git_dir or drop.cwd)
            return True
        try:
            if self._tries.get(taken.key, 0) >= MOST_TRIES:
                raise Malformed("hermes fails on it, which the log says more about")
            if drop.cwd and repo is None:
                raise Malformed(f"no repository in memory is at {drop.cwd}")
            event = drop.event(repo, min(taken.at, now))
        except Malformed as error:
            await asyncio.to_thread(self._folder.refuse, taken.path, taken.name, str(error))
            await self._say_refused(taken.name, str(error))
            return False
        self._tries[taken.key] = self._tries.get(taken.key, 0) + 1
        try:
            await self._accept(event, taken.key)
        except HermesError:
            self._tries.clear()  # the disk's fault, not the file's
            raise
        self._tries.clear()
        self._last = now
        self._accepted += 1
        return True

    def _find(self, drop: Drop) -> str | None:
        try:
            return self._repo_of(drop.git_dir, drop.cwd)
        except OSError as error:
            logger.info("%s can't be looked at: %s", _printable(drop.cwd), error.strerror)
            return None

    async def _say_stranger(self, taken: Taken, place: str) -> None:
        if place in self._strangers:
            return
        if len(self._strangers) >= MOST_STRANGERS:
            del self._strangers[next(iter(self._strangers))]
        self._strangers[place] = None
        await self._refuse(
            _printable(taken.name), f"no repository in memory is at {_printable(place)}"
        )

    async def _say_refused(self, name: str, reason: str) -> None:
        self._set_aside += 1
        await self._refuse(_printable(name), _printable(reason))

    def _refused_by_disk(self, error: HermesError) -> float:
        self._folder.start_over()
        if not self._trouble:
            logger.warning("the spool folder waits: %s", error.message)
        self._trouble = error.message
        wait, self._delay = self._delay, min(2 * self._delay, LONGEST_DELAY)
        return wait


class _FolderWatch(FileSystemEventHandler):
    """One watch on the folder, and whether anything was heard of it."""

    def __init__(self, folder: Path) -> None:
        self.heard = asyncio.Event()
        self.trouble = ""
        """Why the folder is looked at again and again instead; empty if it is watched."""
        self._folder = folder
        self._inode = 0
        self._observer: BaseObserver | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def stands(self, inode: int) -> bool:
        """Say whether the folder of this inode is watched, or is known not to be watchable."""
        if inode != self._inode:
            return False
        return self._observer is None or all(e.is_alive() for e in self._observer.emitters)

    def start(self, inode: int) -> None:
        """Watch the folder, which now has this inode."""
        self.close()
        self._loop = asyncio.get_running_loop()
        self._inode = inode
        observer = Observer()
        try:
            observer.schedule(
                self,
                str(self._folder),
                # Never what tells of opening and reading: that would be us.
                event_filter=[
                    FileCreatedEvent,
                    FileMovedEvent,
                    FileClosedEvent,
                    DirCreatedEvent,
                    DirMovedEvent,
                    DirDeletedEvent,
                ],
            )
            observer.start()
        except OSError as error:
            self.trouble = f"{self._folder} can't be watched ({error.strerror}); it is polled"
            logger.warning("%s", self.trouble)
            return
        self._observer, self.trouble = observer, ""

    async def wait(self, seconds: float) -> None:
        """Return when something was heard, or after so many seconds."""
        try:
            async with asyncio.timeout(seconds):
                await self.heard.wait()
        except TimeoutError:
            return

    def close(self) -> None:
        """Watch no longer."""
        if self._observer is not None:
            self._observer.stop()
            self._observer.join()
            self._observer = None

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Wake the loop, from watchdog's thread."""
        place = os.fsdecode(event.dest_path or event.src_path)
        if isinstance(event, DirDeletedEvent) and place == str(self._folder):
            self._inode = 0  # a new folder may get the old one's number
        name = os.path.basename(place)
        if name.startswith(".") or self.heard.is_set() or self._loop is None:
            return
        self._loop.call_soon_threadsafe(self.heard.set)


def _printable(text: str) -> str:
    """Names may hold anything; the journal is UTF-8."""
    return os.fsencode(text).decode("utf-8", "replace")
