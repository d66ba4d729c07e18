"""Runtimes for tests: the real ledger and the real pool, with agents that do as they are told."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hermes.agents.contract import (
    Agent,
    Assignment,
    Context,
    Done,
    Finding,
    Lane,
    Outcome,
)
from hermes.agents.roster import Card, Seat
from hermes.daemon.bulk import Bulk
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.ledger.records import OPEN, Job, Spec, State
from hermes.daemon.reaper import Reaper
from hermes.daemon.runtime import Runtime

Act = Callable[[Assignment, Context], Awaitable[Outcome]]


@dataclass
class Scripted:
    """An agent that does what it is given, one act for each run; the last one for all others."""

    name: str
    acts: Sequence[Act | BaseException | Outcome]
    seen: list[Assignment] = field(default_factory=list[Assignment])

    async def handle(self, assignment: Assignment, context: Context) -> Outcome:
        act = self.acts[min(len(self.seen), len(self.acts) - 1)]
        self.seen.append(assignment)
        if isinstance(act, BaseException):
            raise act
        if callable(act):
            return await act(assignment, context)
        return act


class Gate:
    """An act that says when it runs and ends when it is let."""

    def __init__(self, outcome: Outcome | BaseException | None = None) -> None:
        self.running = asyncio.Event()
        self.open = asyncio.Event()
        self._outcome = outcome or Done("done")

    async def __call__(self, assignment: Assignment, context: Context) -> Outcome:
        self.running.set()
        await self.open.wait()
        if isinstance(self._outcome, BaseException):
            raise self._outcome
        return self._outcome


def card(
    name: str, *, limit: float = 60.0, bulk: bool = False, long: bool = False, light: bool = False
) -> Card:
    """Return a card for a scripted agent."""
    seat: Seat = "bulk" if bulk else "long" if long else "light" if light else "loop"
    return Card(name, "what the test says", seat=seat, time_limit=limit)


async def until(wanted: Callable[[], bool], seconds: float = 60.0) -> None:
    """Look again and again until what is wanted is so."""
    async with asyncio.timeout(seconds):
        while not wanted():  # noqa: ASYNC110
            await asyncio.sleep(0.005)


@dataclass
class World:
    """A runtime, what it stands on, and a clock that the test sets."""

    ledger: Ledger
    runtime: Runtime
    bulk: Bulk
    reaper: Reaper
    considered: list[tuple[Job, Sequence[Finding]]]
    troubled: list[Job]
    shift: list[float]

    @property
    def now(self) -> float:
        return time.time() + self.shift[0]

    async def put(self, *specs: Spec) -> list[Job]:
        """Queue work through the runtime."""
        return await self.runtime.submit(specs)

    async def step(self, later: float = 0.0) -> float | None:
        """Let time pass, and the runtime start what can start."""
        self.shift[0] += later
        return await self.runtime.step(self.now)

    async def until(self, job: Job, *states: State) -> Job:
        """Wait until a job stands in one of some states (by default: until it is over)."""

        def there() -> bool:
            state = self.ledger.queue.get(job.id).state
            return state in states or (not states and state not in OPEN)

        await until(there)
        if not states:  # attention is told right after
            await until(lambda: all(run["id"] != job.id for run in self.runtime.running()))
        return self.ledger.queue.get(job.id)

    async def idle(self) -> None:
        """Wait until nothing runs."""
        await until(lambda: not self.runtime.running())

    def journal(self, *topics: str) -> list[tuple[str, str]]:
        """Return topic and what of each entry."""
        return [(e.topic, e.what) for e in self.ledger.journal.after(0, 5_000, topics)]


@asynccontextmanager
async def world(
    folder: Path,
    *agents: Agent,
    cards: Mapping[str, Card] | None = None,
    serving: bool = True,
    **options: Any,
) -> AsyncGenerator[World]:
    """Run a runtime over a ledger in ``folder``; with ``serving`` false the test makes its steps."""
    ledger = Ledger.open(folder / "runtime.db")
    reaper = Reaper()
    bulk = Bulk(reaper)
    considered: list[tuple[Job, Sequence[Finding]]] = []
    troubled: list[Job] = []
    shift = [0.0]

    async def consider(job: Job, findings: Sequence[Finding]) -> None:
        considered.append((job, findings))

    async def trouble(job: Job) -> None:
        troubled.append(job)

    heard: dict[str, Any] = {"consider": consider, "trouble": trouble}
    runtime = Runtime(
        ledger,
        {agent.name: agent for agent in agents},
        bulk,
        reaper,
        owner=f"test {time.time_ns()}",
        cards=cards or {agent.name: card(agent.name) for agent in agents},
        clock=lambda: time.time() + shift[0],
        **(heard | options),
    )
    tasks = [asyncio.create_task(bulk.serve())]
    if serving:
        tasks.append(asyncio.create_task(runtime.serve()))
    try:
        yield World(ledger, runtime, bulk, reaper, considered, troubled, shift)
    finally:
        for task in reversed(tasks):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        ledger.close()


def spec(agent: str, subject: str = "", lane: Lane = Lane.REACTIVE, **fields: Any) -> Spec:
    """Return a spec for the queue."""
    return Spec(agent=agent, subject=subject, lane=lane, **fields)
