"""The runtime: takes jobs from the ledger's queue, has agents do them, and writes down how they
ended. It sleeps until there is something to do."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

from ..agents.contract import Agent, Finding, Lane, Outcome
from ..agents.events import Event
from ..agents.roster import CARDS, Card
from ..memory.errors import HermesError, NoSpace, ReadOnly, StoreBusy
from .bulk import Bulk
from .context import JobContext, Models
from .endings import Again, Ended, Ending, GivenBack, of_failure, specs_of
from .holding import LOOK_SECONDS, Busy, Holding
from .ledger.ledger import Ledger
from .ledger.queue import backoff
from .ledger.records import OPEN, WELL, Job, Spec, State
from .live import Live, follow
from .loopwatch import LoopWatch
from .machine import Conditions, Limits, Machine, Restraint, overgrown, restraint, why_restrained
from .reaper import ANONYMOUS_SECONDS, Reaper
from .run import GRACE_SECONDS, Run
from .slots import BULK_SLOTS, SLOTS, open_lanes

LEASE_SECONDS = 60.0
BEAT_SECONDS = 20.0
MACHINE_SECONDS = 60.0
"""How often the machine is looked at while there is work."""
LONGEST_SLEEP = 60.0
"""Seconds, while something waits for a time: clocks jump, and machines are suspended."""
DISK_SECONDS = (2.0, 30.0)
"""First and longest wait while the ledger can't be written."""
UNWRITABLE = (NoSpace, ReadOnly, StoreBusy)

Consider = Callable[[Job, Sequence[Finding]], Awaitable[None]]
OnTrouble = Callable[[Job], Awaitable[None]]
Fields = dict[str, Any]
T = TypeVar("T")

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
        machine: Machine | None = None,
        limits: Limits | None = None,
        on_overgrown: Callable[[int], None] = lambda rss: None,
        watch: LoopWatch | None = None,
        slots: int = SLOTS,
        grace: float = GRACE_SECONDS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """``owner`` names this process, differently each time. ``busy`` is called in a thread.
        ``on_overgrown`` is told the bytes this process holds when they are too many."""
        self._ledger = ledger
        self._agents = agents
        self._bulk = bulk
        self._reaper = reaper
        self._owner = owner
        self._cards = cards
        self._models = models
        self._consider = consider
        self._trouble = trouble
        self._holding = Holding(busy)
        self._machine = machine
        self._limits = limits or Limits()
        self._on_overgrown = on_overgrown
        self._watch = watch
        self._slots = slots
        self._grace = grace
        self._now = clock
        self._random = random.Random()
        self.closing = asyncio.Event()
        """Set when the daemon stops: nobody is to wait for a job any more."""
        self._woken = asyncio.Event()
        self._runs: dict[int, Run] = {}
        self._live: dict[int, Live] = {}
        """Jobs that run, or that someone watches."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._lost: set[asyncio.Task[Outcome]] = set()
        self._stopping = False
        self._paused_until: float | None = None
        self._paused = False
        self._conditions = Conditions()
        self._restraint: Restraint = "go"
        self._looked = self._beaten = 0.0
        self._sweep_at: float | None = None
        self._fault = ""

    # What others call.

    async def submit(self, specs: Sequence[Spec]) -> list[Job]:
        """Queue work; return the jobs it became, or became part of. Raise NoSpace or ReadOnly."""
        queued = await asyncio.to_thread(self._ledger.queue.put, specs, self._now())
        self.wake()
        return [each.job for each in queued]

    def wake(self) -> None:
        """Have it look for jobs: something was queued."""
        self._woken.set()

    def foresee(self) -> None:
        """Have the worker get ready, since a job for it is to be expected."""
        if not self._paused and self._restraint != "pause":
            self._bulk.foresee()

    async def watch(self, job_id: int) -> AsyncGenerator[Fields]:
        """Yield a job's progress until it is over; the last object says how. Leaving is free.

        Raise NoSuchId if there is no such job.
        """
        live = self._live.get(job_id)
        if live is None:
            job = await asyncio.to_thread(self._ledger.queue.get, job_id)
            # It may have started meanwhile.
            live = self._live.setdefault(job_id, Live(job))
        async for fields in follow(live, self.closing):
            yield fields

    async def cancel(self, job_id: int) -> Job:
        """Cancel a job that waits or runs; return it when it is over."""
        run = self._runs.get(job_id)
        if run is None:
            job = await asyncio.to_thread(self._ledger.queue.cancel, job_id, self._now())
            self._tell(job)
            return job
        run.cancelled = True
        run.halt.set()
        await run.over.wait()
        return run.live.job

    async def cancel_repo(self, repo: str) -> None:
        """Cancel all that waits or runs for a repository."""
        states = (State.QUEUED, State.RUNNING)
        jobs = await asyncio.to_thread(self._ledger.queue.find, states, None, repo, 1_000, None)
        for job in jobs:
            await self.cancel(job.id)

    async def pause(self, until: float | None) -> None:
        """Let only on-demand work start, until a time or until `resume`."""
        now = self._now()
        await asyncio.to_thread(self._ledger.values.set, "pause", {"until": until}, now)
        await self._journal(
            "paused",
            "" if until is None else time.strftime("until %Y-%m-%d %H:%M", time.localtime(until)),
        )
        self._paused, self._paused_until = True, until
        self._bulk.give_way()
        self.wake()

    async def resume(self) -> None:
        """Let all work start again."""
        await asyncio.to_thread(self._ledger.values.delete, "pause")
        if self._paused:
            await self._journal("resumed")
        self._paused = False
        self.wake()

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

    def state(self) -> Fields:
        """Return whether it works, as triggers do."""
        detail = self._fault
        if not detail and self._lost:
            detail = f"{len(self._lost)} agents did not stop when they were told to"
        state = "down" if self._fault else "degraded" if self._lost else "ok"
        return {"name": self.name, "state": state, "detail": detail, "last": None}

    async def summary(self) -> Fields:
        """Return what runs, what waits and why, and what went wrong, for status."""
        queue = self._ledger.queue
        waiting, lanes, trouble = await asyncio.to_thread(
            lambda: (
                queue.find((State.QUEUED,), None, None, 20, None),
                queue.depths(self._now()),
                queue.trouble(),
            )
        )
        return {
            "running": self.running(),
            "waiting": [job.fields() for job in waiting],
            "lanes": lanes,
            "failed": [job.fields() for job in trouble],
            "slots": {"total": self._slots, "busy": self._busy_slots(bulk=False)},
            "paused": {"until": self._paused_until} if self._paused else None,
            "restraint": self._restraint,
            "restraint_why": why_restrained(self._conditions, self._limits),
            "held": self._holding.fields(time.monotonic()),
            "worker_pid": self._bulk.worker_pid,
            "bulk": self._bulk.summary(),
        }

    # The service.

    async def serve(self) -> None:
        """Take up what an earlier process left, and run jobs until cancelled; then stop them."""
        delays = DISK_SECONDS[0]
        try:
            await self._take_up()
            while True:
                self._woken.clear()
                try:
                    sleep = await self.step(self._now())
                    self._fault, delays = "", DISK_SECONDS[0]
                except UNWRITABLE as error:
                    if not self._fault:
                        logger.error("%s %s", error.message, error.hint)
                    self._fault = error.message
                    sleep, delays = delays, min(2 * delays, DISK_SECONDS[1])
                    await asyncio.sleep(sleep)
                    continue
                await self._sleep(sleep)
        finally:
            await self._stop()

    async def step(self, now: float) -> float | None:
        """Start what can start now. Return in how many seconds to look again at the latest; None
        if only an event can change anything. Raise HermesError if the ledger fails."""
        clock = time.monotonic()
        if self._paused and self._paused_until is not None and now >= self._paused_until:
            await self.resume()
        await self._beat(now, clock)
        if self._holding:
            await asyncio.to_thread(self._holding.look, clock)
        while (job := await self._take(now, clock)) is not None:
            self._start(job)
        await self._tell_watchers()
        wake = await asyncio.to_thread(self._ledger.queue.next_wake, now)
        await self._look_at_machine(clock, waiting=wake is not None)
        await self._sweep(now)
        return self._rest(now, clock, wake)

    def _rest(self, now: float, clock: float, wake: float | None) -> float | None:
        moments: list[float] = []
        if wake is not None:
            moments.append(min(max(0.0, wake - now), LONGEST_SLEEP))
        if self._runs:
            moments += [
                self._beaten + BEAT_SECONDS - clock,
                self._looked + MACHINE_SECONDS - clock,
            ]
        elif self._restraint != "go":
            moments.append(self._looked + MACHINE_SECONDS - clock)
        if self._holding:
            moments.append(LOOK_SECONDS)
        if self._paused and self._paused_until is not None:
            moments.append(min(max(0.0, self._paused_until - now), LONGEST_SLEEP))
        if self._sweep_at is not None:
            moments.append(self._sweep_at - now)
        return max(0.0, min(moments)) if moments else None

    async def _sleep(self, seconds: float | None) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        except TimeoutError:
            pass

    async def _take_up(self) -> None:
        now = self._now()
        back = await self._lasting(
            lambda: self._ledger.queue.recover(now, self._owner), "what was left undone"
        )
        for job in back or ():
            if job.state is State.QUEUED:
                logger.info("taking up j%d %s %s again", job.id, job.agent, job.subject)
            else:
                await self._told(self._trouble(job))
        kept = await asyncio.to_thread(self._ledger.values.get, "pause")
        if kept is not None:
            self._paused, self._paused_until = True, kept["until"]

    async def _stop(self) -> None:
        self._stopping = True
        self.closing.set()
        for run in self._runs.values():
            run.stopping = True
            run.halt.set()
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=self._grace + 2.0)
        if self._watch is not None:
            self._watch.disarm()

    # One job.

    async def _take(self, now: float, clock: float) -> Job | None:
        """Return the next job that may start in one of the two pools."""
        pause: Restraint = "pause" if self._paused or self._stopping else self._restraint
        bulk = {name for name, card in self._cards.items() if card.seat == "bulk"}
        loop = {*self._agents, *self._cards} - bulk
        # "slow" is one thing at a time, and that the worker does anyway.
        easy: Restraint = "pause" if pause == "pause" else "go"
        for without, lanes in (
            (bulk, open_lanes(self._lanes(bulk=False), self._slots, pause)),
            (loop, open_lanes(self._lanes(bulk=True), BULK_SLOTS, easy)),
        ):
            job = await self._take_of(lanes & {Lane.ON_DEMAND}, without, now)
            if job is not None:
                return job
            while True:
                job = await self._take_of(lanes - {Lane.ON_DEMAND}, without | self._held, now)
                if job is None:
                    break
                why = await self._hold(job, clock)
                if not why:
                    return job
                self._tell(
                    await asyncio.to_thread(self._ledger.queue.give_back, job.id, now, reason=why)
                )
        return None

    @property
    def _held(self) -> set[str]:
        return {f"{agent}/{repo}" for repo in self._holding.repos for agent in self._agents}

    async def _take_of(
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

    async def _hold(self, job: Job, clock: float) -> str:
        if job.lane is Lane.ON_DEMAND or job.repo is None:
            return ""
        return await asyncio.to_thread(self._holding.hold, job.repo, clock)

    def _start(self, job: Job) -> None:
        live = self._live.setdefault(job.id, Live(job))
        live.change(job=job, phase="", done=0, total=0)
        card = self._cards.get(job.agent)
        run = self._runs[job.id] = Run(job, live, card is not None and card.seat == "bulk")
        if self._watch is not None:
            self._watch.arm()
        task = asyncio.create_task(self._run(run), name=f"runtime j{job.id}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, run: Run) -> None:
        job = run.job
        try:
            ending = await self._ending(run)
            await self._conclude(run, ending)
        finally:
            del self._runs[job.id]
            run.over.set()
            if not self._runs and self._watch is not None:
                self._watch.disarm()
            self._sweep_at = self._now() + ANONYMOUS_SECONDS + 1
            self.wake()

    async def _ending(self, run: Run) -> Ending:
        job = run.job
        agent = self._agents.get(job.agent)
        if agent is None:
            text = f"there is no agent {job.agent}"
            error = {"error": text, "hint": "hermes status lists agents", "code": "no_agent"}
            return Ended(State.BLOCKED_CONFIG, text, error=error)
        card = self._cards.get(job.agent)
        limit = card.time_limit if card is not None else 600.0
        context = JobContext(job, run.live, self._bulk, self._models)
        try:
            events = await asyncio.to_thread(self._events, job)
            return await run.perform(agent, context, events, limit, self._lose, grace=self._grace)
        except HermesError as error:
            return of_failure(error)
        finally:
            await asyncio.to_thread(self._reaper.release_job, job.id)
            await self._write_traces(job, context)

    async def _conclude(self, run: Run, ending: Ending) -> None:
        """Put a run's end on disk, whatever that takes, and tell those who want to know."""
        job, now, queue = run.job, self._now(), self._ledger.queue
        match ending:
            case GivenBack():
                after = await self._lasting(
                    lambda: queue.give_back(job.id, now, delay=ending.delay, reason=ending.reason),
                    f"the end of j{job.id}",
                )
            case Again():
                delay = ending.delay
                if delay is None:
                    delay = backoff(job.attempts, self._random)
                after = await self._lasting(
                    lambda: queue.retry_later(
                        job.id,
                        now,
                        delay=delay,
                        reason=ending.reason,
                        error=ending.error,
                        max_attempts=ending.most,
                    ),
                    f"the end of j{job.id}",
                )
            case Ended():
                # Before the job's end: should the process die between the two, it is said again,
                # and attention knows it by its cause.
                await self._told(self._consider(job, ending.findings) if ending.findings else None)
                then = specs_of(job, ending.then)
                after = await self._lasting(
                    lambda: queue.finish(
                        job.id,
                        ending.state,
                        now,
                        reason=ending.reason,
                        report=ending.report,
                        error=ending.error,
                        then=then,
                    ),
                    f"the end of j{job.id}",
                )
        if after is None:
            return  # the daemon stops and the disk takes nothing: the next one takes it up again
        if after.state is State.QUEUED and isinstance(ending, Again):
            logger.info(
                "j%d %s %s is tried again: %s", job.id, job.agent, job.subject, ending.reason
            )
        self._tell(after, retrying=isinstance(ending, Again))
        if after.state in (State.OK, State.SILENT):
            await self._lasting(lambda: self._forget_trouble(after), "what is well again")
        if after.state in WELL or after.state in OPEN:
            return
        logger.warning(
            "j%d %s %s: %s, %s", job.id, job.agent, job.subject, after.state, after.reason
        )
        await self._told(self._trouble(after))

    async def _told(self, telling: Awaitable[None] | None) -> None:
        """Attention's own faults must not keep a job from ending."""
        if telling is None:
            return
        try:
            await telling
        except Exception:
            logger.exception("attention failed")

    async def _lasting(self, call: Callable[[], T], what: str) -> T | None:
        """Write to the ledger, again and again while the disk does not take it. Return None if
        the daemon stops before it does."""
        delay = DISK_SECONDS[0]
        while True:
            try:
                found = await asyncio.to_thread(call)
            except UNWRITABLE as error:
                if not self._fault:
                    logger.error("%s can't be written down: %s", what, error.message)
                self._fault = error.message
            else:
                return found
            if self._stopping:
                return None
            await asyncio.sleep(delay)
            delay = min(2 * delay, DISK_SECONDS[1])

    def _tell(self, job: Job, *, retrying: bool = False) -> None:
        """Tell who watches a job how it stands now."""
        live = self._live.get(job.id)
        if live is None:
            return
        if job.state not in OPEN or retrying:
            del self._live[job.id]
        live.change(job=job, retrying=retrying and job.state is State.QUEUED)

    async def _tell_watchers(self) -> None:
        """Look after watched jobs that do not run: one may have expired or been cancelled."""
        for number in [number for number in self._live if number not in self._runs]:
            job = await asyncio.to_thread(self._ledger.queue.get, number)
            if number not in self._runs:
                self._tell(job)

    def _forget_trouble(self, job: Job) -> None:
        """What went wrong with the same work before needs nobody any more."""
        queue, key = self._ledger.queue, (job.agent, job.repo, job.subject)
        past = [old.id for old in queue.trouble() if (old.agent, old.repo, old.subject) == key]
        if past:
            queue.deal_with(past)

    def _events(self, job: Job) -> list[Event]:
        return [event for _, event in self._ledger.intake.of_job(job.id)]

    async def _write_traces(self, job: Job, context: JobContext) -> None:
        if context.reads:
            await self._lasting(
                lambda: self._ledger.traces.add(job.id, "read", *context.reads), "what was read"
            )
        if context.writes:
            await self._lasting(
                lambda: self._ledger.traces.add(job.id, "wrote", *context.writes),
                "what was written",
            )

    def _lose(self, task: asyncio.Task[Outcome]) -> None:
        """Keep sight of a task that does not stop."""
        self._lost.add(task)

        def found(task: asyncio.Task[Outcome]) -> None:
            self._lost.discard(task)
            error = None if task.cancelled() else task.exception()
            logger.warning("%s has ended after all (%r)", task.get_name(), error)

        task.add_done_callback(found)

    # The surroundings.

    def _lanes(self, *, bulk: bool) -> list[Lane]:
        return [run.job.lane for run in self._runs.values() if run.bulk is bulk]

    def _busy_slots(self, *, bulk: bool) -> int:
        return len(self._lanes(bulk=bulk))

    async def _beat(self, now: float, clock: float) -> None:
        if self._runs and clock - self._beaten >= BEAT_SECONDS:
            ids = list(self._runs)
            await asyncio.to_thread(self._ledger.queue.beat, ids, now, LEASE_SECONDS)
            self._beaten = clock
        elif not self._runs:
            self._beaten = clock

    async def _look_at_machine(self, clock: float, *, waiting: bool) -> None:
        """Look at it now and then while there is work, and heed what it shows."""
        if self._machine is None or not (self._runs or waiting or self._restraint != "go"):
            return
        if self._looked and clock - self._looked < MACHINE_SECONDS:
            return
        self._looked = clock
        self._conditions = await asyncio.to_thread(self._machine.look)
        before, self._restraint = self._restraint, restraint(self._conditions, self._limits)
        if before != self._restraint:
            why = why_restrained(self._conditions, self._limits)
            logger.info("background work: %s %s", self._restraint, why)
            if self._restraint == "pause":
                self._bulk.give_way()
            else:
                self.wake()
        if overgrown(self._conditions, self._limits):
            self._on_overgrown(self._conditions.rss)

    async def _sweep(self, now: float) -> None:
        if self._sweep_at is not None and now >= self._sweep_at and not self._runs:
            self._sweep_at = None
            await asyncio.to_thread(self._reaper.sweep, now)

    async def _journal(self, what: str, text: str = "") -> None:
        await asyncio.to_thread(
            self._ledger.journal.append, "daemon", what, self._now(), None, None, text
        )
