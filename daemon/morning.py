"""Keeps the finished brief fresh: until somebody has seen it, what happens in a repository, or comes
from a source, has it made again; and it is made at the start where there is none of today."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Protocol

from ..agents.events import Event, Scheduled
from .lasting import Lasting

CHANGES = frozenset({"committed", "head_moved", "refs_moved", "delivered", "repo_added"})
"""Kinds of events after which a brief may say something else."""
QUIET = 60.0
LONGEST = 300.0
"""Seconds: after the last event that it waits for, and in all."""

Accept = Callable[[Event, str | None], Awaitable[int]]


class Brief(Protocol):
    """The standup, as far as it is asked whether anything is to be done."""

    def missing(self) -> bool:
        """Say whether there is no brief of today. Blocking."""
        ...

    def waits(self) -> bool:
        """Say whether there is one that is to be kept fresh: nobody has seen it yet. Blocking."""
        ...


class Morning:
    """A service. Nothing becomes an event, or a job, once the brief was seen."""

    name = "morning"

    def __init__(
        self,
        brief: Brief,
        accept: Accept,
        *,
        quiet: float = QUIET,
        longest: float = LONGEST,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._brief = brief
        self._accept = accept
        self._quiet = quiet
        self._longest = longest
        self._clock = clock
        self._heard = asyncio.Event()

    def hear(self, event: Event) -> None:
        """Given that something happened, look at the brief when it is quiet again."""
        if event.kind in CHANGES:
            self._heard.set()

    def look(self) -> None:
        """Given that a source brought something, do the same."""
        self._heard.set()

    async def serve(self) -> None:
        """Have a missing brief made, then the one there is made again when something changes."""
        await self.begin()
        while True:
            await self._heard.wait()
            await self._settle()
            await self.step()

    async def begin(self) -> None:
        """Have today's brief made if there is none."""
        if await asyncio.to_thread(self._brief.missing):
            await self._ask("")

    async def step(self) -> bool:
        """Have the brief made again if it still waits to be seen; say whether."""
        if not await asyncio.to_thread(self._brief.waits):
            return False
        await self._ask("refresh")
        return True

    async def _settle(self) -> None:
        """Wait until nothing more happens, or for long enough."""
        try:
            async with asyncio.timeout(self._longest):
                while self._heard.is_set():
                    self._heard.clear()
                    await asyncio.sleep(self._quiet)
        except TimeoutError:
            self._heard.clear()

    async def _ask(self, subject: str) -> None:
        now = self._clock()
        event = Scheduled(
            at=now, source="daemon", job="brief", due=now, agent="standup", subject=subject
        )
        await Lasting().retry(lambda: self._accept(event, None))
