"""One run of one agent: with a time limit, and with an end also when the agent does not obey."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from ..agents.contract import Agent, Assignment, Lane, Outcome, Skipped
from ..agents.events import Event
from ..agents.roster import Seat
from .context import JobContext
from .endings import Ended, Ending, GivenBack, fault, of_failure, of_outcome
from .ledger.records import Job, State
from .live import Live

GRACE_SECONDS = 5.0
"""How long an agent that is told to stop may take; then it is left to itself."""

logger = logging.getLogger(__name__)


@runtime_checkable
class Digests(Protocol):
    """An agent whose work depends on its input alone: the same input is not done twice."""

    async def digest(self, assignment: Assignment) -> str:
        """Return what stands for the input, e.g. the id of a tree. Raise as `handle` does."""
        ...


@runtime_checkable
class GivesWay(Protocol):
    """An agent whose work may be worth nothing any more once newer work of the same kind waits."""

    def gives_way(self, running: Assignment, newer: Assignment) -> bool:
        """Say whether what runs is to be stopped for what waits. What it was to do and did not is
        for the agent to remember."""
        ...


@dataclass
class Run:
    """A job that runs. Set ``cancelled``, ``stopping`` or ``superseded_by``, then ``halt``, to
    end it early."""

    job: Job
    live: Live
    seat: Seat
    halt: asyncio.Event = field(default_factory=asyncio.Event)
    cancelled: bool = False
    """A person does not want it any more."""
    stopping: bool = False
    """The daemon stops."""
    superseded_by: int = 0
    """The newer job of the same kind that it gives way to."""
    digest: str = ""
    """Of its input, where the agent can tell."""
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when its end is on disk."""

    async def perform(
        self,
        agent: Agent,
        events: Sequence[Event],
        context: JobContext,
        limit: float,
        *,
        ready: Callable[[], Awaitable[object]],
        seen: Callable[[str], bool],
        on_lost: Callable[[asyncio.Task[Outcome]], None],
        grace: float = GRACE_SECONDS,
    ) -> Ending:
        """Have the agent do its work for at most ``limit`` seconds; return how it ended.

        ``ready`` is awaited first, and may raise as an agent may. ``seen`` says, in a thread,
        whether an input was done before. ``on_lost`` is handed a task that did not end when it
        was told to.
        """
        assignment = assignment_of(self.job, events)
        task = asyncio.create_task(
            self._handle(agent, assignment, context, ready, seen),
            name=f"j{self.job.id} {self.job.agent}",
        )
        halt = asyncio.create_task(self.halt.wait())
        try:
            await asyncio.wait({task, halt}, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
        finally:
            halt.cancel()
        in_time = task.done()
        if not in_time:
            task.cancel()
            await asyncio.wait({task}, timeout=grace)
            if not task.done():
                logger.error(
                    "%s did not stop within %g s and is left to itself", task.get_name(), grace
                )
                on_lost(task)
                return self._cut_short(limit)
        if task.cancelled():
            return self._cut_short(limit) if not in_time else fault("it cancelled itself")
        error = task.exception()
        if error is None:
            return of_outcome(task.result())
        if not in_time:
            logger.info("%s, when stopped, raised: %r", task.get_name(), error)
            return self._cut_short(limit)
        ending = of_failure(error)
        if not isinstance(ending, (Ended, GivenBack)) and ending.fault:
            logger.error("%s failed", task.get_name(), exc_info=error)
        return ending

    async def _handle(
        self,
        agent: Agent,
        assignment: Assignment,
        context: JobContext,
        ready: Callable[[], Awaitable[object]],
        seen: Callable[[str], bool],
    ) -> Outcome:
        await ready()
        if isinstance(agent, Digests) and not assignment.dry_run:
            self.digest = await agent.digest(assignment)
            # A person who asks has it done all the same.
            if assignment.lane is not Lane.ON_DEMAND and await asyncio.to_thread(seen, self.digest):
                return Skipped("it was done before with the same input")
        return await agent.handle(assignment, context)

    def _cut_short(self, limit: float) -> Ending:
        """Return how a run ends that was ended from outside."""
        if self.cancelled:
            return Ended(State.CANCELLED, "cancelled")
        if self.superseded_by:
            return Ended(State.SKIPPED, f"superseded by j{self.superseded_by}")
        if self.stopping:
            return GivenBack("the daemon stopped")
        return fault(f"it took longer than its {limit:g} s")


def assignment_of(job: Job, events: Sequence[Event] = ()) -> Assignment:
    """Return a job as its agent sees it."""
    return Assignment(
        job=job.id,
        agent=job.agent,
        subject=job.subject,
        lane=job.lane,
        repo=job.repo,
        paths=job.paths,
        folders=job.folders,
        whole=job.whole,
        events=tuple(events),
        text=job.text,
        dry_run=job.dry_run,
        attempt=max(1, job.attempts),
    )
