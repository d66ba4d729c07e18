"""Turns times into events: what the schedule says is due becomes a Scheduled event, once a time.

The truth about the past is our own table of runs, so a restart, a sleep or a clock that is set
loses no time and runs none twice. Between two times nothing happens here at all.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, tzinfo
from itertools import islice
from typing import Any

from ...agents.events import Event, RunAsked
from ...memory.errors import HermesError
from ..ledger.ledger import Ledger
from .alarms import Alarms
from .backlog import Backlog, Pending
from .clock_watch import clock_watch
from .entries import Entry
from .runs import Run, Runs
from .timetable import NoSuchEntry, coming, described, span
from .zone import local_zone, named

Fields = dict[str, Any]
Accept = Callable[[Event, str | None], Awaitable[int]]

MOST_MADE_UP = 20
"""Runs that ``always`` makes of times that passed; of more, the last."""
MOST_COUNTED = 1_000
"""Times that passed are counted up to here."""
RETRY_SECONDS = 30.0
"""Until a run is handed over again that the disk refused."""
JUMP_SECONDS = 5.0
"""The two clocks drift apart by less than this without a reason."""
ZONE = "schedule:zone"

logger = logging.getLogger(__name__)


class Schedule:
    """The scheduled trigger. A service; `step` is one look at the clock and takes it."""

    name = "schedule"

    def __init__(
        self,
        accept: Accept,
        entries: Sequence[Entry],
        ledger: Ledger,
        *,
        zone: Callable[[], tzinfo] = local_zone,
        clock: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._accept = accept
        self._entries = {entry.name: entry for entry in entries}
        self._ledger = ledger
        self._runs = Runs(ledger)
        self._read_zone = zone
        self._clock = clock
        self._steady = steady
        self._zone: tzinfo | None = None
        self._seen: tuple[float, float] | None = None
        self._until: dict[str, float] = {}
        """Each entry's last time that was dealt with."""
        self._last: float | None = None
        self._backlog = Backlog()
        self._trouble = ""
        self._retry: float | None = None
        self._woken = asyncio.Event()
        self._tells = False

    async def serve(self) -> None:
        """Sleep until the next time, deal with it, and so on."""
        alarms = Alarms(self._woken.set)
        alarms.start()
        try:
            with clock_watch(self._woken.set) as self._tells:
                while True:
                    self._woken.clear()
                    await self.step(self._clock(), self._steady())
                    alarms.set(self.moments())
                    await self._woken.wait()
        finally:
            alarms.stop()

    def have(self, entry: Entry) -> None:
        """Have an entry besides the others, from now on; one of that name gives way."""
        if self._entries.get(entry.name) != entry:
            self._entries = {**self._entries, entry.name: entry}
            self._woken.set()

    def drop(self, name: str) -> None:
        """Have no entry of that name any more."""
        if name in self._entries:
            self._entries = {key: entry for key, entry in self._entries.items() if key != name}
            self._woken.set()

    def look(self) -> None:
        """Given that something else woke the process, see whether the clock was set meanwhile."""
        if self._seen is not None and self._jump(self._clock(), self._steady()):
            self._woken.set()

    async def step(self, now: float, steady: float) -> None:
        """Deal with all that is due at ``now``. ``steady`` is the clock that nobody sets."""
        try:
            why = await asyncio.to_thread(self._look_at_clocks, now, steady)
            for entry in self._entries.values():
                await asyncio.to_thread(self._plan, entry, now, steady, why)
            await self._hand_over(now, steady)
        except HermesError as error:
            self._complain(error, now)
            return
        if self._retry is not None:
            self._retry, self._trouble = None, ""
            logger.info("the schedule runs again")

    def moments(self) -> dict[str, float]:
        """Return when there is something to do next, by what it is."""
        if self._retry is not None:
            return {"retry": self._retry}
        if self._seen is None or self._zone is None:
            return {}
        now, steady = self._seen
        found = {
            name: entry.cron.next(now, self._zone)
            for name, entry in self._entries.items()
            if name in self._until
        }
        if (late := self._backlog.next) is not None:
            found["late"] = now + late - steady
        return found

    async def run(self, name: str, now: float) -> int:
        """Have what an entry runs done now, for a person who waits; return the event's id. Its
        times stay as they are. Raise NoSuchEntry, or what the disk refuses with."""
        entry = self._entries.get(name)
        if entry is None:
            raise NoSuchEntry(name, self._entries)
        asked = RunAsked(
            at=now, source="api", repo=entry.repo, agent=entry.agent, subject=entry.subject
        )
        event = await self._accept(asked, None)
        self._last = now
        run = Run(name, now, now, "asked", 0, "asked for by hand", event)
        await asyncio.to_thread(self._runs.record, run)
        return event

    def coming(self, now: float) -> list[Fields]:
        """Return the name and the next time of each entry, soonest first; no disk is asked."""
        return coming(self._entries, now, self._zone or self._read_zone())

    def entries(self, now: float) -> list[Fields]:
        """Return every entry with its next time and what became of the last, soonest first."""
        zone = self._zone or self._read_zone()
        return described(self._entries, self._runs, now, zone, self._backlog.names)

    def state(self) -> Fields:
        """Return how it is, for status."""
        return {
            "name": self.name,
            "state": "degraded" if self._trouble else "ok",
            "detail": self._trouble,
            "last": self._last,
            "zone": self.zone,
            "entries": len(self._entries),
            "waiting": len(self._backlog),
        }

    @property
    def zone(self) -> str:
        """The name of the zone whose wall clock counts."""
        return str(self._zone or self._read_zone())

    def _look_at_clocks(self, now: float, steady: float) -> str:
        """Note what the clocks did since the last look; return why times may have passed."""
        first = self._seen is None
        jump = 0.0 if first else self._jump(now, steady)
        self._seen = (now, steady)
        self._look_at_zone(now)
        for name in self._entries:
            if name not in self._until:
                self._until[name] = self._known_until(name, now)
            # If the clock was put back: what ran since then has its row, and is not run again.
            self._until[name] = min(self._until[name], now)
        if jump < 0:
            text = f"the clock was put back by {span(-jump)}"
            self._note("clock", now, text, {"seconds": jump})
        elif jump > 0:
            text = f"the machine slept, or its clock was put forward, for {span(jump)}"
            self._note("slept", now, text, {"seconds": jump})
        return "hermes was not running" if first else "the machine slept" if jump > 0 else ""

    def _jump(self, now: float, steady: float) -> float:
        """Return by how much the wall clock went further than the steady one; 0 if by little."""
        assert self._seen is not None
        apart = (now - self._seen[0]) - (steady - self._seen[1])
        return apart if abs(apart) > JUMP_SECONDS else 0.0

    def _known_until(self, name: str, now: float) -> float:
        if shown := self._runs.last_to_show(name):
            self._last = max(self._last or 0.0, shown.at)
        if last := self._runs.last(name):
            return last.due
        self._runs.record(Run(name, now, now, "new"))
        return now

    def _look_at_zone(self, now: float) -> None:
        zone = self._read_zone()
        old = self._zone
        if old is None:
            before = self._ledger.values.get(ZONE)
            old = named(before) if isinstance(before, str) else None
        self._zone = zone
        self._ledger.values.set(ZONE, str(zone), now)
        if old is None or str(old) == str(zone):
            return
        self._note("zone", now, f"times are those of {zone} now, not of {old} any more", {})
        for name, entry in self._entries.items():
            last = self._runs.last(name)
            if entry.cron.hour_open or last is None:
                continue
            # What ran at 03:10 there has run for that date, and is next due at the next 03:10
            # here; a 03:10 that the journey left out has passed, and is late.
            until = datetime.fromtimestamp(last.due, old).replace(tzinfo=zone).timestamp()
            self._until[name] = min(until, now)
            reason = f"this time of the day has been, in {old}"
            for due in entry.cron.forwards(now, zone):
                if due > until:
                    break
                self._runs.record(Run(name, due, now, "been", 0, reason))

    def _plan(self, entry: Entry, now: float, steady: float, why: str) -> None:
        """Given an entry, decide what becomes of its times since the last that was dealt with."""
        assert self._zone is not None
        if entry.name not in self._until:  # it came while the others were looked at
            return
        since = self._until[entry.name]
        passed = list(islice(entry.cron.backwards(now, since, self._zone), MOST_COUNTED))
        known = self._runs.dealt_with(entry.name, passed)
        dues = [due for due in passed if due not in known]  # the latest first
        if not dues:
            return
        latest = dues[0]
        in_time = now - latest <= entry.grace
        reason = "" if in_time else why or "hermes was busy"
        if entry.late == "skip" and not in_time:
            text = f"{entry.name} was due {self._when(latest)} and is left out: {reason}"
            run = Run(entry.name, latest, now, "dropped", len(dues) - 1, reason)
            with self._ledger.writing():
                self._runs.record(run)
                self._note("missed", now, text, {"name": entry.name, "missed": len(dues)})
        elif entry.late == "always":
            made_up = dues[:MOST_MADE_UP]
            missed = len(dues) - len(made_up)
            for due in reversed(made_up):
                # Those that are in time wait as well: they run in the order of their times, so
                # that a restart in between finds none to be left.
                late = why or "hermes was busy" if now - made_up[-1] > entry.grace else ""
                self._backlog.add(entry, due, missed, late, steady)
                missed = 0
        else:
            self._backlog.add(entry, latest, len(dues) - 1, reason, steady)
        self._until[entry.name] = latest

    async def _hand_over(self, now: float, steady: float) -> None:
        """Hand over what has waited long enough. It stays in line until it is written down."""
        for pending in self._backlog.due(steady):
            entry, due = pending.entry, pending.due
            event = entry.event(now, due, pending.missed)
            id = await self._accept(event, f"cron:{entry.name}:{due:.0f}")
            self._last = now
            await asyncio.to_thread(self._write_down, pending, now, id)
            self._backlog.remove(pending)

    def _write_down(self, pending: Pending, now: float, event: int) -> None:
        entry, due, reason = pending.entry, pending.due, pending.reason
        run = Run(entry.name, due, now, "late" if reason else "ran", pending.missed, reason, event)
        with self._ledger.writing():
            self._runs.record(run)
            if not reason and not pending.missed:
                return  # the event itself says it
            text = f"{entry.name} was due {self._when(due)}"
            if reason:
                text += f" and runs {span(now - due)} late: {reason}"
            if pending.missed:
                many = "at least " if pending.missed >= MOST_COUNTED - 1 else ""
                times = (
                    "1 earlier time" if pending.missed == 1 else f"{pending.missed} earlier times"
                )
                text += f"; it stands for {many}{times} too"
            fields = {"name": entry.name, "missed": pending.missed, "event": event}
            self._note("missed", now, text, fields)

    def _note(self, what: str, now: float, text: str, fields: Fields) -> None:
        self._ledger.journal.append("trigger", what, now, text=text, fields=fields)

    def _when(self, moment: float) -> str:
        return datetime.fromtimestamp(moment, self._zone).strftime("%a %d %b %H:%M")

    def _complain(self, error: HermesError, now: float) -> None:
        """Given what the disk refuses with, keep what there is and try again later."""
        self._retry = now + RETRY_SECONDS
        if self._trouble != error.message:
            self._trouble = error.message
            logger.warning("the schedule waits: %s %s", error.message, error.hint)
