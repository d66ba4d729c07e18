"""Following the journal: whoever follows is woken by what is written, and reads it at its own pace.

Nothing is kept for a reader but the last number it saw, so a slow one costs nothing and holds up
nobody. One that is slower than the trimming is told how much it missed, and goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from .journal import Journal
from .records import Entry

BATCH = 200
"""Entries read at once."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Entries that were trimmed before this reader got to them."""

    missed: int


class Followers:
    """All who follow a journal, on one loop."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._loop: asyncio.AbstractEventLoop | None = None
        self._bells: set[asyncio.Event] = set()
        journal.listen(self.wake)

    def __len__(self) -> int:
        """Return how many follow."""
        return len(self._bells)

    def wake(self) -> None:
        """Have all look for new entries. Any thread may call this."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended, and with it whoever followed
                self._loop.call_soon_threadsafe(self._ring)

    async def follow(
        self, after: int, topics: Sequence[str] = (), repo: str | None = None
    ) -> AsyncGenerator[Entry | Gap]:
        """Yield what is in the journal behind ``after``, then what comes, without end.

        0 means from the oldest there is. A number that was never given (another home's cursor)
        means from now on. Raise HermesError as reading does.
        """
        self._loop = asyncio.get_running_loop()
        bell = asyncio.Event()
        self._bells.add(bell)
        seen = after
        try:
            while True:
                bell.clear()  # before reading: what is written from here on rings again
                page = await asyncio.to_thread(self._journal.page, seen, BATCH, topics, repo)
                seen = min(seen, page.newest)
                if 0 < seen < page.oldest - 1:
                    yield Gap(page.oldest - 1 - seen)
                for entry in page.entries:
                    yield entry
                if len(page.entries) == BATCH:
                    seen = page.entries[-1].number
                    continue
                # Those that were filtered out are seen as well, so that they are no gap later.
                seen = page.newest
                await bell.wait()
        finally:
            self._bells.discard(bell)

    def _ring(self) -> None:
        for bell in self._bells:
            bell.set()
