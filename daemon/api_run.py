"""The API's on-demand door: run an agent, hand in an event, ask in one's own words, pause."""

from __future__ import annotations

import asyncio
import difflib
import time
from collections.abc import Sequence
from contextlib import aclosing

from fastapi import FastAPI

from ..agents.events import Event, Requested, RunAsked
from ..agents.roster import CARDS
from ..memory.errors import HermesError
from .api_jobs import described
from .host import Host
from .ledger.followers import Followers, Gap
from .requests import EventIn, PauseIn, RequestIn, RunIn
from .standing import dispatcher_of, followers_of, ledger_of, repo_around, runtime_of
from .wire import Fields, Json

ROUTING_SECONDS = 15.0
"""How long an answer waits until it is decided who does the work; the model's own limit is far
below. After that the caller gets the number of the event alone."""


ELSEWHERE = {
    ("indexer", "rebuild"): "hermes memory rebuild",
    ("indexer", "forget"): "hermes remove NAME",
}
"""What takes something away has a command of its own, which asks first."""


class NoSuchAgent(HermesError):
    """An agent, or a task of one, is named that this hermes does not have."""

    code = "no_such_agent"

    @classmethod
    def of(cls, name: str, known: Sequence[str]) -> NoSuchAgent:
        """Given the name of no agent, and those there are, say so."""
        near = difflib.get_close_matches(name, known, n=1)
        return cls(
            f"there is no agent {name}" + (f"; did you mean {near[0]}?" if near else ""),
            hint=f"agents: {', '.join(sorted(known))}. What has a space in it is a request in your "
            "own words",
        )


class NotHere(HermesError):
    """A run can't be asked for in this way."""

    code = "usage"


def add_run(app: FastAPI, host: Host) -> None:
    """Add ``/v1/run``, ``/v1/requests``, ``/v1/events``, ``/v1/pause`` and ``/v1/resume``."""

    @app.post("/v1/run")
    async def run(asked: RunIn) -> Json:
        dispatcher_of(host)  # without a runtime there are no agents either, and that comes first
        _check(asked, host.agents)
        repo = await repo_around(host, asked.repo, asked.cwd)
        event = RunAsked(
            at=time.time(),
            source="api",
            repo=repo,
            agent=asked.agent,
            subject=asked.subject,
            text=asked.text,
            dry_run=asked.dry_run,
        )
        return Json(await hand_in(host, event), status_code=202)

    @app.post("/v1/requests")
    async def request(asked: RequestIn) -> Json:
        repo = await repo_around(host, asked.repo, asked.cwd)
        event = Requested(at=time.time(), source="api", repo=repo, text=asked.text)
        return Json(await hand_in(host, event), status_code=202)

    @app.post("/v1/events")
    async def tell(asked: EventIn) -> Json:
        number = await dispatcher_of(host).accept(asked.event, asked.key)
        return Json({"event": number}, status_code=202)

    @app.post("/v1/pause")
    async def pause(asked: PauseIn) -> Json:
        until = None if asked.seconds is None else time.time() + asked.seconds
        await runtime_of(host).pause(until)
        return Json({"paused": {"until": until}})

    @app.post("/v1/resume")
    async def resume() -> Json:
        runtime = runtime_of(host)
        was_paused = runtime.paused
        await runtime.resume()
        return Json({"paused": None, "was_paused": was_paused})


def _check(asked: RunIn, agents: Sequence[str]) -> None:
    """Raise what is wrong with a run, before it is queued: a slip of the pen is no incident."""
    if asked.agent not in agents:
        raise NoSuchAgent.of(asked.agent, agents)
    card = CARDS[asked.agent]
    if asked.subject and asked.subject not in card.subjects:
        tasks = ", ".join(subject for subject in card.subjects if subject)
        raise NoSuchAgent(
            f"{asked.agent} has no task {asked.subject}",
            hint=f"its tasks: {tasks}" if tasks else "it has only one, without a name",
        )
    if card.needs_words and not asked.text.strip():
        raise NotHere(
            f"{asked.agent} needs words to work on", hint=f'hermes run {asked.agent} "why …?"'
        )
    command = ELSEWHERE.get((asked.agent, asked.subject))
    if command is not None and not asked.dry_run:
        raise NotHere(f"{asked.subject} takes something away, so it asks first", hint=command)


async def hand_in(host: Host, event: Event) -> Fields:
    """Accept an event of a person who waits, and return it with what it led to: ``decision`` and
    ``jobs``. The decision is null if it takes too long; the event is routed all the same."""
    ledger, dispatcher = ledger_of(host), dispatcher_of(host)
    followers = followers_of(host)
    before = await asyncio.to_thread(ledger.journal.newest)
    number = await dispatcher.accept(event, None)
    try:
        async with asyncio.timeout(ROUTING_SECONDS):
            decision = await _routed(followers, number, before)
    except TimeoutError:
        return {"event": number, "decision": None, "jobs": []}
    jobs = [await asyncio.to_thread(ledger.queue.get, job) for job in decision.pop("jobs", ())]
    return {"event": number, "decision": decision, "jobs": await described(host, jobs)}


async def _routed(followers: Followers, number: int, before: int) -> Fields:
    """Wait until the journal says that an event was routed; return what was decided."""
    async with aclosing(followers.follow(before, ("event",))) as entries:
        async for entry in entries:
            if not isinstance(entry, Gap) and (entry.what, entry.about) == ("routed", number):
                return dict(entry.fields)
    return {}
