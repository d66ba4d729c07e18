"""Calls of the ledger that must succeed, however long the disk refuses."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from ..memory.errors import NoSpace, ReadOnly, StoreBusy

RETRY_SECONDS = (2.0, 30.0)
"""First and longest wait while the ledger can't be written."""
UNWRITABLE = (NoSpace, ReadOnly, StoreBusy)

T = TypeVar("T")

logger = logging.getLogger(__name__)


class Lasting:
    """Makes calls, again and again while the disk does not take them. ``fault`` says
    what is wrong meanwhile, for status."""

    def __init__(self) -> None:
        self.fault = ""
        self.closing = asyncio.Event()
        """Set when the daemon stops: then a call that fails is given up."""

    async def call(self, call: Callable[[], T]) -> T | None:
        """Return what a call of the ledger returns, made in a thread; None if the daemon stops
        before it succeeds."""
        return await self.retry(lambda: asyncio.to_thread(call))

    async def retry(self, attempt: Callable[[], Awaitable[T]]) -> T | None:
        """Return what an attempt returns; None if the daemon stops before one succeeds."""
        delay = RETRY_SECONDS[0]
        while True:
            try:
                found = await attempt()
            except UNWRITABLE as error:
                if not self.fault:
                    logger.error("%s %s", error.message, error.hint)
                self.fault = error.message
            else:
                self.fault = ""
                return found
            try:
                async with asyncio.timeout(delay):
                    await self.closing.wait()
                return None
            except TimeoutError:
                delay = min(2 * delay, RETRY_SECONDS[1])
