"""Notices when the event loop is stuck: nothing else can say so then.

A thread asks the loop for a sign of life every few seconds, but only while it is armed: when
nothing is done, nothing wakes up.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import traceback
from collections.abc import Callable

EVERY_SECONDS = 5.0
STUCK_SECONDS = 10.0
"""Without a sign of life for so long, what all threads do is written to the log."""
LOST_SECONDS = 60.0
"""After so long the loop is given up."""

logger = logging.getLogger(__name__)


class LoopWatch:
    """The thread, and the loop's side of it. Arm it while work runs."""

    def __init__(
        self,
        on_lost: Callable[[], None],
        *,
        every: float = EVERY_SECONDS,
        stuck: float = STUCK_SECONDS,
        lost: float = LOST_SECONDS,
    ) -> None:
        """``on_lost`` is called, in the thread, when the loop has been stuck for too long."""
        self._on_lost = on_lost
        self._every, self._stuck, self._lost = every, stuck, lost
        self._armed = threading.Event()
        self._changed = threading.Event()
        self._closed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def arm(self) -> None:
        """Begin to watch the running loop."""
        self._loop = asyncio.get_running_loop()
        if self._thread is None:
            self._thread = threading.Thread(target=self._watch, name="loopwatch", daemon=True)
            self._thread.start()
        self._changed.clear()
        self._armed.set()

    def disarm(self) -> None:
        """Leave the loop alone."""
        self._armed.clear()
        self._changed.set()

    def close(self) -> None:
        """End the thread."""
        self._closed = True
        self._changed.set()
        self._armed.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _watch(self) -> None:
        while not self._closed:
            self._armed.wait()
            if not self._closed and self._answers():
                self._changed.wait(self._every)

    def _answers(self) -> bool:
        """Ask the loop for a sign of life, and say what is to be said when it gives none."""
        loop = self._loop
        assert loop is not None
        alive = threading.Event()
        try:
            loop.call_soon_threadsafe(alive.set)
        except RuntimeError:  # it was closed
            self._armed.clear()
            return False
        if alive.wait(self._stuck):
            return True
        logger.error("the event loop is stuck; what all threads do:\n%s", stacks())
        if alive.wait(max(0.0, self._lost - self._stuck)):
            logger.warning("the event loop goes on")
            return True
        logger.critical("the event loop has been stuck for %g s and is given up", self._lost)
        self._armed.clear()
        self._on_lost()
        return False


def stacks() -> str:
    """Return what every other thread of this process does now."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    parts: list[str] = []
    for number, frame in sys._current_frames().items():  # pyright: ignore[reportPrivateUsage]
        if number != threading.get_ident():
            name = names.get(number, number)
            parts.append(f"{name}:\n" + "".join(traceback.format_stack(frame)))
    return "\n".join(parts)
