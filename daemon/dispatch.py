"""Takes events in, and has the router turn them into jobs.

An event is on disk when `accept` returns, and routed soon after; what a crash left between the two
is routed by the next daemon. What rules decide is routed at once and in order. What a model has a
say in is decided one after the other, and holds up nothing else.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from ..agents.events import Event
from ..agents.router import Decision, lane_of
from .lasting import UNWRITABLE, Lasting
from .ledger.intake import Accepted
from .ledger.ledger import Ledger
from .ledger.records import Spec

_ALL = 1_000_000

Decide = Callable[[Event, int], Awaitable[Decision]]
"""Given an event and its id, returns where it goes."""
Fields = dict[str, Any]

logger = logging.getLogger(__name__)


class Dispatcher:
    """Events in, jobs out. A service: `serve` routes."""

    name = "dispatcher"

    def __init__(
        self,
        ledger: Ledger,
        decide: Decide,
        to_specs: Callable[[Event, Decision], Sequence[Spec]],
        *,
        is_choice: Callable[[Event], bool] = lambda event: False,
        certain: Callable[[Event], Decision | None] = lambda event: None,
        on_hint: Callable[[Event], None] = lambda event: None,
        on_queued: Callable[[], None] = lambda: None,
        on_routed: Callable[[Event], None] = lambda event: None,
    ) -> None:
        """``is_choice`` says whether a model may have a say, so that deciding takes a while, and
        ``certain`` what is to be done whatever it says: nobody waits for a model to read a commit.
        ``on_hint`` is told of an event before it is on disk, ``on_queued`` after it has become
        jobs, ``on_routed`` after it was routed."""
        self._ledger = ledger
        self._decide = decide
        self._to_specs = to_specs
        self._is_choice = is_choice
        self._certain = certain
        self._on_hint = on_hint
        self._on_queued = on_queued
        self._on_routed = on_routed
        self._rules: asyncio.Queue[tuple[int, Event]] = asyncio.Queue()
        self._begun: dict[int, frozenset[tuple[str, str]]] = {}
        """What was queued of an event, by agent and subject, before it was decided about."""
        self._choices: list[tuple[int, int, int, Event]] = []
        self._choosable = asyncio.Event()
        self._numbers = itertools.count()
        self._taken_up = False
        self._looking_up = False
        self._early: set[int] = set()
        """What sorted itself in while what an earlier daemon left was looked up."""
        self._lasting = Lasting()
        self._last: float | None = None
        self._refused = ""
        self._refusing = asyncio.Event()

    async def accept(self, event: Event, key: str | None = None) -> int:
        """Put an event on disk and return its id; it is routed soon. The same ``key`` twice is the
        same event. Raise NoSpace, ReadOnly or StoreBusy: then nothing was accepted."""
        return (await self.take_in(event, key)).id

    async def take_in(self, event: Event, key: str | None = None) -> Accepted:
        """The same, for who wants to know whether the event is a new one."""
        self._on_hint(event)
        now = time.time()
        try:
            accepted = await asyncio.to_thread(self._ledger.intake.accept, event, key=key, now=now)
        except UNWRITABLE as error:
            self._refused = error.message
            self._refusing.set()
            raise
        self._refused, self._last = "", now
        # Before what an earlier daemon left is known, this one is among it.
        if accepted.new and self._taken_up:
            if self._looking_up:
                self._early.add(accepted.id)
            self._sort_in(accepted.id, event)
        return accepted

    def state(self) -> Fields:
        """Return whether events are taken in and routed, as triggers do."""
        detail = self._refused or self._lasting.fault
        return {
            "name": self.name,
            "state": "down" if detail else "ok",
            "detail": detail,
            "last": self._last,
            "deciding": len(self._choices),
        }

    async def serve(self) -> None:
        """Route what is pending, then what comes, until cancelled."""
        await self._take_up()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._route_by_rule())
            group.create_task(self._route_by_choice())
            group.create_task(self._look_again())

    async def _take_up(self) -> None:
        """Sort in what was accepted and not routed."""
        # What is accepted from here on sorts itself in, and may be among these as well.
        self._taken_up = self._looking_up = True
        pending = await self._lasting.call(lambda: self._ledger.intake.pending(_ALL))
        for number, event in pending or ():
            if number not in self._early:
                self._sort_in(number, event)
        self._looking_up = False
        self._early.clear()
        if pending:
            logger.info("taking up %d events", len(pending))

    async def _look_again(self) -> None:
        """Find out when the disk takes events again: perhaps nobody else tries."""
        while True:
            await self._refusing.wait()
            self._refusing.clear()
            set_value = partial(self._ledger.values.set, "intake:refused", True, time.time())
            await self._lasting.call(set_value)
            self._refused = ""

    def _sort_in(self, number: int, event: Event) -> None:
        if self._is_choice(event):
            place = (int(lane_of(event)), next(self._numbers), number, event)
            heapq.heappush(self._choices, place)
            self._choosable.set()
        self._rules.put_nowait((number, event))

    async def _route_by_rule(self) -> None:
        while True:
            number, event = await self._rules.get()
            if self._is_choice(event):
                await self._begin(number, event)
            else:
                await self._route(number, event)

    async def _route_by_choice(self) -> None:
        while True:
            while not self._choices:
                self._choosable.clear()
                await self._choosable.wait()
            _, _, number, event = heapq.heappop(self._choices)
            await self._route(number, event)

    async def _begin(self, number: int, event: Event) -> None:
        """Queue what is certain about an event that is still to be decided about. After a crash it
        is queued again, which joins what waits or finds nothing left to do."""
        certain = self._certain(event)
        specs = self._to_specs(event, certain) if certain is not None else ()
        if specs:
            put = self._ledger.queue.put
            # Noted first: once it is on disk it may be done before this is awake again.
            self._begun[number] = frozenset((spec.agent, spec.subject) for spec in specs)
            await self._lasting.call(lambda: put(specs, time.time(), number))
            self._on_queued()

    async def _route(self, number: int, event: Event) -> None:
        """Decide about one event and put what follows on disk, whatever that takes."""
        specs: Sequence[Spec] = ()
        fields: Fields
        try:
            decision = await self._decide(event, number)
            begun = self._begun.pop(number, frozenset())
            fields = decision.fields()
            specs = [
                spec
                for spec in self._to_specs(event, decision)
                if (spec.agent, spec.subject) not in begun
            ]
        except Exception as error:
            # An event that can't be decided about must not stand in the way of all others, nor
            # come again for ever.
            logger.exception("e%d (%s) could not be routed", number, event.kind)
            fields = {
                "routes": [],
                "by": "failed",
                "reason": f"{type(error).__name__}: {error}",
                "seconds": 0.0,
            }
        await self._lasting.call(
            lambda: self._ledger.intake.route(number, fields, specs, time.time())
        )
        if specs:
            self._on_queued()
        self._on_routed(event)
