"""Time limits for a stream: until the first piece, between pieces, and in all."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import TypeVar

from .protocol import TimedOut

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds that a call may take."""

    connect: float = 2.0
    first: float = 90.0
    """Until the first piece: the server may have to load the model and must read the prompt."""
    between: float = 20.0
    """Between two pieces."""
    total: float = 180.0


async def limited(stream: AsyncGenerator[T], timeouts: Timeouts, who: str) -> AsyncGenerator[T]:
    """Given a stream, yield its pieces; raise TimedOut when one is late. Closes the stream."""
    end = time.monotonic() + timeouts.total
    first = True
    async with aclosing(stream):
        while True:
            patience = timeouts.first if first else timeouts.between
            left = end - time.monotonic()
            try:
                async with asyncio.timeout(max(0.0, min(patience, left))):
                    piece = await anext(stream)
            except StopAsyncIteration:
                return
            except TimeoutError:
                raise _late(who, timeouts, first=first, whole=left < patience) from None
            yield piece
            first = False


def _late(who: str, timeouts: Timeouts, *, first: bool, whole: bool) -> TimedOut:
    if whole:
        return TimedOut(
            f"{who} took longer than {timeouts.total:g} s for one answer.",
            hint="Use a smaller model, or raise the model's total timeout.",
        )
    if first:
        return TimedOut(
            f"{who} sent nothing for {timeouts.first:g} s.",
            hint="It may still be loading; ask again in a minute, or use a smaller model.",
        )
    return TimedOut(
        f"{who} stopped in the middle of an answer: nothing for {timeouts.between:g} s.",
        hint="Ask again; if it repeats, look at the model server's log.",
    )
