"""Decides what a person is shown, and when. Surfaces only deliver what stands in the journal.

All state is in the ledger but for one thing: what the person is doing, which a restart may forget.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import tzinfo
from typing import Any

from ...agents.contract import Finding, Lane, Level
from ...memory.errors import HermesError
from ..ledger.errors import NoSuchId
from ..ledger.ledger import Ledger
from ..ledger.records import Job
from ..triggers.clock_watch import clock_watch
from ..triggers.zone import local_zone
from .decide import Decision, Moment, Past, Place, Policy, Wish, decide, free_at
from .delivery import Delivery
from .digest import Digest
from .findings import Findings, Origin, Row
from .incidents import Incident, Incidents, key_of
from .listening import Listening
from .person import Person
from .quiet import Quiet
from .reputation import Reputation

Fields = dict[str, Any]

RETRY_SECONDS = 30.0
GATHER_SECONDS = 0.05
"""After the journal grew, so that a burst is read at once."""

logger = logging.getLogger(__name__)


class Attention:
    """What agents found, between them and the person. A service; `step` takes the clock."""

    name = "attention"

    def __init__(
        self,
        ledger: Ledger,
        policy: Policy | None = None,
        quiet: Quiet | None = None,
        *,
        zone: Callable[[], tzinfo] = local_zone,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._ledger = ledger
        self._policy = policy or Policy()
        self._clock = clock
        self._findings = Findings(ledger)
        self._incidents = Incidents(ledger)
        self._reputation = Reputation(ledger, self._findings)
        self._person = Person(ledger, quiet, zone, clock())
        self.delivery = Delivery(ledger, self._findings, self._reputation)
        """Where surfaces report to."""
        self._listening = Listening(
            ledger, self._findings, self._incidents, self._person, self._admit, self._take_back
        )
        self._trouble = ""
        self._woken = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        ledger.journal.listen(self._wake)

    async def serve(self) -> None:
        """Follow the journal, and let what is held go when its moment comes."""
        self._loop = asyncio.get_running_loop()
        with clock_watch(self._woken.set):
            while True:
                self._woken.clear()
                now = self._clock()
                try:
                    when = await asyncio.to_thread(self.step, now)
                    self._trouble = ""
                except HermesError as error:
                    if self._trouble != error.message:
                        logger.warning("attention waits: %s %s", error.message, error.hint)
                    self._trouble, when = error.message, now + RETRY_SECONDS
                try:
                    async with asyncio.timeout(None if when is None else max(0.0, when - now)):
                        await self._woken.wait()
                    await asyncio.sleep(GATHER_SECONDS)
                except TimeoutError:
                    pass

    def _wake(self) -> None:
        """Given that the journal grew, in whatever thread, have it read."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the daemon ended: the next one reads on
                self._loop.call_soon_threadsafe(self._woken.set)

    # What the runtime says

    async def consider(self, job: Job, findings: Sequence[Finding]) -> None:
        """Given what an agent found, decide what becomes of it."""
        await asyncio.to_thread(self.admit, job, findings, self._clock())
        self._woken.set()

    async def trouble(self, job: Job) -> None:
        """Given a job that did not end well, make it part of an incident. The journal says so
        anyway; this only makes it happen now."""
        await asyncio.to_thread(self.catch_up, self._clock())

    def admit(self, job: Job, findings: Sequence[Finding], now: float) -> list[Row]:
        """Decide what becomes of findings at ``now``; return them as they are kept."""
        origin = Origin(job.agent, job.repo, job.id)
        with self._ledger.writing():
            return [self._admit(finding, origin, now) for finding in findings]

    def boundary(self, kind: str, now: float) -> None:
        """Given that a person has just finished something (``commit``, ``tests`` or ``idle``), show
        what waited for that."""
        self._person.boundary(kind, now)
        self._release(now)

    def active(self, now: float) -> None:
        """Given a sign of the person at work, know that they are in the middle of something."""
        self._person.active(now)

    def catch_up(self, now: float) -> None:
        """Read what the journal says since last time: jobs that ended, commits, signs of life."""
        self._listening.catch_up(now)

    def step(self, now: float) -> float | None:
        """Catch up, release what may be shown; return when there is something to do again."""
        self.catch_up(now)
        self._release(now)
        return self._next(now)

    # What a person asks

    def digest(self) -> Digest:
        """Return what the next brief is to say. Nothing changes until it is told."""
        return Digest(self._incidents.untold(), self._findings.untold(), self._reputation.untold())

    def tell(self, digest: Digest, now: float) -> None:
        """Note that a brief has told this: it is not told again."""
        with self._ledger.writing():
            self._incidents.tell(list(digest.incidents))
            self._findings.tell([row.id for row in digest.findings], now)
            self._reputation.tell(list(digest.turns), now)

    def asked_at(self, incident: int) -> float | None:
        """Return when a person asked for the last job of an incident; None if it ran by itself, or
        if that is not known any more. Seconds since 1970."""
        try:
            job = self._incidents.get(incident).job
            found = None if job is None else self._ledger.queue.get(job)
        except NoSuchId:
            return None
        return found.queued_at if found is not None and found.lane is Lane.ON_DEMAND else None

    def incidents(self, *, over: bool = False, limit: int = 200) -> list[Incident]:
        """Return the incidents that stand, or also those that are over; the latest first."""
        return self._incidents.recent(limit) if over else self._incidents.standing()

    def acknowledge(self, id: int, now: float) -> Incident:
        """Note that a person knows of an incident: briefs and status leave it and its jobs alone
        until it has recovered and comes again. Raise NoSuchId."""
        with self._ledger.writing():
            before = self._incidents.get(id)
            if before.state != "open":
                return before
            incident = self._incidents.acknowledge(id)
            same = [job.id for job in self._ledger.queue.trouble() if key_of(job) == incident.key]
            self._ledger.queue.deal_with(same)
            text = incident.title
            self._ledger.journal.append("incident", "acknowledged", now, id, incident.repo, text)
        return incident

    def latest(self, limit: int = 50, states: Sequence[str] = ()) -> list[Row]:
        """Return the last findings, newest first."""
        return self._findings.latest(limit, states)

    def summary(self, now: float) -> Fields:
        """Return what status shows."""
        interrupts = self._findings.interrupts(now)
        standing = self._incidents.standing()
        return {
            "held": len(self._findings.held()),
            "interrupts_today": len(interrupts),
            "per_hour": self._policy.per_hour,
            "per_day": self._policy.per_day,
            "quiet": self._person.moment(now).quiet,
            "demoted": self._reputation.all_demoted(),
            "undelivered": [row.fields() for row in self._findings.undelivered()],
            "incidents": [each.fields() for each in standing if each.state == "open"],
            "acknowledged": sum(each.state == "acknowledged" for each in standing),
        }

    def state(self) -> Fields:
        """Return how it is, as triggers do."""
        state = "degraded" if self._trouble else "ok"
        return {"name": self.name, "state": state, "detail": self._trouble, "last": None}

    # Inside

    def _admit(self, finding: Finding, origin: Origin, now: float) -> Row:
        if finding.recovered:
            return self._take_back(finding, origin, now)
        shows = finding.level in (Level.INTERRUPT, Level.GLANCE)
        turn = self._reputation.review(origin.agent, now) if shows else None
        if turn is not None:
            text = f"{turn.agent} speaks in the digest only from now on: {turn.reason}"
            self._ledger.journal.append("finding", "demoted", now, text=text)
        past = Past(
            self._findings.interrupts(now),
            self._findings.said(finding.cause, now, self._policy.same_cause),
            self._reputation.demoted(origin.agent),
        )
        wish = Wish(finding.level, finding.urgent)
        decision = decide(wish, past, self._person.moment(now), self._policy)
        row = self._findings.add(finding, origin, decision, now)
        self._announce(row, now)
        return row

    def _take_back(self, finding: Finding, origin: Origin, now: float) -> Row:
        """Given that a cause is gone, take back what was said of it, and what waits to be said."""
        for row in self._findings.standing(finding.cause):
            seen = row.shown_at is not None or row.told_at is not None
            # What nobody has seen goes without a word; the rest is told once more: it is over.
            told = None if seen else now
            gone = self._findings.change(row.id, state=str(Place.TAKEN_BACK), told_at=told)
            if seen:
                self._note("taken_back", gone, now, f"gone again: {gone.title}")
        reason = "it says that something is over"
        return self._findings.add(finding, origin, Decision(Place.LOG, Level.LOG, reason), now)

    def _release(self, now: float) -> None:
        """Decide anew about all that is held."""
        with self._ledger.database.reading():
            if held := self._findings.held():
                self._decide_anew(held, self._person.moment(now), now)

    def _decide_anew(self, held: Sequence[Row], moment: Moment, now: float) -> None:
        interrupts = self._findings.interrupts(now)
        demoted = self._reputation.all_demoted()
        for row in held:
            past = Past(interrupts, None, row.agent in demoted)
            waiting = max(0.0, now - row.at)
            wish = Wish(row.wanted, row.urgent, waiting, row.reason)
            decision = decide(wish, past, moment, self._policy)
            if decision.place is Place.HELD:
                continue  # still for the reason it was held for first
            with self._ledger.writing():
                changed = self._findings.change(
                    row.id,
                    state=str(decision.place),
                    level=str(decision.level),
                    reason=decision.reason,
                    shown_at=now if decision.place is Place.SHOWN else None,
                )
                self._announce(changed, now)
            if changed.place is Place.SHOWN and changed.level is Level.INTERRUPT:
                interrupts.append(now)

    def _announce(self, row: Row, now: float) -> None:
        """Write into the journal what was decided; surfaces act on ``interrupt`` and ``glance``."""
        what = str(row.level) if row.place is Place.SHOWN else str(row.place)
        self._note(what, row, now, row.title)

    def _note(self, what: str, row: Row, now: float, text: str) -> None:
        fields = row.fields()
        self._ledger.journal.append("finding", what, now, row.id, row.repo, text, fields)

    def _next(self, now: float) -> float | None:
        """Return when something that is held may change: none, if nothing is."""
        held = self._findings.held()
        if not held:
            return None
        moments = [row.at + self._policy.hold for row in held if not row.urgent]
        moments += self._person.changes(now)
        moments.append(free_at(self._findings.interrupts(now), now, self._policy))
        return min((moment for moment in moments if moment > now), default=None)
