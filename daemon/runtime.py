"""The runtime: takes jobs from the ledger's queue, has agents do them, and writes down how they
ended. It sleeps until there is something to do."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ..agents.contract import Agent, Outcome
from ..agents.events import Event
from ..agents.roster import CARDS, Card
from ..memory.errors import HermesError
from .bulk import Bulk
from .context import JobContext, Models
from .endings import Again, Ended, Ending, fault, of_failure
from .ends import Consider, Ends, OnTrouble, key_of_job
from .holding import LOOK_SECONDS, Busy, Holding
from .lasting import Lasting
from .ledger.ledger import Ledger
from .ledger.records import Job, Spec, State
from .live import Live, LiveJobs
from .loopwatch import LoopWatch
from .machine import Restraint, Strength
from .making_way import make_way
from .pause import Pause
from .pools import Pools
from .reaper import Reaper
from .rounds import Rounds
from .run import GRACE_SECONDS, Run
from .slots import SLOTS

LONGEST_SLEEP = 60.0
"""Seconds, while something waits for a time: clocks jump, and machines are suspended."""
HINTS = frozenset({"index_changed", "committed", "head_moved", "refs_moved", "repo_added"})
"""Kinds of events that come with a commit or just before one."""
DEFAULT_LIMIT = 600.0
"""Seconds for an agent that has no card."""

Fields = dict[str, Any]

logger = logging.getLogger(__name__)


async def _nobody(*_: object) -> None:
    """Attention that is not there."""


class Runtime:
    """The pool of slots over the queue. A service."""

    name = "runtime"

    def __init__(
        self,
        ledger: Ledger,
        agents: Mapping[str, Agent],
        bulk: Bulk,
        reaper: Reaper,
        *,
        owner: str,
        cards: Mapping[str, Card] = CARDS,
        models: Models = lambda agent, lane, job: None,
        consider: Consider = _nobody,
        trouble: OnTrouble = _nobody,
        busy: Busy = lambda repo: None,
        ready: Callable[[], Awaitable[object]] = _nobody,
        strength: Strength | None = None,
        on_overgrown: Callable[[int], None] = lambda rss: None,
        watch: LoopWatch | None = None,
        slots: int = SLOTS,
        grace: float = GRACE_SECONDS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """``owner`` names this process, differently each time. ``busy`` is called in a thread.
        ``ready`` is awaited before an agent is let at a job. ``on_overgrown`` is told the bytes this process holds when they are too many."""
        self._ledger = ledger
        self._agents = agents
        self._bulk = bulk
        self._reaper = reaper
        self._owner = owner
        self._cards = cards
        self._models = models
        self._ready = ready
        self._holding = Holding(busy)
        self._pools = Pools(ledger, self._holding, cards, agents, owner=owner, slots=slots)
        self._strength = strength or Strength(None)
        self._watch = watch
        self._grace = grace
        self._now = clock
        self._lasting = Lasting()
        self._ends = Ends(ledger, self._lasting, consider, trouble)
        self.closing = self._lasting.closing
        """Set when the daemon stops: nobody is to wait for a job any more."""
        self._woken = asyncio.Event()
        self._taking = asyncio.Lock()
        """Held from a job's start in the ledger until it is known here."""
        self._runs: dict[int, Run] = {}
        self._live = LiveJobs(ledger, self.closing, self.wake)
        self._tasks: set[asyncio.Task[None]] = set()
        self._lost: set[asyncio.Task[Outcome]] = set()
        self._pause = Pause(ledger)
        self._rounds = Rounds(
            ledger, bulk, reaper, self._strength, owner=owner, on_overgrown=on_overgrown
        )

    # What others call.

    async def submit(self, specs: Sequence[Spec]) -> list[Job]:
        """Queue work; return the jobs it became, or became part of. Raise NoSpace or ReadOnly."""
        queued = await asyncio.to_thread(self._ledger.queue.put, specs, self._now())
        self.wake()
        return [each.job for each in queued]

    def wake(self) -> None:
        """Have it look for jobs: something was queued."""
        self._woken.set()

    def foresee(self, event: Event) -> None:
        """Have the worker get ready if an event, even before it is on disk, promises work for it:
        starting one takes longer than reading a commit."""
        if event.kind in HINTS:
            self.get_ready()

    def get_ready(self) -> None:
        """Have the worker get ready: work for it is likely within a second."""
        if not self._pause.on and self._strength.of_worker != "pause":
            self._bulk.foresee()

    def watch(self, job_id: int) -> AsyncGenerator[Fields]:
        """Yield a job's progress until it is over; the last object says how. Leaving is free.

        Raise NoSuchId if there is no such job.
        """
        return self._live.watch(job_id)

    async def cancel(self, job_id: int) -> Job:
        """Cancel a job that waits or runs; return it when it is over."""
        async with self._taking:
            run = self._runs.get(job_id)
            if run is None:
                job = await asyncio.to_thread(self._ledger.queue.cancel, job_id, self._now())
                self._live.tell(job)
                return job
        run.cancelled = True
        run.halt.set()
        await run.over.wait()
        return run.live.job

    async def cancel_subject(self, agent: str, subject: str) -> None:
        """Cancel all that waits, runs or is blocked of one task of an agent, and have nothing that
        went wrong with it stand any longer."""
        queue = self._ledger.queue
        states = (State.QUEUED, State.RUNNING, State.BLOCKED_CONFIG)
        for job in await asyncio.to_thread(queue.find, states, agent, None, 1_000):
            if job.subject == subject:
                await self.cancel(job.id)

        def deal_with() -> None:
            trouble = [job for job in queue.trouble() if job.agent == agent]
            queue.deal_with([job.id for job in trouble if job.subject == subject])

        await asyncio.to_thread(deal_with)

    async def cancel_repo(self, repo: str) -> None:
        """Cancel all that waits, runs or is blocked for a repository, and have nothing that went
        wrong with it stand any longer: it leaves memory."""
        queue = self._ledger.queue
        states = (State.QUEUED, State.RUNNING, State.BLOCKED_CONFIG)
        jobs = await asyncio.to_thread(queue.find, states, None, repo, 1_000, None)
        for job in jobs:
            await self.cancel(job.id)

        def deal_with() -> None:
            queue.deal_with([job.id for job in queue.trouble() if job.repo == repo])

        await asyncio.to_thread(deal_with)

    async def pause(self, until: float | None) -> None:
        """Let only on-demand work start, until a time or until `resume`."""
        await self._pause.begin(until, self._now())
        self._bulk.give_way()
        self.wake()

    async def resume(self) -> None:
        """Let all work start again."""
        await self._pause.end(self._now())
        self.wake()

    @property
    def held_back(self) -> str:
        """Why nothing starts that nobody waits for, in a few words; empty when it does."""
        if self._pause.on:
            return "hermes is paused"
        return self._strength.why if self._strength.restraint == "pause" else ""

    @property
    def paused(self) -> bool:
        """Whether only on-demand work starts."""
        return self._pause.on

    def running(self) -> list[Fields]:
        """Return what runs, and how far it is."""
        return [run.live.fields() for run in self._runs.values()]

    def at_work(self, agent: str, subject: str, repo: str | None) -> Job | None:
        """Return the job of this kind that runs now."""
        for run in self._runs.values():
            job = run.job
            if (job.agent, job.subject, job.repo) == (agent, subject, repo) and not job.dry_run:
                return run.live.job
        return None

    async def latest(self, agent: str, subject: str, repo: str | None) -> Fields | None:
        """Return the job of this kind that runs, else that waits, else that ended last."""
        for run in self._runs.values():
            if (run.job.agent, run.job.subject, run.job.repo) == (agent, subject, repo):
                return run.live.fields()
        find = self._ledger.queue.find
        jobs = await asyncio.to_thread(find, (), agent, repo, 50)
        found = [job for job in jobs if job.subject == subject and job.repo == repo]
        waiting = [job for job in found if job.state is State.QUEUED]
        job = next(iter(waiting or found), None)
        return None if job is None else Live(job).fields()

    def state(self) -> Fields:
        """Return whether it works, as triggers do."""
        fault = detail = self._lasting.fault
        if not detail and self._lost:
            detail = f"{len(self._lost)} agents did not stop when they were told to"
        detail = detail or self._strength.note
        state = "down" if fault else "degraded" if detail else "ok"
        return {"name": self.name, "state": state, "detail": detail, "last": None}

    async def summary(self) -> Fields:
        """Return what runs, how much waits and why, and what went wrong, for status."""
        queue, now = self._ledger.queue, self._now()

        def look() -> tuple[list[Job], Fields, list[Job]]:
            # In one piece: what is between two states must not seem to be gone.
            with self._ledger.database.reading():
                return queue.running(), queue.depths(now), queue.trouble()

        running, lanes, trouble = await asyncio.to_thread(look)
        return {
            "running": [self._live.fields(job) for job in running],
            "lanes": lanes,
            "failed": [job.fields() for job in trouble],
            "paused": self._pause.fields(),
            "restraint": self._strength.restraint,
            "restraint_why": self._strength.why,
            "held": self._holding.fields(time.monotonic()),
            "worker": self._bulk.summary(),
        }

    # The service.

    async def serve(self) -> None:
        """Take up what an earlier process left, and run jobs until cancelled; then stop them."""
        try:
            await self._take_up()
            while True:
                self._woken.clear()
                sleep = await self._lasting.retry(lambda: self.step(self._now()))
                with suppress(TimeoutError):
                    async with asyncio.timeout(sleep):
                        await self._woken.wait()
        finally:
            await self._stop()

    async def step(self, now: float) -> float | None:
        """Start what can start now. Return in how many seconds to look again at the latest; None
        if only an event can change anything. Raise HermesError if the ledger fails."""
        clock = time.monotonic()
        left = self._pause.left(now)
        if left is not None and left <= 0:
            await self._pause.end(now)
        if self._holding:
            await asyncio.to_thread(self._holding.look, clock)
        await self._fill(now, clock)
        await make_way(self._runs, self._agents, self._ledger.queue)
        await self._live.look_after(self._runs)
        wake = await asyncio.to_thread(self._ledger.queue.next_wake, now)
        restrained = self._strength.restraint != "go"
        work = bool(self._runs) or wake is not None or (restrained and await self._waits(now))
        await self._rounds.go(list(self._runs), now, clock, work=work)
        if self._strength.restraint != "go" or restrained:
            await self._fill(now, clock)  # it may have become less just now
        waits = self._rounds.waits(list(self._runs), now, clock, work=work)
        waits += [wait for wait in (self._pause.left(now),) if wait is not None]
        waits += [LOOK_SECONDS] if self._holding else []
        waits += [wake - now] if wake is not None else []
        return max(0.0, min(*waits, LONGEST_SLEEP)) if waits else None

    async def _fill(self, now: float, clock: float) -> None:
        """Start what may start now."""
        ours: Restraint = "pause" if self._pause.on else self._strength.restraint
        workers: Restraint = "pause" if self._pause.on else self._strength.of_worker
        while not self.closing.is_set():
            async with self._taking:
                runs = list(self._runs.values())
                job = await self._pools.take(runs, ours, workers, now, clock, self._live.tell)
                if job is None:
                    break
                self._start(job)

    async def _waits(self, now: float) -> bool:
        """Return whether anything waits, also what is due and held back."""
        lanes = await asyncio.to_thread(self._ledger.queue.depths, now)
        return any(lane["queued"] for lane in lanes.values())

    async def _take_up(self) -> None:
        queue = self._ledger.queue
        back = await self._lasting.call(lambda: queue.recover(self._now(), self._owner))
        for job in back or ():
            if job.state is State.QUEUED:
                logger.info("taking up j%d %s %s again", job.id, job.agent, job.subject)
            else:
                await self._ends.lost(job)
        await self._pause.load()

    async def _stop(self) -> None:
        self.closing.set()
        for run in self._runs.values():
            run.stopping = True
            run.halt.set()
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=self._grace + 2.0)
        if self._watch is not None:
            self._watch.disarm()

    # One job.

    def _start(self, job: Job) -> None:
        run = self._runs[job.id] = Run(job, self._live.start(job), self._pools.seat_of(job.agent))
        if self._watch is not None:
            self._watch.arm()
        task = asyncio.create_task(self._run(run), name=f"runtime j{job.id}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, run: Run) -> None:
        job = run.job
        context = JobContext(job, run.live, self._bulk, self._models)
        try:
            ending = await self._ending(run, context)
            await asyncio.to_thread(self._reaper.release_job, job.id)
            after = await self._ends.write(run, ending, context, self._now())
            if after is not None:
                self._live.tell(after, retrying=isinstance(ending, Again))
        except HermesError as error:
            logger.error("the end of j%d is not written down: %s", job.id, error.message)
        except Exception:
            # A fault of ours: the traceback is in the log, and the job must not seem to run for ever.
            logger.exception("the end of j%d is not written down", job.id)
            await self._let_go(job)
        finally:
            del self._runs[job.id]
            run.over.set()
            if not self._runs and self._watch is not None:
                self._watch.disarm()
            self._rounds.ended(self._now())
            self.wake()

    async def _let_go(self, job: Job) -> None:
        """Have a job tried again whose end could not be written down."""
        reason = "how it ended could not be written down"
        ended = fault(reason)
        again = self._ledger.queue.retry_later
        with suppress(HermesError):
            await asyncio.to_thread(
                again, job.id, self._now(), delay=60.0, reason=reason, error=ended.error
            )

    async def _ending(self, run: Run, context: JobContext) -> Ending:
        """Have the agent do its work; return how that ended."""
        job = run.job
        agent = self._agents.get(job.agent)
        if agent is None:
            text = f"there is no agent {job.agent}"
            error = {"error": text, "hint": "hermes status lists agents", "code": "no_agent"}
            return Ended(State.BLOCKED_CONFIG, text, error=error)
        card = self._cards.get(job.agent)
        limit = card.time_limit if card is not None else DEFAULT_LIMIT
        try:
            found = await asyncio.to_thread(self._ledger.intake.of_job, job.id)
        except HermesError as error:
            return of_failure(error)
        return await run.perform(
            agent,
            [event for _, event in found],
            context,
            limit,
            ready=self._ready,
            seen=lambda digest: self._ledger.queue.seen(key_of_job(job), digest),
            on_lost=self._lose,
            grace=self._grace,
        )

    def _lose(self, task: asyncio.Task[Outcome]) -> None:
        """Keep sight of a task that does not stop."""
        self._lost.add(task)

        def found(task: asyncio.Task[Outcome]) -> None:
            self._lost.discard(task)
            error = None if task.cancelled() else task.exception()
            logger.warning("%s has ended after all (%r)", task.get_name(), error)

        task.add_done_callback(found)
