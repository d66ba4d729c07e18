"""One model on one or several hosts: each call goes where it is answered soonest.

That is a host which has the model in memory and is free, else one that is free, else the one with
the fewest calls before it. A host that does not answer is left out for a while, longer each time,
and its call goes on to the next if nothing of the answer has been seen yet.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..contract import Lane
from .call import OnCall
from .caller import Caller, View
from .gate import Gate
from .protocol import (
    Busy,
    ChatModel,
    Delta,
    Message,
    Missing,
    ModelError,
    ModelState,
    TimedOut,
    Unreachable,
)

FIRST_REST = 15.0
LONGEST_REST = 600.0
"""Seconds for which a host that did not answer is left out; doubling."""

Say = Callable[[str, str, dict[str, Any]], None]
"""Told ``away`` and ``back`` once each, with a line for a person and fields."""


@dataclass(slots=True)
class Host:
    """One host of the model, behind its gate."""

    gate: Gate
    warm: bool = False
    """Whether it had the model in memory when last seen."""
    away: str = ""
    """Why it is left out; empty while it is not."""
    rest: float = FIRST_REST
    until: float = 0.0
    """Until when it is left out, on the monotonic clock."""

    def fields(self) -> dict[str, Any]:
        """Return it as an object."""
        return {"host": self.gate.host, "warm": self.warm, "away": self.away, **self.gate.load}


@dataclass(slots=True)
class Hosts:
    """See the module. All of it belongs to one asyncio loop."""

    hosts: Sequence[Host]
    """At least one, all of the same model and context size; where all else is equal, the first."""
    say: Say = lambda what, text, fields: None
    used: Callable[[], None] = lambda: None
    """Told of every call: the model is in use."""
    clock: Callable[[], float] = time.monotonic

    @property
    def name(self) -> str:
        """The model's name."""
        return self.hosts[0].gate.name

    @property
    def context_tokens(self) -> int:
        """Tokens that prompt and answer may take together."""
        return self.hosts[0].gate.context_tokens

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
        """Return the model as this caller sees it; see Gate.model."""
        caller = Caller(agent, lane, job, event, prompt, on_call, wait)
        return View(self.name, self.context_tokens, partial(self.stream, caller), self.ready)

    def order(self, lane: Lane) -> list[Host]:
        """Return the hosts in the order in which a call of this lane tries them."""
        now = self.clock()
        there = [host for host in self.hosts if host.until <= now]
        # Where all are away, the one that comes back first is asked: it says what is wrong, and
        # is found as soon as it is back.
        there = there or sorted(self.hosts, key=lambda host: host.until)[:1]
        return sorted(
            there,
            key=lambda host: (
                (0 if host.warm else 1) if host.gate.free else 2,
                host.gate.ahead(lane),
            ),
        )

    async def ready(self) -> ModelState:
        """See ChatModel.ready: whether any host is; else what is wrong with the first."""
        states = await asyncio.gather(*(host.gate.ready() for host in self.hosts))
        return next((state for state in states if state.ready), states[0])

    def was_away(self, host: Host, why: str) -> None:
        """Leave a host out for a while; say so when it was not before."""
        host.warm = False
        host.until = self.clock() + host.rest
        host.rest = min(2 * host.rest, LONGEST_REST)
        if not host.away:
            self.say("away", why, {"host": host.gate.host, "model": self.name})
        host.away = why

    def was_there(self, host: Host) -> None:
        """Take a host as well again; say so when it was away."""
        host.until, host.rest = 0.0, FIRST_REST
        if host.away:
            host.away = ""
            self.say(
                "back",
                f"{self.name} answers again at {host.gate.host}",
                {"host": host.gate.host, "model": self.name},
            )

    async def stream(
        self, caller: Caller, messages: Sequence[Message], **asked: Any
    ) -> AsyncGenerator[Delta]:
        """See ChatModel.stream."""
        self.used()
        hosts = self.order(caller.lane)
        for place, host in enumerate(hosts):
            begun = False
            try:
                async with aclosing(host.gate.stream(caller, messages, **asked)) as deltas:
                    async for delta in deltas:
                        if not begun:
                            begun = host.warm = True
                            self.was_there(host)
                        yield delta
                return
            except (Unreachable, Missing) as error:
                self.was_away(host, error.message)
                if begun or place + 1 == len(hosts):
                    raise
            except Busy:
                raise
            except ModelError as error:
                host.warm = False
                if isinstance(error, TimedOut) and not begun:  # it hangs: spare the next call that
                    self.was_away(host, error.message)
                raise
