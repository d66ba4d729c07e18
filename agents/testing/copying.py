"""Copy one file as it is at one moment, as cheaply as the file system lets us."""

from __future__ import annotations

import errno
import os
import stat
import sys
import time

_FICLONE = 0x40049409
"""Linux: share the blocks of another file until either is written (btrfs, xfs, bcachefs)."""
_WORTH_SHARING = 65_536
_BLOCK = 1 << 20
_ATTEMPTS = 5
RACY_NS = 100_000_000
"""A file changed this shortly before it was copied may change again within one tick of its file
system's clock, without its time telling: it is copied again next time."""

_CAN_NOT_SHARE = frozenset(
    {errno.EOPNOTSUPP, errno.EXDEV, errno.EINVAL, errno.ENOTTY, errno.EBADF, errno.EPERM}
)


class Copier:
    """Copies files; remembers whether the file system shares blocks."""

    def __init__(self) -> None:
        self._shares = sys.platform == "linux"

    def copy(self, source: str, target: str) -> None:
        """Make ``target`` what ``source`` is, with its permissions and time of change. What was
        at ``target`` is removed first. A file that changes meanwhile is copied again.

        Raise OSError; there is no target then, or one whose time is not the source's.
        """
        for _ in range(_ATTEMPTS):
            if self._copied(source, target):
                return

    def _copied(self, source: str, target: str) -> bool:
        """Copy once; return whether the source was still while it was copied."""
        reading = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            before = os.fstat(reading)
            if not stat.S_ISREG(before.st_mode):
                raise OSError(errno.EINVAL, "not a file any more", source)
            try:
                writing = _new(target)
            except FileExistsError:
                os.unlink(target)
                writing = _new(target)
            try:
                self._fill(reading, writing, before.st_size)
                after = os.fstat(reading)
                still = _same(before, after)
                if still:
                    os.fchmod(writing, stat.S_IMODE(before.st_mode) & 0o777)
                    stamp = before.st_mtime_ns
                    if time.time_ns() - stamp < RACY_NS:
                        stamp += 1  # differs from the source's: copied again next time
                    os.utime(writing, ns=(stamp, stamp))
                return still
            finally:
                os.close(writing)
        finally:
            os.close(reading)

    def _fill(self, reading: int, writing: int, size: int) -> None:
        if self._shares and size >= _WORTH_SHARING:
            import fcntl

            try:
                fcntl.ioctl(writing, _FICLONE, reading)
                return
            except OSError as error:
                if error.errno not in _CAN_NOT_SHARE:
                    raise
                self._shares = False
        while data := os.read(reading, _BLOCK):
            view = memoryview(data)
            while view:
                view = view[os.write(writing, view) :]


def _new(target: str) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.open(target, flags, 0o600)


def _same(one: os.stat_result, other: os.stat_result) -> bool:
    return (one.st_size, one.st_mtime_ns, one.st_ctime_ns) == (
        *(other.st_size, other.st_mtime_ns, other.st_ctime_ns),
    )
