"""Whether only on-demand work may start, because a person said so; also after a restart."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from .ledger.ledger import Ledger

_NAME = "pause"


class Pause:
    """The pause, kept in the ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.on = False
        self.until: float | None = None
        """When it ends by itself, in seconds since 1970; None if it does not."""

    async def load(self) -> None:
        """Take up what an earlier process was told."""
        kept = await asyncio.to_thread(self._ledger.values.get, _NAME)
        if kept is not None:
            self.on, self.until = True, kept["until"]

    async def begin(self, until: float | None, now: float) -> None:
        """Pause, and write it into the journal."""

        def write() -> None:
            with self._ledger.writing():
                self._ledger.values.set(_NAME, {"until": until}, now)
                self._ledger.journal.append("daemon", "paused", now, text=_in_words(until))

        await asyncio.to_thread(write)
        self.on, self.until = True, until

    async def end(self, now: float) -> None:
        """End the pause, if there is one."""
        if not self.on:
            return

        def write() -> None:
            with self._ledger.writing():
                self._ledger.values.delete(_NAME)
                self._ledger.journal.append("daemon", "resumed", now)

        await asyncio.to_thread(write)
        self.on, self.until = False, None

    def left(self, now: float) -> float | None:
        """Return the seconds until it ends by itself; None if it does not."""
        return self.until - now if self.on and self.until is not None else None

    def fields(self) -> dict[str, Any] | None:
        """Return it for status: ``until``; None if there is no pause."""
        return {"until": self.until} if self.on else None


def _in_words(until: float | None) -> str:
    if until is None:
        return "until someone says resume"
    return time.strftime("until %Y-%m-%d %H:%M", time.localtime(until))
