"""Takes from the queue what may start now: in the slots of the loop, of long work, of the worker."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping

from ..agents.contract import Lane
from ..agents.roster import Card, Seat
from .holding import Holding
from .ledger.ledger import Ledger
from .ledger.records import Job
from .machine import Restraint
from .run import Run
from .slots import BULK_SLOTS, LIGHT_SLOTS, LONG_SLOTS, open_lanes

LEASE_SECONDS = 60.0


class Pools:
    """Pools over one queue: what takes minutes, or waits for the worker, takes no slot from what is
    done in a moment."""

    def __init__(
        self,
        ledger: Ledger,
        holding: Holding,
        cards: Mapping[str, Card],
        agents: Collection[str],
        *,
        owner: str,
        slots: int,
    ) -> None:
        self._ledger = ledger
        self._holding = holding
        self._owner = owner
        self._slots = slots
        self._agents = frozenset({*agents, *cards})
        self._seats: dict[str, Seat] = {name: card.seat for name, card in cards.items()}

    def seat_of(self, agent: str) -> Seat:
        """Return where an agent works."""
        return self._seats.get(agent, "loop")

    async def take(
        self,
        runs: Collection[Run],
        restraint: Restraint,
        of_worker: Restraint,
        now: float,
        clock: float,
        on_held: Callable[[Job], None],
    ) -> Job | None:
        """Return the next job that may start beside what runs, with so much restraint on the loop
        and for the worker. ``on_held`` is told of one that went back, because git is in the middle
        of something in its repository."""
        # "slow" is one thing at a time, and that the worker does anyway. What is light goes on while
        # the machine is busy, and rests with the worker: when a person or the battery says so.
        easy: Restraint = "pause" if of_worker == "pause" else "go"
        pools: tuple[tuple[Seat, int, Restraint], ...] = (
            ("loop", self._slots, restraint),
            ("light", LIGHT_SLOTS, easy),
            ("long", LONG_SLOTS, restraint),
            ("bulk", BULK_SLOTS, easy),
        )
        for seat, slots, held in pools:
            lanes = open_lanes([run.job.lane for run in runs if run.seat == seat], slots, held)
            without = {agent for agent in self._agents if self.seat_of(agent) != seat}
            job = await self._take(lanes & {Lane.ON_DEMAND}, without, now)
            while job is None:
                job = await self._take(lanes - {Lane.ON_DEMAND}, without | self._held, now)
                if job is None:
                    break
                why = await self._hold(job, clock)
                if why:
                    queue = self._ledger.queue
                    on_held(await asyncio.to_thread(queue.give_back, job.id, now, reason=why))
                    job = None
            if job is not None:
                return job
        return None

    @property
    def _held(self) -> set[str]:
        return {f"{agent}/{repo}" for repo in self._holding.repos for agent in self._agents}

    async def _hold(self, job: Job, clock: float) -> str:
        if job.repo is None:
            return ""
        return await asyncio.to_thread(self._holding.hold, job.repo, clock)

    async def _take(
        self, lanes: Collection[Lane], without: Collection[str], now: float
    ) -> Job | None:
        if not lanes:
            return None
        return await asyncio.to_thread(
            self._ledger.queue.take,
            now,
            owner=self._owner,
            lanes=lanes,
            without=without,
            lease=LEASE_SECONDS,
        )
