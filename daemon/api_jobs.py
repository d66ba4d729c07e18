"""The API's jobs: what is queued, what runs, what became of it, and why."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from typing import Annotated

from fastapi import FastAPI, Query
from fastapi.responses import StreamingResponse

from ..memory.errors import HermesError
from .host import Host
from .ledger.ledger import Ledger
from .ledger.records import OPEN, Job, State
from .ledger.why import why
from .standing import ledger_of, repo_id, repo_names, running_of, runtime_of
from .wire import Fields, Json, Number, stream

MOST = 1_000
"""Jobs one answer may hold."""


class NoSuchState(HermesError):
    """A state is named that no job can have."""

    code = "invalid_request"

    def __init__(self, name: str) -> None:
        super().__init__(f"a job is never {name}", hint=f"states: {', '.join(State)}")


class WrongState(HermesError):
    """What is asked of a job does not go with the state it is in."""

    code = "wrong_state"

    def __init__(self, job: Job, why_not: str, hint: str) -> None:
        super().__init__(f"j{job.id} can't be changed: {why_not}", hint=hint)


def add_jobs(app: FastAPI, host: Host) -> None:
    """Add ``/v1/jobs`` and ``/v1/why`` to the application."""

    @app.get("/v1/jobs")
    async def jobs(
        state: str = "",
        agent: str | None = None,
        repo: str | None = None,
        before: Number | None = None,
        limit: Annotated[int, Query(ge=1, le=MOST)] = 20,
    ) -> Json:
        """``state`` is one or several, with commas: the newest in them. Without it what a person
        wants to see first: what went wrong, what runs, what waits, and what ended last."""
        ledger = ledger_of(host)
        states = _states(state)
        of = await repo_id(host, repo)
        if states:
            found = await asyncio.to_thread(ledger.queue.find, states, agent, of, limit, before)
        else:
            found = await asyncio.to_thread(_overview, ledger, agent, of, limit)
        depths = await asyncio.to_thread(ledger.queue.depths, time.time())
        held_back = host.runtime.held_back if host.runtime else ""
        return Json({"jobs": await described(host, found), "lanes": depths, "held_back": held_back})

    @app.get("/v1/jobs/{number}")
    async def show(number: Number) -> Json:
        job = await _job(host, number)
        return Json({"job": (await described(host, [job]))[0]})

    @app.post("/v1/jobs/{number}/retry")
    async def retry(number: Number) -> Json:
        job = await _job(host, number)
        if job.state in OPEN:
            raise WrongState(job, "it has not ended yet", "hermes log -f follows it")
        runtime = runtime_of(host)
        job = await asyncio.to_thread(ledger_of(host).queue.retry, number, time.time())
        runtime.wake()
        return Json({"job": (await described(host, [job]))[0]})

    @app.post("/v1/jobs/{number}/cancel")
    async def cancel(number: Number) -> Json:
        job = await _job(host, number)
        if job.state not in OPEN and job.state is not State.BLOCKED_CONFIG:
            raise WrongState(job, f"it has ended ({job.state})", f"hermes jobs show j{job.id}")
        job = await runtime_of(host).cancel(number)
        return Json({"job": (await described(host, [job]))[0]})

    @app.get("/v1/jobs/{number}/watch")
    async def watch(number: Number) -> StreamingResponse:
        await _job(host, number)
        return stream(runtime_of(host).watch(number), host.paths.log_file)

    @app.get("/v1/why/{name}")
    async def explain(name: str) -> Json:
        told = await asyncio.to_thread(why, ledger_of(host), name)
        return Json(told | {"repos": await repo_names(host)})


def _states(text: str) -> tuple[State, ...]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in list(State):
            raise NoSuchState(name)
    return tuple(State(name) for name in names)


def _overview(ledger: Ledger, agent: str | None, repo: str | None, limit: int) -> list[Job]:
    """Each kind gets at most half of the room that is left, so that none hides the next."""

    def find(states: Iterable[State], room: int) -> list[Job]:
        return ledger.queue.find(tuple(states), agent, repo, room)

    trouble = [
        job
        for job in ledger.queue.trouble()
        if agent in (None, job.agent) and repo in (None, job.repo)
    ]
    found = trouble[: max(1, limit // 2)]
    for state in (State.RUNNING, State.QUEUED):
        found += find([state], max(1, (limit - len(found)) // 2))
    shown = {job.id for job in found}
    ended = find(set(State) - OPEN - {State.SILENT, State.SKIPPED}, limit)
    return (found + [job for job in ended if job.id not in shown])[:limit]


async def _job(host: Host, number: int) -> Job:
    return await asyncio.to_thread(ledger_of(host).queue.get, number)


async def described(host: Host, jobs: Iterable[Job]) -> list[Fields]:
    """Return jobs as objects, with the name of each one's repository, and how far one that runs
    is."""
    names = await repo_names(host)
    progress = {run["id"]: run for run in running_of(host)}
    return [
        job.fields()
        | {"repo_name": names.get(job.repo or ""), "text": job.text}
        | {name: progress.get(job.id, {}).get(name) for name in ("phase", "done", "total")}
        for job in jobs
    ]
