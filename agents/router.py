"""Decides which agents an event is for: by rule, and by a model only where a choice is left.

Policy comes first: the kind of an event says who must run and who may. Nobody else can be chosen,
whatever a model answers or a text demands, and being chosen grants nothing. The rules alone make
good routes; a model that is away, late or wrong costs its budget and no more, and the decision's
reason says so.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Literal

from ..memory.errors import HermesError
from .contract import Lane, Preempted
from .events import Delivered, Event, FilesChanged, RepoGone, RunAsked, Scheduled
from .models.protocol import ChatModel, Message, ModelError
from .roster import CARDS, TOLD, of_schedule
from .routing_choice import NONE
from .routing_facts import Facts, Look, facts_of
from .routing_files import by_files
from .routing_prompt import ANSWER_TOKENS, messages_for, read_answer, repair_for, schema_for
from .routing_rules import choose, narrowed

Mode = Literal["auto", "model", "rules"]
"""auto: a model where a choice is left that no rule of its own settles. model: it is asked of every
event that several agents could take, and may add to what must run. rules: never."""
By = Literal["rule", "model", "fallback"]

FIRST_REST = 30.0
LONGEST_REST = 600.0
"""Seconds for which a model that did not answer is not asked again; doubling."""

Ask = Callable[[Lane, int | None], ChatModel | None]
"""Given the lane and the id of an event, return the router's model behind the gate."""


@dataclass(frozen=True, slots=True)
class Route:
    """An agent, and which of its tasks."""

    agent: str
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """Where an event goes, and why. No routes: it is written down, and nobody has to act."""

    routes: tuple[Route, ...]
    by: By
    reason: str
    seconds: float = 0.0
    model: str = ""
    """The model that was asked; empty if none was."""
    considered: tuple[str, ...] = ()
    """The agents that were a choice."""

    def fields(self) -> dict[str, Any]:
        """Return it as an object, as it is kept."""
        return {
            "routes": [{"agent": r.agent, "subject": r.subject} for r in self.routes],
            "by": self.by,
            "reason": self.reason,
            "seconds": round(self.seconds, 6),
            "model": self.model,
            "considered": list(self.considered),
        }


@dataclass(frozen=True, slots=True)
class _Policy:
    must: tuple[Route, ...]
    reason: str
    may: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    """Who should run but is not installed."""


class Router:
    """See the module. One event at a time is the caller's business; any number is safe."""

    def __init__(
        self,
        ask: Ask | None = None,
        *,
        look: Look = lambda event: None,
        mode: Mode = "auto",
        budget: float = 2.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``look`` is called in a thread. ``budget``: seconds for the model in all, waiting at the
        gate and one repair included."""
        self._ask = ask
        self._look = look
        self._mode = mode
        self._budget = budget
        self._clock = clock
        # By lane: that background calls found no turn says nothing about a person's.
        self._rests = dict.fromkeys(Lane, FIRST_REST)
        self._resting_until = dict.fromkeys(Lane, 0.0)

    def is_choice(self, event: Event, *, installed: Collection[str]) -> bool:
        """Say whether a model may have a say, so that deciding can take the whole budget."""
        if self._mode == "rules" or self._ask is None:
            return False
        policy = _policy(event, installed)
        return bool(self._candidates(policy)) and not self._is_settled(event, policy.may)

    def certain(self, event: Event, *, installed: Collection[str]) -> Decision | None:
        """Return who runs whatever a model says; None if that is nobody."""
        policy = _policy(event, installed)
        return Decision(policy.must, "rule", policy.reason) if policy.must else None

    def _candidates(self, policy: _Policy) -> tuple[str, ...]:
        if self._mode == "model" and not policy.may and len(policy.must) > 1:
            return tuple(route.agent for route in policy.must)
        return policy.may

    def _is_settled(self, event: Event, candidates: Collection[str]) -> bool:
        # No choice is left: a person is never turned away.
        return self._mode == "auto" and len(candidates) == 1 and event.kind == "requested"

    async def decide(
        self, event: Event, *, installed: Collection[str], event_id: int | None = None
    ) -> Decision:
        """Given an event and the agents that the daemon has, return where it goes."""
        started = time.perf_counter()
        policy = _policy(event, installed)
        candidates = self._candidates(policy)
        if not candidates:
            return Decision(
                policy.must, "rule", _with_absent(policy), time.perf_counter() - started
            )
        unread = ""
        try:
            facts = await asyncio.to_thread(facts_of, event, self._look)
        except HermesError as error:
            facts, unread = Facts(event.kind), f"it can't be looked at: {error.message}"
        candidates = narrowed(facts, candidates)
        agent, by, why, model = await self._choose(event, facts, candidates, event_id)
        routes = list(policy.must)
        if agent != NONE and all(route.agent != agent for route in routes):
            routes.append(Route(agent, _subject(agent)))
        reason = "; ".join(part for part in (policy.reason, why, unread) if part)
        seconds = time.perf_counter() - started
        return Decision(tuple(routes), by, reason, seconds, model, candidates)

    async def _choose(
        self, event: Event, facts: Facts, candidates: tuple[str, ...], event_id: int | None
    ) -> tuple[str, By, str, str]:
        """Return the agent or NONE, who chose it, why, and the model that was asked."""
        ruled = await asyncio.to_thread(choose, facts, candidates)
        no_need = facts.empty and not facts.paths
        if self._mode == "rules" or self._ask is None or no_need:
            return ruled.agent, "rule", ruled.why, ""
        if self._mode == "auto" and ruled.sure or self._is_settled(event, candidates):
            return ruled.agent, "rule", ruled.why, ""
        lane = lane_of(event)
        if (left := self._resting_until[lane] - self._clock()) > 0:
            why = (
                f"{ruled.why} (the model did not answer before; it is asked again in {left:.0f} s)"
            )
            return ruled.agent, "fallback", why, ""
        model = self._ask(lane, event_id)
        if model is None:
            return ruled.agent, "rule", ruled.why, ""
        try:
            async with asyncio.timeout(self._budget):
                agent = await _classify(model, facts, candidates)
        except TimeoutError:
            self._rest_now(lane)
            trouble = f"{model.name} did not answer within {self._budget:g} s"
        except Preempted:
            trouble = f"{model.name} was needed for something more urgent"
        except ModelError as error:
            self._rest_now(lane)
            trouble = error.message.rstrip(".")
        else:
            self._rests[lane] = FIRST_REST
            if agent is not None:
                return agent, "model", f"{model.name} chose {agent}", model.name
            trouble = f"{model.name} twice named none of the candidates"
        return ruled.agent, "fallback", f"{ruled.why} ({trouble})", model.name

    def _rest_now(self, lane: Lane) -> None:
        self._resting_until[lane] = self._clock() + self._rests[lane]
        self._rests[lane] = min(2 * self._rests[lane], LONGEST_REST)


async def _classify(model: ChatModel, facts: Facts, candidates: tuple[str, ...]) -> str | None:
    messages = messages_for(facts, candidates)
    answer = await _answer(model, messages, facts.kind, candidates)
    agent = read_answer(answer, facts.kind, candidates)
    if agent is None:
        messages += repair_for(answer, facts.kind, candidates)
        again = await _answer(model, messages, facts.kind, candidates)
        agent = read_answer(again, facts.kind, candidates)
    return agent


async def _answer(
    model: ChatModel, messages: list[Message], kind: str, candidates: tuple[str, ...]
) -> str:
    pieces: list[str] = []
    schema = schema_for(kind, candidates)
    stream = model.stream(messages, max_tokens=ANSWER_TOKENS, schema=schema)
    async with aclosing(stream) as deltas:
        async for delta in deltas:
            pieces.append(delta.text)
    return "".join(pieces)


def lane_of(event: Event) -> Lane:
    """Given an event, return its lane. Only what came over the API has a person waiting: a script
    can't go first by dropping a request into the spool."""
    if event.kind == "scheduled" or event.source == "cron":
        return Lane.SCHEDULED
    if event.source == "api" and event.kind in ("run_asked", "requested", "repo_added"):
        return Lane.ON_DEMAND
    return Lane.REACTIVE


def _policy(event: Event, installed: Collection[str]) -> _Policy:
    """Return who must run, by the kind of event, and who may."""
    match event:
        case RunAsked():
            wanted = {event.agent: f"{event.agent} was asked for by name"}
            if event.agent not in CARDS:
                return _Policy((), f"there is no agent {event.agent}")
            subjects = {event.agent: event.subject or _subject(event.agent)}
        case Scheduled():
            named = (event.agent, event.subject) if event.agent in CARDS else None
            meant = named or of_schedule(event.job)
            if meant is None:
                return _Policy((), f"no agent has a scheduled job {event.job}")
            wanted = {meant[0]: f"the scheduled job {event.job} is for it"}
            subjects = {meant[0]: meant[1]}
        case FilesChanged():
            wanted = by_files(event)
            subjects = {"indexer": "rescan"} if event.whole else {}
            if not wanted:
                return _Policy((), "no test and no document depends on these files")
        case RepoGone(back=False):
            return _Policy((), "its folder is gone: memory keeps what it has")
        case Delivered() if event.place:
            if "indexer" not in installed:
                return _Policy((), "nobody reads sources", absent=("indexer",))
            told = Route("indexer", f"{TOLD} {event.provider} {event.place}")
            return _Policy((told,), "what changed there is read at its source")
        case _:
            wanted = {name: "" for name, card in CARDS.items() if event.kind in card.must}
            subjects = {}
    must = tuple(
        Route(name, subjects.get(name, _subject(name))) for name in wanted if name in installed
    )
    reasons = [why for name, why in wanted.items() if name in installed and why]
    plain = f"{' and '.join(r.agent for r in must)}: always after {event.kind}" if must else ""
    return _Policy(
        must,
        "; ".join(reasons) or plain,
        tuple(n for n, card in CARDS.items() if event.kind in card.may and n in installed),
        tuple(name for name in wanted if name not in installed),
    )


def _with_absent(policy: _Policy) -> str:
    absent = [f"{name} is not installed" for name in policy.absent]
    return "; ".join(part for part in (policy.reason, *absent) if part) or "nobody has to act"


def _subject(agent: str) -> str:
    return CARDS[agent].subjects[0]
