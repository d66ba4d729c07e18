"""The one door to a model on a host: a turn at a time, by lane, and people first.

A model that runs two answers at once runs both slowly, so calls take turns. Who waits longest in
the most urgent lane is next. When somebody's on-demand call arrives and all turns are taken, the
least urgent background generation is cancelled, on the server too, and its consumer sees Preempted.

A background call that this has met three times, the first of them ten minutes ago or longer, is
left alone the next time: so all work completes, and a person waits for a machine at most once in
that time. Between reactive and scheduled calls there is only the order, no cancelling.
"""

from __future__ import annotations

import asyncio
import heapq
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any

from ...memory.errors import HermesError
from ..contract import Lane, Preempted
from .call import Call, OnCall
from .caller import Caller, View
from .protocol import Busy, ChatModel, Delta, Message, ModelState, Usage

PREEMPTIONS = 3
PATIENCE = 600.0
"""Times, and seconds since the first of them, after which a call is not cancelled again."""
FORGOTTEN = 86_400.0
"""Seconds after which it does not count any more whom this has met: a job that was given up meanwhile
never comes back for its turn."""

Who = tuple[str, int | None]
"""Agent and job: whose calls are counted together."""


@dataclass(eq=False, slots=True)
class _Turn:
    lane: Lane
    who: Who
    number: int
    granted: asyncio.Future[None]
    pump: asyncio.Task[None] | None = None
    preempted: bool = False
    queue: asyncio.Queue[Delta | None] = field(default_factory=asyncio.Queue[Any])
    """The pieces; None at the end."""

    def __lt__(self, other: _Turn) -> bool:
        return (self.lane, self.number) < (other.lane, other.number)


@dataclass(slots=True)
class _Patience:
    times: int
    since: float


class Gate:
    """See the module. All of it belongs to one asyncio loop."""

    def __init__(
        self,
        model: ChatModel,
        *,
        host: str = "",
        parallel: int = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``parallel``: generations that the server can really run at once."""
        self.name = model.name
        self.context_tokens = model.context_tokens
        self.host = host
        self._model = model
        self._parallel = parallel
        self._clock = clock
        self._running: set[_Turn] = set()
        self._waiting: list[_Turn] = []
        self._numbers = count()
        self._preemptions: dict[Who, _Patience] = {}

    @property
    def free(self) -> bool:
        """Whether a call would get its turn at once."""
        return len(self._running) < self._parallel and not self._waiting

    @property
    def load(self) -> dict[str, int]:
        """How many calls run, and how many wait."""
        return {"running": len(self._running), "waiting": len(self._waiting)}

    def ahead(self, lane: Lane) -> int:
        """Return how many calls would go before one of this lane."""
        before = sum(turn.lane <= lane for turn in self._waiting)
        return before + sum(turn.lane <= lane or lane > Lane.ON_DEMAND for turn in self._running)

    def model(
        self,
        agent: str,
        lane: Lane,
        *,
        job: int | None = None,
        event: int | None = None,
        prompt: str = "",
        on_call: OnCall = lambda call: None,
        wait: float | None = None,
    ) -> ChatModel:
        """Return the model as this caller sees it: every stream waits for its turn first."""
        caller = Caller(agent, lane, job, event, prompt, on_call, wait)
        return View(self.name, self.context_tokens, partial(self.stream, caller), self.ready)

    async def ready(self) -> ModelState:
        """See ChatModel.ready; asks past the gate."""
        return await self._model.ready()

    async def stream(
        self,
        caller: Caller,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float = 0.0,
        schema: Mapping[str, Any] | None = None,
        stop: Sequence[str] = (),
    ) -> AsyncGenerator[Delta]:
        """See ChatModel.stream. Raise Preempted when a person's call took the turn away, and
        Busy when ``caller.wait`` seconds did not bring one."""
        arrived, at = self._clock(), time.time()
        started: float | None = None
        outcome, pieces, usage = "cancelled", 0, None
        turn = self._arrive(caller)
        try:
            await self._wait(turn, caller)
            started = self._clock()
            answer = self._model.stream(
                messages, max_tokens=max_tokens, temperature=temperature, schema=schema, stop=stop
            )
            turn.pump = asyncio.create_task(self._pump(turn, answer))
            while True:
                found = None if turn.preempted else await turn.queue.get()
                if turn.preempted:
                    raise Preempted(f"{caller.agent} gave its turn at {self.name} to a person")
                if found is None:
                    await turn.pump  # raises what the model raised
                    outcome = "ok"
                    return
                pieces += bool(found.text)
                usage = found.usage or usage
                if found.usage is not None:  # its consumer may take no more than this
                    outcome = "ok"
                yield found
        except Preempted:
            outcome = "preempted"
            raise
        except HermesError as error:
            outcome = error.code
            raise
        finally:
            now = self._clock()
            waited = (now if started is None else started) - arrived
            spent = 0.0 if started is None else now - started
            try:
                await self._depart(turn)
            finally:
                self._note(turn.who, outcome)
                counted = usage or Usage(0, pieces)
                caller.on_call(
                    Call(
                        caller.agent, self.name, caller.prompt, counted.tokens_in,
                        counted.tokens_out, spent, waited, outcome, at, self.host, caller.job,
                        caller.event,
                    )
                )  # fmt: skip

    # --- turns ---

    def _arrive(self, caller: Caller) -> _Turn:
        granted = asyncio.get_running_loop().create_future()
        who = (caller.agent, caller.job)
        turn = _Turn(caller.lane, who, next(self._numbers), granted)
        heapq.heappush(self._waiting, turn)
        self._grant()
        return turn

    async def _wait(self, turn: _Turn, caller: Caller) -> None:
        try:
            async with asyncio.timeout(caller.wait):
                await turn.granted
        except TimeoutError:
            raise Busy(
                f"{self.name} was busy with other work for {caller.wait:g} s.",
                hint="Try again in a moment; `hermes status` says what it does.",
            ) from None

    def _grant(self) -> None:
        """Hand out free turns; where people still wait, take turns from background work."""
        while self._waiting and len(self._running) < self._parallel:
            turn = heapq.heappop(self._waiting)
            if not turn.granted.done():  # else its caller has just given up
                self._running.add(turn)
                turn.granted.set_result(None)
        people = sum(turn.lane is Lane.ON_DEMAND for turn in self._waiting)
        leaving = sum(turn.preempted for turn in self._running)
        can_go = sorted(turn for turn in self._running if self._may_cancel(turn))
        for turn in can_go[::-1][: max(0, people - leaving)]:
            turn.preempted = True
            if turn.pump is not None:
                turn.pump.cancel()
            turn.queue.put_nowait(None)  # wakes its consumer

    def _may_cancel(self, turn: _Turn) -> bool:
        if turn.lane is Lane.ON_DEMAND or turn.preempted:
            return False
        met = self._preemptions.get(turn.who)
        if met is None or met.times < PREEMPTIONS:
            return True
        return self._clock() - met.since < PATIENCE

    async def _pump(self, turn: _Turn, answer: AsyncGenerator[Delta]) -> None:
        """Move the answer into the turn's queue. The turn is free again as soon as the server is,
        however slowly its consumer reads."""
        try:
            async with aclosing(answer) as deltas:
                async for delta in deltas:
                    turn.queue.put_nowait(delta)
        finally:
            turn.queue.put_nowait(None)
            self._free(turn)

    async def _depart(self, turn: _Turn) -> None:
        if turn.pump is not None:
            turn.pump.cancel()
            await asyncio.wait({turn.pump})
            if not turn.pump.cancelled():
                turn.pump.exception()  # who did not read to the end does not want to know
        self._free(turn)

    def _free(self, turn: _Turn) -> None:
        """Give a turn back, or stop waiting for it."""
        if turn in self._running:
            self._running.remove(turn)
        elif turn in self._waiting:
            self._waiting.remove(turn)
            heapq.heapify(self._waiting)
        else:
            return
        self._grant()

    def _note(self, who: Who, outcome: str) -> None:
        if outcome == "preempted":
            now = self._clock()
            met = self._preemptions.setdefault(who, _Patience(0, now))
            met.times += 1
            for other, its in list(self._preemptions.items()):
                if now - its.since > FORGOTTEN:
                    del self._preemptions[other]
        elif outcome != "cancelled":
            self._preemptions.pop(who, None)
