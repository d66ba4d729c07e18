"""The spool folder on disk: which files are ready, taking one in hand, setting a bad one aside.

A file is taken by renaming it into ``taking/``, so that a hook that writes the next one of the
same name can't be overlooked. It stays there until its event is on disk. Everything here blocks
and is called in a thread; nothing here opens what is not a plain file.
"""

from __future__ import annotations

import errno
import hashlib
import heapq
import os
import stat
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from ...memory.errors import NoSpace, ReadOnly
from ..paths import make_private
from .drops import Drop, Malformed, Unfinished, read_door, read_hook

MOST_BYTES = 65_536
"""A larger file is no event."""
SETTLING = 2.0
"""Seconds a file that makes no sense yet is given, in case it is still being written."""
FORGOTTEN = 3_600.0
"""Seconds after which a file of another name, as one has while it is being written, is given up."""
MOST_LISTED = 5_000
"""Files whose names are kept from one look at the folder."""
MOST_REFUSED = 100
"""Bad files that are kept to look at."""
MOST_REFUSED_BYTES = 1_000_000
"""A bad file that is larger is not kept."""

_READERS: dict[str, Callable[[bytes], Drop]] = {".hook": read_hook, ".json": read_door}


@dataclass(frozen=True, slots=True)
class Taken:
    """A file in hand. ``key`` is the same each time it is taken, whatever happened between."""

    path: Path
    name: str
    key: str
    at: float
    """When it was written, in seconds since 1970."""
    drop: Drop


@dataclass(slots=True)
class Haul:
    """What was found at once."""

    taken: list[Taken] = field(default_factory=list[Taken])
    refused: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Names and reasons of those that were set aside."""
    more: bool = False
    """There may be more: look again at once."""
    later: float | None = None
    """When to look again for a file that is not ready, in seconds since 1970."""

    def wait_until(self, moment: float) -> None:
        """Look again at that time, or before."""
        self.later = moment if self.later is None else min(self.later, moment)


@dataclass(frozen=True, slots=True, order=True)
class _Lying:
    """A file as the folder lists it: the oldest first."""

    mtime_ns: int
    name: str
    path: Path = field(compare=False)


class SpoolFolder:
    """``<state>/spool``, with ``taking/`` and ``refused/`` in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._taking = folder / "taking"
        self._refused = folder / "refused"
        self._numbers = count()
        self._listed: deque[_Lying] = deque()

    def make(self) -> int:
        """Make what is missing and return the folder's inode. Raise PathRefused."""
        for folder in (self.folder, self._taking, self._refused):
            make_private(folder)
        return self.folder.stat().st_ino

    def inode(self) -> int | None:
        """Return the folder's inode as it is now; None if something of it is gone."""
        if not (self._taking.is_dir() and self._refused.is_dir()):
            return None
        return self.folder.stat().st_ino

    def start_over(self) -> None:
        """Forget what was listed, since what is in hand comes first."""
        self._listed.clear()

    def haul(self, limit: int, now: float) -> Haul:
        """Take up to ``limit`` files in hand, the oldest first, and set bad ones aside.

        Raise NoSpace or ReadOnly when the disk refuses; what was taken is found again.
        """
        haul = Haul()
        try:
            if not self._listed:
                self._listed.extend(heapq.nsmallest(MOST_LISTED, self._ready(haul, now)))
            for _ in range(min(limit, len(self._listed))):
                self._take(self._listed.popleft(), haul, now)
        except OSError as error:
            raise self._trouble(error) from error
        haul.more = bool(self._listed or haul.taken or haul.refused)
        return haul

    def finish(self, taken: list[Taken]) -> None:
        """Delete files whose events are on disk. Raise NoSpace or ReadOnly."""
        try:
            for one in taken:
                one.path.unlink(missing_ok=True)
        except OSError as error:
            raise self._trouble(error) from error

    def refuse(self, path: Path, name: str, reason: str) -> None:
        """Set a file aside, with the reason beside it. Raise NoSpace or ReadOnly."""
        try:
            self._set_aside(path, name, reason)
        except OSError as error:
            raise self._trouble(error) from error

    def _ready(self, haul: Haul, now: float) -> Iterator[_Lying]:
        for folder in (self._taking, self.folder):
            with suppress(FileNotFoundError), os.scandir(folder) as entries:
                for entry in entries:
                    if folder == self.folder and entry.name in ("taking", "refused"):
                        continue
                    try:
                        found = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:  # a temporary name that has just become another
                        continue
                    if self._waits(entry.name, found, haul, now):
                        continue
                    yield _Lying(found.st_mtime_ns, entry.name, Path(entry.path))

    def _waits(self, name: str, found: os.stat_result, haul: Haul, now: float) -> bool:
        """Say whether a file may yet become one of ours by being renamed."""
        if not stat.S_ISREG(found.st_mode) or (_reader(name) and not name.startswith(".")):
            return False
        return self._young(found.st_mtime, FORGOTTEN, haul, now)

    def _young(self, mtime: float, limit: float, haul: Haul, now: float) -> bool:
        # A time in the future is of a clock that was set back: no reason to wait until it comes.
        if -SETTLING < now - mtime < limit:
            haul.wait_until(mtime + limit)
            return True
        return False

    def _take(self, lying: _Lying, haul: Haul, now: float) -> None:
        """Take one file, leave it, or set it aside."""
        name, path = lying.name, lying.path
        try:
            _inspect(path, name)
            path = self._take_in_hand(lying)
            # Once more: since then another of the same name may have been put in its place.
            drop, found, content = _inspect(path, name)
        except FileNotFoundError:
            return
        except Unfinished as error:
            if not self._young(lying.mtime_ns / 1e9, SETTLING, haul, now):
                self._turn_down(path, name, haul, str(error))
        except Malformed as error:
            self._turn_down(path, name, haul, str(error))
        else:
            haul.taken.append(Taken(path, name, _key(found, content), found.st_mtime, drop))

    def _take_in_hand(self, lying: _Lying) -> Path:
        if lying.path.parent == self._taking:
            return lying.path
        suffix = lying.path.suffix
        place = self._taking / f"{lying.mtime_ns:020d}-{os.getpid()}-{next(self._numbers)}{suffix}"
        lying.path.rename(place)
        return place

    def _turn_down(self, path: Path, name: str, haul: Haul, reason: str) -> None:
        if name.startswith(".") and not _is_other(path):
            path.unlink(missing_ok=True)  # a hook that was killed in the middle
            return
        self._set_aside(path, name, reason)
        haul.refused.append((name, reason))

    def _set_aside(self, path: Path, name: str, reason: str) -> None:
        name = os.fsdecode(os.fsencode(name)[-200:])
        place, number = self._refused / name, 1
        while os.path.lexists(place):
            place, number = self._refused / f"{name}.{number}", number + 1
        with suppress(FileNotFoundError):
            path.rename(place)
            # The reason is in the journal too: a full disk may cost this copy.
            with suppress(OSError):
                place.with_name(place.name + ".reason").write_text(reason + "\n", encoding="utf-8")
            if _size(place) > MOST_REFUSED_BYTES:
                place.unlink()
        names = self._refused_names()
        for old in names[: max(0, len(names) - MOST_REFUSED)]:
            _remove(self._refused / old)
            (self._refused / (old + ".reason")).unlink(missing_ok=True)

    def _refused_names(self) -> list[str]:
        """Return the names of the bad files, the longest there first."""
        found: list[tuple[int, str]] = []
        with suppress(FileNotFoundError), os.scandir(self._refused) as entries:
            for entry in entries:
                since = entry.stat(follow_symlinks=False).st_ctime_ns
                found.append((since, entry.name.removesuffix(".reason")))
        return list(dict.fromkeys(name for _, name in sorted(found)))

    def _trouble(self, error: OSError) -> NoSpace | ReadOnly:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        return NoSpace(self.folder) if full else ReadOnly(self.folder)


def _reader(name: str) -> Callable[[bytes], Drop] | None:
    return _READERS.get(os.path.splitext(name)[1])


def _inspect(path: Path, name: str) -> tuple[Drop, os.stat_result, bytes]:
    """Read a file without ever waiting for it. Raise Malformed or FileNotFoundError."""
    reader = _reader(name)
    if _is_other(path):
        raise Malformed("it is not a plain file")
    if reader is None or name.startswith("."):
        raise Malformed("its name ends neither in .json nor in .hook")
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except PermissionError as error:
        raise Malformed("it can't be read") from error
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise Malformed("it is not a plain file") from error
        raise
    with open(handle, "rb") as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise Malformed("it is not a plain file")
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise Malformed(f"it has more than {MOST_BYTES:,} bytes")
    if not content:
        raise Unfinished("it is empty")
    return reader(content), found, content


def _is_other(path: Path) -> bool:
    return not stat.S_ISREG(os.lstat(path).st_mode)


def _key(found: os.stat_result, content: bytes) -> str:
    """Renaming keeps inode and time. The content is in it because an inode can be used again
    within one tick of the file system's clock."""
    digest = hashlib.sha256(content).hexdigest()[:16]
    return f"spool:{found.st_mtime_ns}:{found.st_ino}:{digest}"


def _size(path: Path) -> int:
    found = os.lstat(path)
    return found.st_size if stat.S_ISREG(found.st_mode) else 0


def _remove(path: Path) -> None:
    """Remove a file or an empty folder; a folder with something in it is not ours to empty."""
    with suppress(FileNotFoundError, OSError):
        if stat.S_ISDIR(os.lstat(path).st_mode):
            path.rmdir()
        else:
            path.unlink()
