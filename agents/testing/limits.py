"""What a run of tests may use, and how much of it is looked at while it runs."""

from __future__ import annotations

import ctypes
import os
import stat
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

MARK = "HERMES_TEST_RUN"
"""The variable by which the processes of a run are known, also those that left their group."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one run. They are wide: they stop what has gone wild, not what is large."""

    temporary_bytes: int = 4 << 30
    """All files in the folder for temporary files."""
    file_bytes: int = 4 << 30
    """One file, anywhere."""
    free_bytes: int = 1 << 30
    """What must stay free on the disk; half of what is free at the start if that is less."""
    output_bytes: int = 4 << 30
    processes: int = 1_000
    """Alive at a time."""
    grace: float = 2.0
    """Seconds between the request to end and the kill."""
    look: float = 0.25
    """Seconds between looks at the processes."""


@dataclass(slots=True)
class Watch:
    """Looks at what a run uses. Its calls belong in a thread."""

    limits: Limits
    temporary: Path
    folders: tuple[Path, ...]
    """Folders on the disks whose free space is watched."""
    floors: Mapping[Path, int]

    @classmethod
    def start(cls, limits: Limits, temporary: Path, folder: Path) -> Watch:
        """Note what is free now."""
        folders = (temporary, folder)
        floors = {place: min(limits.free_bytes, _free(place) // 2) for place in folders}
        return cls(limits, temporary, folders, floors)

    def disk_full(self) -> bool:
        """Return whether the run uses more of the disk than it may."""
        if any(_free(folder) < self.floors[folder] for folder in self.folders):
            return True
        return size_of(self.temporary, self.limits.temporary_bytes) > self.limits.temporary_bytes


def size_of(folder: Path, enough: int) -> int:
    """Return the bytes that a folder's files take on the disk; stop at more than ``enough``."""
    total = 0
    waiting = [os.fspath(folder)]
    while waiting and total <= enough:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                with suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    total += status.st_blocks * 512
                    if stat.S_ISDIR(status.st_mode):
                        waiting.append(entry.path)
    return total


class Kin:
    """The processes of one run: the leader's session, its descendants, and what carries the mark.

    A process that leaves the session and whose parent ends becomes a child of the daemon, where
    that adopts orphans, else of the system's first process. It is found by having been seen
    before, or by the mark in its environment.
    """

    def __init__(self, leader: int, mark: str) -> None:
        self._leader = leader
        self._mark = mark
        self._seen: dict[int, psutil.Process] = {}

    def look(self) -> list[psutil.Process]:
        """Return the run's live processes that are below its leader, or were when last seen."""
        found: dict[int, psutil.Process] = {}
        roots = [self._leader, *self._seen]
        for root in roots:
            with suppress(psutil.Error):
                process = self._seen.get(root) or psutil.Process(root)
                if process.is_running():
                    found[process.pid] = process
        for pid in descendants(found):
            with suppress(psutil.Error):
                if pid not in found:
                    found[pid] = self._seen.get(pid) or psutil.Process(pid)
        self._seen = found
        return [process for process in found.values() if _lives(process)]

    def all_of(self) -> list[psutil.Process]:
        """Return also those that were never seen: looks through the children of this process, or
        through all processes where orphans do not come to us."""
        found = {process.pid: process for process in self.look()}
        candidates: Iterable[psutil.Process]
        candidates = _processes(descendants([os.getpid()])) if _adopts() else psutil.process_iter()
        for process in candidates:
            if process.pid not in found and self._is_ours(process):
                self._seen[process.pid] = process
                if _lives(process):
                    found[process.pid] = process
        return list(found.values())

    def collect(self) -> None:
        """Take the exit codes of orphans that became our children, or they stay as zombies."""
        for pid in list(self._seen):
            if pid != self._leader:
                with suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)

    def _is_ours(self, process: psutil.Process) -> bool:
        with suppress(psutil.Error, OSError):
            if os.getsid(process.pid) == self._leader or os.getpgid(process.pid) == self._leader:
                return True
            return process.environ().get(MARK) == self._mark
        return False


def descendants(roots: Iterable[int]) -> list[int]:
    """Return the ids of all processes below some."""
    if not Path("/proc/thread-self/children").exists():
        below: list[int] = []
        for root in roots:
            with suppress(psutil.Error):
                below += [child.pid for child in psutil.Process(root).children(recursive=True)]
        return below
    found: list[int] = []
    waiting = list(roots)
    seen = set(waiting)
    while waiting:
        for pid in _children_of(waiting.pop()):
            if pid not in seen:
                seen.add(pid)
                found.append(pid)
                waiting.append(pid)
    return found


def _children_of(pid: int) -> list[int]:
    """Return a process's children, as Linux lists them by the threads that started them."""
    children: list[int] = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError), open(f"/proc/{pid}/task/{thread}/children") as listed:
                children += map(int, listed.read().split())
    return children


def _processes(pids: Iterable[int]) -> Iterable[psutil.Process]:
    for pid in pids:
        with suppress(psutil.Error):
            yield psutil.Process(pid)


def _lives(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def _adopts() -> bool:
    """Return whether orphans of our children become ours (Linux, as the daemon asks for it)."""
    try:
        answer = ctypes.c_int(0)
        get_child_subreaper = 37
        ctypes.CDLL(None).prctl(get_child_subreaper, ctypes.byref(answer), 0, 0, 0)
    except (AttributeError, OSError):
        return False
    return answer.value == 1


def _free(folder: Path) -> int:
    """Return the bytes that are free on a folder's disk."""
    try:
        status = os.statvfs(folder)
    except OSError:  # a test removed it
        return sys.maxsize
    return status.f_bavail * status.f_frsize
