"""Run tests in a process group of their own, within bounds, and leave nothing of it behind."""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import signal
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path

import psutil

from .framework import EnvironmentBroken
from .limits import MARK, Kin, Limits, Watch
from .records import Ended, Invocation

SHOWN = 32_000
"""Characters of the output that are kept, of its beginning and of its end."""
_PREFIX = f"hermes-{os.getuid()}-"
_READ = 1 << 18
_WIDE_PIPE = 1 << 20
_F_SETPIPE_SZ = 1031
_EXEC = (
    'exec 3<&0 </dev/null; ({ cd /; read -r _ <&3; kill -KILL -- "-$$"; } >/dev/null 2>&1 &); exec 3<&-; '
    'ulimit -c 0; ulimit -f "$1" 2>/dev/null; shift; exec nice -n 10 "$@"'
)
"""Sets what can't be set from outside without a race. The shell becomes the program. What it leaves
beside that, as no child of it, ends the group when our end of the pipe is closed: we were killed."""


async def run(
    invocation: Invocation,
    *,
    limit: float,
    started: Callable[[int], None],
    limits: Limits | None = None,
) -> Ended:
    """Run a process until it ends, or end it after ``limit`` seconds or for what it uses.

    It gets a group and a session of its own, the lowest priority for processor and disk, no input and
    a new TMPDIR that is removed after. ``started`` is told its id. When it has ended, so have all
    processes it started, also those that left its group; so they have when this is cancelled.
    Raise EnvironmentBroken if it can't be started.
    """
    limits = limits or Limits()
    _check(invocation)
    temporary = await asyncio.to_thread(_make_temporary)
    try:
        return await _Run(invocation, limits, temporary).until_end(limit, started)
    finally:
        await _in_any_case(asyncio.to_thread(_remove, temporary))


class _Run:
    def __init__(self, invocation: Invocation, limits: Limits, temporary: Path) -> None:
        self._invocation = invocation
        self._limits = limits
        self._temporary = temporary
        self._mark = secrets.token_hex(8)
        self._output = Output(limits.output_bytes)

    async def until_end(self, limit: float, started: Callable[[int], None]) -> Ended:
        watch = Watch.start(self._limits, self._temporary, self._invocation.folder)
        reading, writing = os.pipe()
        life, ours = os.pipe()
        begun = time.monotonic()
        try:
            process = await self._start(life, writing)
        except BaseException:
            os.close(reading)
            os.close(ours)
            raise
        finally:
            os.close(writing)
            os.close(life)
        kin = Kin(process.pid, self._mark)
        self._output.follow(reading)
        stopped = ""
        try:
            started(process.pid)
            _lower_disk_priority(process.pid)
            leader = asyncio.create_task(process.wait())
            looks = asyncio.create_task(self._look(kin, watch))
            try:
                await asyncio.wait(
                    {leader, looks}, timeout=limit, return_when=asyncio.FIRST_COMPLETED
                )
                if not leader.done():
                    stopped = looks.result() if looks.done() else "time"
                    if stopped == "time":
                        # Asked first: some say where they were, some save what they have.
                        _signal_group(process, signal.SIGTERM)
                        await asyncio.wait({leader}, timeout=self._limits.grace)
            finally:
                looks.cancel()
                # At once, also when cancelled: the rest may take its time, this may not.
                _signal_group(process, signal.SIGKILL)
                await _in_any_case(self._end(process, kin))
        finally:
            self._output.stop()
            os.close(ours)
        seconds = time.monotonic() - begun
        code = None if stopped else process.returncode
        return Ended(code, seconds, self._output.text(), stopped)

    async def _start(self, life: int, output: int) -> asyncio.subprocess.Process:
        invocation = self._invocation
        mine = {MARK: self._mark}
        mine |= dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(self._temporary))
        blocks = str(self._limits.file_bytes // 512)
        try:
            return await asyncio.create_subprocess_exec(
                *("/bin/sh", "-c", _EXEC, "sh", blocks, *invocation.argv),
                cwd=invocation.folder,
                env=dict(invocation.environment) | mine,
                stdin=life,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        except OSError as error:
            raise EnvironmentBroken(
                f"{invocation.argv[0]} can't be started: {error.strerror or error}"
            ) from error

    async def _look(self, kin: Kin, watch: Watch) -> str:
        """Look at the run until it uses too much of something; return what."""
        disk_at = time.monotonic()
        while True:
            await asyncio.wait({self._output.flooded}, timeout=self._limits.look)
            if self._output.flooded.done():
                return "output"
            if len(await asyncio.to_thread(kin.look)) > self._limits.processes:
                return "processes"
            now = time.monotonic()
            if now >= disk_at:
                if await asyncio.to_thread(watch.disk_full):
                    return "disk"
                # Not more than a small part of the time is spent on looking through many files.
                disk_at = now + max(4 * self._limits.look, 20 * (time.monotonic() - now))

    async def _end(self, process: asyncio.subprocess.Process, kin: Kin) -> None:
        """Kill all that is left, as often as something is left; then read what was printed."""
        for _ in range(100):
            left = await asyncio.to_thread(kin.all_of)
            for one in left:
                with suppress(psutil.Error):
                    one.send_signal(signal.SIGKILL)
            if not left:
                break
            await asyncio.sleep(0.01)  # they need a moment to be gone
        await process.wait()
        await asyncio.to_thread(kin.collect)
        # All that could write is dead: what is in the pipe is all there will be.
        await asyncio.wait({self._output.ended}, timeout=self._limits.grace)


class Output:
    """The beginning and the end of what a process prints, however much that is."""

    def __init__(self, most: int) -> None:
        loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[None] = loop.create_future()
        """Done when nothing can come any more."""
        self.flooded: asyncio.Future[None] = loop.create_future()
        """Done when more came than is allowed."""
        self._most = most
        self._loop = loop
        self._descriptor = -1
        self._total = 0
        self._head = bytearray()
        self._tail = bytearray()

    def follow(self, descriptor: int) -> None:
        """Read what comes, until `stop`. The descriptor is closed then."""
        self._descriptor = descriptor
        os.set_blocking(descriptor, False)
        if sys.platform == "linux":
            import fcntl

            with suppress(OSError):  # more than this user may have
                fcntl.fcntl(descriptor, _F_SETPIPE_SZ, _WIDE_PIPE)
        self._loop.add_reader(descriptor, self._read)

    def stop(self) -> None:
        """Read no more."""
        if self._descriptor >= 0:
            self._loop.remove_reader(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = -1

    def text(self) -> str:
        """Return what was kept, as text; what was left out is told."""
        head = self._head.decode("utf-8", "replace")
        tail = self._tail.decode("utf-8", "replace")
        if self._total <= len(self._head) + len(self._tail):
            whole = (bytes(self._head) + bytes(self._tail)).decode("utf-8", "replace")
            if len(whole) <= 2 * SHOWN:
                return whole
            head, tail = whole, whole
        gap = f"\n[… of {self._total:,} bytes, the middle is left out …]\n"
        return head[:SHOWN] + gap + tail[-SHOWN:]

    def _read(self) -> None:
        try:
            data = os.read(self._descriptor, _READ)
        except BlockingIOError:
            return
        if not data:
            self._loop.remove_reader(self._descriptor)
            if not self.ended.done():
                self.ended.set_result(None)
            return
        self._total += len(data)
        room = 4 * SHOWN - len(self._head)  # a character has four bytes at most
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        if len(self._tail) > 16 * SHOWN:
            del self._tail[: -4 * SHOWN]
        if self._total > self._most and not self.flooded.done():
            self.flooded.set_result(None)


def _check(invocation: Invocation) -> None:
    """Raise EnvironmentBroken if the program is not there: the shell would say it less well."""
    program = invocation.argv[0]
    path = invocation.environment.get("PATH", os.defpath)
    if os.sep in program:
        program = os.path.join(invocation.folder, program)
    if shutil.which(program, path=path) is None:
        raise EnvironmentBroken(f"{invocation.argv[0]} is not there, or can't be run: install it")
    if not invocation.folder.is_dir():
        raise EnvironmentBroken(f"{invocation.folder} is not there")


async def _in_any_case(work: Coroutine[object, object, None]) -> None:
    """Wait for work that has to be done, also when this is cancelled meanwhile."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = error
    task.result()
    if cancelled is not None:
        raise cancelled


def _lower_disk_priority(pid: int) -> None:
    if sys.platform == "linux":
        with suppress(psutil.Error, OSError):
            psutil.Process(pid).ionice(psutil.IOPRIO_CLASS_IDLE)


def _signal_group(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    # Once its leader was waited for and its last member is gone, the group's id is another's.
    if process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)


def _make_temporary() -> Path:
    """Make a folder for temporary files. It is short, since sockets lie in it; and what daemons
    that were killed left there is removed."""
    root = Path(tempfile.gettempdir())
    for old in root.glob(f"{_PREFIX}*"):
        owner = old.name[len(_PREFIX) :].partition("-")[0]
        with suppress(OSError):
            status = old.lstat()
            mine = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
            if mine and owner.isdigit() and not psutil.pid_exists(int(owner)):
                _remove(old)
    return Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=root))


def _remove(folder: Path) -> None:
    """Remove a folder, also where tests took away the right to; what can't be removed stays."""
    for path, _, _ in os.walk(folder):
        with suppress(OSError):
            if os.lstat(path).st_mode & 0o700 != 0o700:
                os.chmod(path, 0o700)
    shutil.rmtree(folder, ignore_errors=True)
