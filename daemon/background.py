"""Makes a process step back behind whatever a person is doing on the machine."""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import sys
from contextlib import suppress

NICENESS = 10
_IOPRIO_SET = {"x86_64": 251, "aarch64": 30}
"""Number of the system call by machine; Python has no name for it."""
_IDLE_CLASS = 3 << 13
_PR_SET_PDEATHSIG = 1


def stand_back() -> None:
    """Lower this process's claim on CPU and disk, as far as the system lets us.

    Children inherit both. Bulk work then yields to an answer someone waits for.
    """
    with suppress(OSError, AttributeError):  # no nice on Windows; a container may forbid it
        os.nice(NICENESS)
    number = _IOPRIO_SET.get(platform.machine()) if sys.platform == "linux" else None
    if number is not None:
        ctypes.CDLL(None).syscall(number, 1, 0, _IDLE_CLASS)  # its failure changes nothing


def go_on_without_parent() -> None:
    """Have this process continued, should it be stopped, when its parent dies, so that it sees that
    and ends. A stopped one would hold the memory's lock for ever. Linux alone can do that."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGCONT), 0, 0, 0)
