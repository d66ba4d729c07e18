"""One inotify instance with one watch per folder, through watchdog's reader thread.

Watchdog's own observer has a thread for each watch, and in its recursive form it can leave
nothing out: 2,000 folders cost 2,000 threads and 43 MB. Its reader beneath has one thread for
all. It only collects here; everything else happens in the daemon's loop.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections.abc import Callable, Collection, Iterable
from itertools import count
from pathlib import Path
from typing import Protocol

from ...memory.errors import HermesError

# The kernel's own numbers: they are part of its interface, and the same everywhere.
_CLOSE_WRITE, _MOVED_FROM, _MOVED_TO = 0x8, 0x40, 0x80
_CREATE, _DELETE, _DELETE_SELF, _MOVE_SELF, _UNMOUNT = 0x100, 0x200, 0x400, 0x800, 0x2000
_ONLYDIR, _DONT_FOLLOW, _EXCL_UNLINK, _ISDIR = 0x1000000, 0x2000000, 0x4000000, 0x40000000

_ALWAYS = _ONLYDIR | _DONT_FOLLOW | _EXCL_UNLINK | _CREATE | _DELETE | _MOVED_FROM | _MOVED_TO
FOLDER = _ISDIR
"""Set where an event is about a folder."""
REMOVED = _DELETE | _MOVED_FROM | _MOVED_TO
"""Set where what has that name now need not be what had it before."""
SELF = _DELETE_SELF | _MOVE_SELF | _UNMOUNT
"""Set where the watched folder itself went away."""

GATHERING = 0.05
"""Seconds for which events are gathered before the loop is woken for them."""

_LIMIT = Path("/proc/sys/fs/inotify/max_user_watches")
_numbers = count(1)

LOOKS = 5
"""Times the watches are counted before some are taken as missing."""

logger = logging.getLogger(__name__)


class LimitReached(HermesError):
    """The system, or we ourselves, allow no further watch."""

    code = "watch_limit"

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"not all folders can be watched: {reason}",
            hint="Raise fs.inotify.max_user_watches (sysctl), or ignore large folders.",
        )
        self.reason = reason


class _Event(Protocol):
    @property
    def name(self) -> bytes: ...
    @property
    def mask(self) -> int: ...


class Folder:
    """One watched folder. ``owner`` says whose, ``path`` what it is to the owner."""

    __slots__ = ("_post", "ended", "names", "number", "owner", "path", "wd")

    def __init__(
        self,
        owner: object,
        path: str,
        names: Collection[str] | None,
        post: Callable[[Folder, bytes, int], None],
    ) -> None:
        self.owner = owner
        self.path = path
        self.names = None if names is None else frozenset(os.fsencode(name) for name in names)
        self.number = next(_numbers)
        self.wd = -1
        self.ended = False
        """The kernel ended the watch, because the folder was removed."""
        self._post = post

    def on_event(self, event: _Event) -> None:
        """Called in the reader's thread."""
        if self.names is None or event.name in self.names or event.mask & SELF:
            self._post(self, event.name, event.mask)

    def on_watch_deleted(self, wd: int) -> None:
        """Called in the reader's thread when the folder was removed."""
        self.ended = True

    def on_queue_overflow(self) -> None:
        """Never called: the reader tells of it once, not once per folder."""


Happened = dict[Folder, dict[bytes, int]]
"""What was told of each folder: names, each with all its bits. Order is not kept: look."""


class Inotify:
    """All watches of the process. ``add`` and ``remove`` may be called from any thread.

    In the loop it calls ``happened`` with what was gathered and when the last of it came,
    ``lost`` when the kernel's queue ran over, and ``died`` when the reader ended by itself.
    """

    def __init__(
        self,
        happened: Callable[[Happened, float], None],
        lost: Callable[[], None],
        died: Callable[[str], None],
        *,
        limit: int | None = None,
    ) -> None:
        """Start the reader. Raise LimitReached if the system has no instance left."""
        self._loop = asyncio.get_running_loop()
        self._told = happened
        self._lock = threading.Lock()
        self._pending: Happened = {}
        self._last = 0.0
        self._armed = False
        self._watched: dict[int, Folder] = {}
        self.limit = default_limit() if limit is None else limit
        try:
            from .reader import Reader  # not every system has what it needs
        except (ImportError, RuntimeError, AttributeError, OSError) as error:
            raise LimitReached("this system has no inotify") from error
        try:
            self._reader = Reader(
                lambda: self._soon(lost), lambda reason: self._soon(lambda: died(reason))
            )
        except OSError as error:
            raise LimitReached(error.strerror or str(error)) from error
        self._reader.start()

    def add(
        self,
        owner: object,
        path: str,
        folder: str,
        *,
        names: Collection[str] | None = None,
        itself: bool = False,
        saves: bool = True,
    ) -> Folder | None:
        """Watch the folder at ``path``, that ``owner`` knows as ``folder``.

        With ``names`` only these are told of; with ``itself`` also that the folder is removed or
        renamed; with ``saves`` also each file written. Return None if there is no such folder (any
        more) or it can't be read. Raise LimitReached.
        """
        if len(self._watched) >= self.limit:
            raise LimitReached(f"{self.limit} are as many as hermes takes")
        made = Folder(owner, folder, names, self._post)
        mask = (
            _ALWAYS | (_DELETE_SELF | _MOVE_SELF if itself else 0) | (_CLOSE_WRITE if saves else 0)
        )
        try:
            made.wd = self._reader.watch(os.fsencode(path), mask, made, made.number)
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            return None
        except OSError as error:
            raise LimitReached(error.strerror or str(error)) from error
        if made.wd < 0:  # the reader passes over a folder that it may not read
            return None
        with self._lock:
            self._watched[made.number] = made
        return made

    def remove(self, folders: Iterable[Folder]) -> None:
        """End watches; what is still on its way from them is dropped."""
        with self._lock:
            # One of an instance that is no more means nothing to this one.
            gone = [it for it in folders if self._watched.pop(it.number, None) is not None]
            for folder in gone:
                self._pending.pop(folder, None)
        self._reader.unwatch([(folder.wd, folder.number) for folder in gone])

    def count(self) -> int:
        """Return how many folders are meant to be watched."""
        return len(self._numbers())

    def shortfall(self) -> str | None:
        """Return what is wrong if the kernel has fewer watches than it should; it takes
        milliseconds."""
        held = meant = 0
        for _ in range(LOOKS):  # folders come and go while it is counted
            held, meant = self.held(), self.count()
            if held >= meant:
                return None
        return f"of {meant} watches the system has only {held}"

    def held(self) -> int:
        """Return how many of them the kernel has, as it says itself."""
        ours = self._numbers()
        return max((len(ours & numbers) for numbers in _kernel_watches()), default=0)

    def close(self) -> None:
        """End all watches and the reader."""
        self._reader.end()
        with self._lock:
            self._watched.clear()
            self._pending.clear()

    def _numbers(self) -> set[int]:
        with self._lock:
            return {folder.wd for folder in self._watched.values() if not folder.ended}

    def _post(self, folder: Folder, name: bytes, mask: int) -> None:
        with self._lock:
            names = self._pending.get(folder)
            if names is None:
                names = self._pending[folder] = {}
            names[name] = names.get(name, 0) | mask
            self._last = time.monotonic()
            if self._armed:
                return
            self._armed = True
        self._soon(self._arm)

    def _arm(self) -> None:
        self._loop.call_later(GATHERING, self._hand_over)

    def _hand_over(self) -> None:
        with self._lock:
            happened, self._pending = self._pending, {}
            last = self._last
            self._armed = False
        if happened:
            self._told(happened, last)

    def _soon(self, call: Callable[[], None]) -> None:
        try:
            self._loop.call_soon_threadsafe(call)
        except RuntimeError:  # the loop is closed: nobody wants to know any more
            logger.debug("an event came after the end")


def default_limit() -> int:
    """Return how many watches to take at most: three of four, the rest is for other programs."""
    try:
        return int(_LIMIT.read_text()) * 3 // 4
    except (OSError, ValueError):
        return 1_000_000


def _kernel_watches() -> list[set[int]]:
    """Return, for each inotify instance of this process, the numbers of its watches."""
    found: list[set[int]] = []
    for handle in _listed("/proc/self/fd"):
        try:
            if os.readlink(f"/proc/self/fd/{handle}") != "anon_inode:inotify":
                continue
            lines = Path(f"/proc/self/fdinfo/{handle}").read_text().splitlines()
        except OSError:  # closed in the meantime
            continue
        found.append(
            {
                int(line.split()[1].removeprefix("wd:"), 16)
                for line in lines
                if line.startswith("inotify wd:")
            }
        )
    return found


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
