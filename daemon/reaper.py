"""Every process that we start, from its start to its end, and what it left behind.

Whoever starts a process that may live for more than a moment starts it as a group of its own and
says so here. When it ends, what is left of its group is killed. On Linux, orphans of our children
become our children, so that what left its group is found too.
"""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

ANONYMOUS_SECONDS = 60.0
"""How old a child may get that nobody said was theirs: calls of git take seconds at most."""
_PR_SET_CHILD_SUBREAPER = 36
_LISTED = Path("/proc/thread-self/children")

Fields = dict[str, Any]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Group:
    what: str
    job: int | None
    since: float


class Reaper:
    """The processes that are ours."""

    def __init__(self) -> None:
        self._groups: dict[int, _Group] = {}

    def adopt(self) -> None:
        """Become the parent of our children's orphans, where the system lets us (Linux)."""
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def own(self, pid: int, what: str, job: int | None = None) -> None:
        """Say that the process ``pid``, the leader of its own group, was started, and for what."""
        self._groups[pid] = _Group(what, job, time.time())

    def release(self, pid: int) -> int:
        """Say that a process has ended. Kill what is left of its group; return how many. To be called
        in a thread, as `sweep`."""
        group = self._groups.pop(pid, None)
        if group is None or os.name != "posix":
            return 0
        left = [process for process in _children() if _group_of(process.pid) == pid]
        return _kill(left, f"left behind by {group.what}")

    def release_job(self, job: int) -> int:
        """Say that a job has ended: kill all that was started for it; return how many."""
        leaders = [pid for pid, group in list(self._groups.items()) if group.job == job]
        killed = 0
        for leader in leaders:
            # While the leader is there its children are still found below us.
            left = [process for process in _children() if _group_of(process.pid) == leader]
            killed += _kill(left, f"left behind by j{job}")
            self._groups.pop(leader, None)
        return killed

    def sweep(self, now: float, *, all_of_them: bool = False) -> int:
        """Kill children that are nobody's and older than a minute, or ``all_of_them`` when the
        daemon stops; collect what has ended. Return how many were killed.

        Reads the process table: some milliseconds, to be called in a thread.
        """
        children = _children()
        ours = {process.pid for process in children if _group_of(process.pid) in self._groups}
        strays: list[psutil.Process] = []
        for process in children:
            if process.pid in ours and not all_of_them:
                continue
            with suppress(psutil.NoSuchProcess):
                if all_of_them or now - process.create_time() > ANONYMOUS_SECONDS:
                    strays.append(process)
        return _kill(strays, "a stray process")

    def children(self) -> list[Fields]:
        """Return every process below us, for status: pid, name, what for, age and memory."""
        shown: list[Fields] = []
        now = time.time()
        for process in _children():
            with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                group = self._groups.get(_group_of(process.pid))
                shown.append(
                    {
                        "pid": process.pid,
                        "name": process.name(),
                        "what": "" if group is None else group.what,
                        "job": None if group is None else group.job,
                        "seconds": max(0.0, round(now - process.create_time(), 1)),
                        "rss": process.memory_info().rss,
                    }
                )
        return shown


def _children() -> list[psutil.Process]:
    """Return every process below us, parents before their children."""
    if not _LISTED.exists():
        return psutil.Process().children(recursive=True)
    # Much cheaper than the table of all processes, which psutil reads.
    found: list[psutil.Process] = []
    waiting = [os.getpid()]
    while waiting:
        for pid in _listed(waiting.pop()):
            with suppress(psutil.NoSuchProcess):
                found.append(psutil.Process(pid))
                waiting.append(pid)
    return found


def _listed(pid: int) -> list[int]:
    """Return the children of a process, as Linux lists them by the threads that started them;
    none of one that ends meanwhile."""
    children: list[int] = []
    threads: list[str] = []
    with suppress(OSError):
        threads = os.listdir(f"/proc/{pid}/task")
    for thread in threads:
        with suppress(OSError):
            listed = Path(f"/proc/{pid}/task/{thread}/children").read_text("ascii")
            children += map(int, listed.split())
    return children


def _group_of(pid: int) -> int:
    try:
        return os.getpgid(pid) if os.name == "posix" else pid
    except ProcessLookupError:
        return 0


def _kill(processes: Sequence[psutil.Process], why: str) -> int:
    """Kill processes and collect those that are our own children. Return how many lived."""
    killed = 0
    for process in processes:
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            if process.status() != psutil.STATUS_ZOMBIE:
                logger.warning("%d (%s), %s, is killed", process.pid, process.name(), why)
                process.send_signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
                killed += 1
    for process in processes:
        # Only what was handed to us: for what we started ourselves, its starter waits.
        with suppress(psutil.NoSuchProcess, psutil.TimeoutExpired):
            process.wait(1.0)
    return killed
