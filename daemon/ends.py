"""Puts the end of a run on disk, and tells attention what it has to know."""

from __future__ import annotations

import logging
import random
from collections.abc import Awaitable, Callable, Sequence

from ..agents.contract import Finding
from .context import JobContext
from .endings import Again, Ended, Ending, Fields, GivenBack, fault, specs_of
from .lasting import Lasting
from .ledger.ledger import Ledger
from .ledger.queue import backoff, key_of
from .ledger.records import OPEN, WELL, Job, State
from .run import Run

Consider = Callable[[Job, Sequence[Finding]], Awaitable[None]]
OnTrouble = Callable[[Job], Awaitable[None]]

logger = logging.getLogger(__name__)


class Ends:
    """Writes ends. ``consider`` gets what was found, ``trouble`` what did not end well."""

    def __init__(
        self, ledger: Ledger, lasting: Lasting, consider: Consider, trouble: OnTrouble
    ) -> None:
        self._ledger = ledger
        self._lasting = lasting
        self._consider = consider
        self._trouble = trouble
        self._random = random.Random()

    async def write(self, run: Run, ending: Ending, context: JobContext, now: float) -> Job | None:
        """Write down how a run ended, whatever that takes; return the job as it then is. None if
        the daemon stops and the disk takes nothing: then the next one does the job again."""
        job = run.job
        if isinstance(ending, Ended) and ending.findings:
            # Before the job's end: should the process die between the two, it is said again, and
            # attention knows it by its cause.
            await self._told(lambda: self._consider(job, ending.findings))
        try:
            after = await self._end(run, ending, context, now)
        except (TypeError, ValueError) as error:
            # Else the job would seem to run on, and be done again and again.
            logger.exception("the end of j%d can't be kept as its agent gave it", job.id)
            kept = fault(f"its report can't be kept: {error}")
            after = await self._end(run, kept, context, now)
        if after is None:
            return None
        if after.state in OPEN:
            if isinstance(ending, Again):
                logger.info("j%d %s is tried again: %s", job.id, _name(job), ending.reason)
        elif after.state not in WELL:
            logger.warning("j%d %s: %s, %s", job.id, _name(job), after.state, after.reason)
            await self.lost(after)
        return after

    async def lost(self, job: Job) -> None:
        """Tell attention of a job that did not end well."""
        await self._told(lambda: self._trouble(job))

    async def _end(self, run: Run, ending: Ending, context: JobContext, now: float) -> Job | None:
        return await self._lasting.call(lambda: self._write(run, ending, context, now))

    def _write(self, run: Run, ending: Ending, context: JobContext, now: float) -> Job:
        job, queue = run.job, self._ledger.queue
        with self._ledger.writing():
            self._ledger.traces.add(job.id, "read", *map(_writable, context.reads))
            self._ledger.traces.add(job.id, "wrote", *map(_writable, context.writes))
            reason = _writable(ending.reason)
            match ending:
                case GivenBack():
                    return queue.give_back(job.id, now, ending.delay, reason)
                case Again():
                    delay = ending.delay
                    return queue.retry_later(
                        job.id,
                        now,
                        delay=backoff(job.attempts, self._random) if delay is None else delay,
                        reason=reason,
                        error=_all_writable(ending.error),
                        max_attempts=ending.most,
                    )
                case Ended():
                    if ending.state in (State.OK, State.SILENT):
                        self._forget_trouble(job)
                        if run.digest:
                            queue.mark_done(key_of_job(job), run.digest)
                    return queue.finish(
                        job.id,
                        ending.state,
                        now,
                        reason=reason,
                        report=ending.report,
                        error=_all_writable(ending.error),
                        then=specs_of(job, ending.then),
                    )

    def _forget_trouble(self, job: Job) -> None:
        """What went wrong with the same work before needs nobody any more."""
        key = (job.agent, job.repo, job.subject)
        trouble = self._ledger.queue.trouble()
        past = [old.id for old in trouble if (old.agent, old.repo, old.subject) == key]
        if past:
            self._ledger.queue.deal_with(past)

    async def _told(self, tell: Callable[[], Awaitable[None]]) -> None:
        """Have attention told, as soon as the disk lets it write that down. Its own faults must not
        keep a job from ending."""
        try:
            await self._lasting.retry(tell)
        except Exception:
            logger.exception("attention failed")


def key_of_job(job: Job) -> str:
    """Return the key of work that counts as the same."""
    return key_of(job.agent, job.repo, job.subject)


def _name(job: Job) -> str:
    return f"{job.agent} {job.subject}".rstrip()


def _writable(text: str) -> str:
    """Names of files may hold anything; the ledger is UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _all_writable(fields: Fields) -> Fields:
    return {
        name: _writable(value) if isinstance(value, str) else value
        for name, value in fields.items()
    }
