"""Threads for what looks at a person's folders, apart from those that all else runs in: git, or a
disk, may hang for minutes, and no answer and no event is to wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

THREADS = 32
"""So many looks may hang at once before others wait for them."""
GIT_SECONDS = 60.0
"""How long a look at a repository may take git."""

P = ParamSpec("P")
T = TypeVar("T")

_pool = ThreadPoolExecutor(THREADS, thread_name_prefix="look")


async def aside(look: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what a look returns, made in one of these threads; it is left behind when the caller
    is cancelled."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_pool, partial(look, *args, **kwargs))
