"""The file by which a shell, which asks nobody, sees that the daemon has died, and since when.

It holds one line, ``PID START HOST SECONDS DATE WORDS``: the process, when the system started it (in
clock ticks since boot, ``-`` where that can't be read), the machine, and the last sign of life. It
is written when the daemon starts and ends, and in between only along with the journal, so that an
idle daemon writes nothing. `hermes down` takes it away: who stopped hermes need not be told.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ..memory.errors import HermesError
from .paths import make_private

RENEW_SECONDS = 600
"""At most so often it is written while there is work."""

logger = logging.getLogger(__name__)


class Heartbeat:
    """Keeps the file. A service."""

    name = "heartbeat"

    def __init__(self, brief: Path, listen: Callable[[Callable[[], None]], None]) -> None:
        """``brief`` is the folder where shells look. ``listen`` has something called, in any
        thread, when work was done."""
        self._brief = brief
        self._listen = listen
        self._written = 0.0

    async def serve(self) -> None:
        """Write at the start, with what is done, and at the end."""
        loop = asyncio.get_running_loop()
        worked = asyncio.Event()

        def wake() -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(worked.set)

        await asyncio.to_thread(self.beat, time.time(), first=True)
        self._listen(wake)
        try:
            while True:
                await worked.wait()
                worked.clear()
                await asyncio.to_thread(self.beat, time.time())
        finally:
            self._write(time.time())

    def beat(self, now: float, *, first: bool = False) -> None:
        """Write if it is time to. Blocking."""
        if first or not 0 <= now - self._written < RENEW_SECONDS:
            self._write(now)

    def _write(self, now: float) -> None:
        at = time.localtime(now)
        words = (
            str(os.getpid()),
            _started(),
            socket.gethostname(),
            str(int(now)),
            time.strftime("%Y-%m-%d", at),
            time.strftime("%a %H:%M", at),
        )
        temp = self._brief / f".daemon.{os.getpid()}"
        try:
            for folder in (self._brief, self._brief / "shown"):
                make_private(folder)
            temp.write_text(" ".join(words) + "\n", encoding="utf-8")
            temp.replace(self._brief / "daemon")
            self._written = now
        except (OSError, HermesError) as error:
            # Shells then tell an older time, and the next work tries again.
            logger.warning("can't tell shells that the daemon lives: %s", error)


def _started() -> str:
    try:
        with open("/proc/self/stat", encoding="latin-1") as file:
            return file.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return "-"
