"""Notices that the wall clock was set or the machine slept, without looking at it again and again.

Linux tells: a timer that is far off is cancelled when the wall clock departs from the monotonic
one, which stands still while the machine sleeps. Elsewhere nothing tells, and whoever compares the
two clocks when it wakes for another reason finds out then.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress

# From <sys/timerfd.h>; Python has them from 3.13 on.
_CLOEXEC, _NONBLOCK = os.O_CLOEXEC if hasattr(os, "O_CLOEXEC") else 0, getattr(os, "O_NONBLOCK", 0)
_ABSOLUTE, _CANCEL_ON_SET = 1, 2
_FAR = 100 * 365 * 86_400
"""Seconds: it never rings by itself."""


class _Timespec(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


class _Timer(ctypes.Structure):
    _fields_ = (("interval", _Timespec), ("value", _Timespec))


@contextmanager
def clock_watch(on_set: Callable[[], None]) -> Generator[bool]:
    """Call ``on_set``, in the running loop, each time the wall clock jumps or the machine wakes.

    Yields whether this machine can tell at all.
    """
    descriptor = _open()
    if descriptor is None:
        yield False
        return
    loop = asyncio.get_running_loop()

    def jumped() -> None:
        with suppress(OSError):  # that it was cancelled is what we want to know
            os.read(descriptor, 8)
        _arm(descriptor)
        on_set()

    loop.add_reader(descriptor, jumped)
    try:
        yield True
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)


def _open() -> int | None:
    """Return a descriptor that becomes readable when the clock jumps; None where there is none."""
    if not sys.platform.startswith("linux"):
        return None
    library = ctypes.CDLL(None, use_errno=True)
    if not hasattr(library, "timerfd_create"):
        return None
    descriptor = int(library.timerfd_create(time.CLOCK_REALTIME, _CLOEXEC | _NONBLOCK))
    if descriptor < 0:
        return None
    if not _arm(descriptor):
        os.close(descriptor)
        return None
    return descriptor


def _arm(descriptor: int) -> bool:
    when = _Timer(_Timespec(0, 0), _Timespec(int(time.time()) + _FAR, 0))
    library = ctypes.CDLL(None, use_errno=True)
    flags = _ABSOLUTE | _CANCEL_ON_SET
    return int(library.timerfd_settime(descriptor, flags, ctypes.byref(when), None)) == 0
