"""Blocking calls that must not go on behind the back of whoever was cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def to_end(call: Callable[[], T]) -> T:
    """Make a call in a thread. When this is cancelled, the call is still waited for: nobody else
    may touch what it works on before it has ended."""
    task = asyncio.create_task(asyncio.to_thread(call))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise
