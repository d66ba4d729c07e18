"""What is done now and then while there is work: leases kept, the machine looked at, strays ended.
With nothing to do, nothing of it is done."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection

from .bulk import Bulk
from .ledger.ledger import Ledger
from .machine import Strength
from .pools import LEASE_SECONDS
from .reaper import ANONYMOUS_SECONDS, Reaper

BEAT_SECONDS = 20.0


class Rounds:
    """Each kind of round with its own time. ``clock`` is monotonic."""

    def __init__(
        self,
        ledger: Ledger,
        bulk: Bulk,
        reaper: Reaper,
        strength: Strength,
        *,
        owner: str,
        on_overgrown: Callable[[int], None],
    ) -> None:
        self._ledger = ledger
        self._bulk = bulk
        self._reaper = reaper
        self._strength = strength
        self._owner = owner
        self._on_overgrown = on_overgrown
        self._beaten = 0.0
        self._sweep_at: float | None = None

    def ended(self, now: float) -> None:
        """A job has ended: what it may have left behind is looked for later."""
        self._sweep_at = now + ANONYMOUS_SECONDS + 1

    async def go(self, running: Collection[int], now: float, clock: float, *, work: bool) -> None:
        """Do what is due. ``running``: the ids of the jobs; ``work``: whether there is any."""
        if running and clock - self._beaten >= BEAT_SECONDS:
            await asyncio.to_thread(self._beat, running, now)
            self._beaten = clock
        if work and await self._strength.look(clock):
            if self._strength.overgrown:
                self._on_overgrown(self._strength.overgrown)
            if self._strength.of_worker == "pause":
                self._bulk.give_way()
        if self._sweep_at is not None and now >= self._sweep_at and not running:
            self._sweep_at = None
            await asyncio.to_thread(self._reaper.sweep, now)

    def waits(
        self, running: Collection[int], now: float, clock: float, *, work: bool
    ) -> list[float]:
        """Return in how many seconds each of the next rounds is due."""
        found: list[float] = []
        if running:
            found.append(self._beaten + BEAT_SECONDS - clock)
        if self._sweep_at is not None and not running:
            found.append(self._sweep_at - now)
        look = self._strength.next_look(clock) if work else None
        if look is not None:
            found.append(look)
        return found

    def _beat(self, running: Collection[int], now: float) -> None:
        with self._ledger.writing():
            self._ledger.queue.beat(running, now, LEASE_SECONDS)
            # Should a run ever end without its end on disk, its job is not lost.
            self._ledger.queue.recover(now, self._owner)
