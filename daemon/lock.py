"""One daemon for each home: a file lock that the system releases when its holder dies."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass

from filelock import FileLock, Timeout

from .. import __version__
from ..memory.errors import HermesError
from .paths import Paths, make_private


class AlreadyRunning(HermesError):
    """Another daemon serves this home."""

    code = "already_running"


class LockRefused(HermesError):
    """The lock can't be taken for a reason other than another daemon."""

    code = "lock"


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds the lock, as the holder wrote it beside the lock."""

    pid: int
    version: str
    started: int
    """Seconds since the epoch."""


@contextmanager
def single_instance(paths: Paths) -> Generator[Holder]:
    """Hold the home's lock for the time of the block.

    Raise AlreadyRunning if a living daemon has it, LockRefused if the folder can't hold a lock
    and PathRefused if it can't be made. What a dead daemon left behind is no obstacle.
    """
    make_private(paths.run_folder)
    lock = FileLock(paths.lock, timeout=0, mode=0o600, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        raise AlreadyRunning(
            f"a daemon is already running for {paths.state_folder}{_by(read_holder(paths))}",
            hint="hermes status shows it, hermes down stops it",
        ) from None
    except (OSError, NotImplementedError) as error:
        raise LockRefused(
            f"can't lock {paths.lock}: {error}",
            hint="the folder must be writable and its file system must support locks",
        ) from error
    holder = Holder(os.getpid(), __version__, int(time.time()))
    side = paths.run / "daemon.json"
    try:
        side.write_text(json.dumps(asdict(holder)) + "\n", encoding="utf-8")
        side.chmod(0o600)
        yield holder
    finally:
        # Where our folder was deleted, it may be another daemon's by now.
        if read_holder(paths) == holder:
            side.unlink(missing_ok=True)
        lock.release()


def read_holder(paths: Paths) -> Holder | None:
    """Return what the last holder wrote; None if it left nothing that can be read."""
    try:
        found = json.loads((paths.run / "daemon.json").read_text(encoding="utf-8"))
        return Holder(int(found["pid"]), str(found["version"]), int(found["started"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def is_lost(paths: Paths, holder: Holder) -> bool:
    """Say whether the folder of the lock was deleted under its holder, so that nobody finds it any
    more; another one may have taken its place."""
    found = read_holder(paths)
    return found != holder and (found is not None or not paths.lock.exists())


def _by(holder: Holder | None) -> str:
    return f" (process {holder.pid}, version {holder.version})" if holder else ""
