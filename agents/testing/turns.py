"""One run at a time in a repository: its tree and its caches are shared by all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

from ..contract import Lane, Outcome, Preempted


@dataclass(slots=True)
class _Turn:
    lane: Lane
    task: asyncio.Task[Outcome]
    preempted: bool = False


class Turns:
    """Who waits for a more urgent lane ends what a less urgent one runs; that goes back into the
    queue."""

    def __init__(self) -> None:
        self._held: dict[str, _Turn] = {}

    async def take(self, repo: str, lane: Lane, work: Coroutine[Any, Any, Outcome]) -> Outcome:
        """Do the work when it is its turn. Raise Preempted if something more urgent ended it."""
        try:
            while (held := self._held.get(repo)) is not None:
                if lane < held.lane and not held.preempted:
                    held.preempted = True
                    held.task.cancel()
                await asyncio.wait({held.task})
                await asyncio.sleep(0)  # who held it takes note first
        except BaseException:
            work.close()
            raise
        turn = self._held[repo] = _Turn(lane, asyncio.create_task(work))
        try:
            await asyncio.wait({turn.task})
        finally:
            if not turn.task.done():
                turn.task.cancel()
                await asyncio.wait({turn.task})
            del self._held[repo]
        if turn.preempted and turn.task.cancelled():
            raise Preempted
        return turn.task.result()
