"""The API's council: ask one, follow it, look at what was decided, say how it turned out."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated

from fastapi import FastAPI, Query
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from ..agents.council.learning import replay, set_outcome
from ..agents.council.packet import Document, Given
from ..agents.council.perspectives import Mode
from ..agents.council.report import state_words
from ..agents.council_agent import subject_of
from ..agents.events import RunAsked
from ..ingest.git.command import DIFF_OPTIONS, Git
from ..ingest.git.errors import GitError
from ..memory.council_records import Council, Progress, Result
from ..memory.errors import HermesError
from .api_run import hand_in
from .chamber import Asked, Chamber
from .council_fields import plain, rows, whole
from .council_pull import change_of, document_of, pull_of
from .following import NotTakenUp
from .host import Host
from .ledger.records import State
from .requests import AbsolutePath, Name
from .standing import ledger_of, repo_around, runtime_of, work_of
from .wire import Fields, Json, Number, stream

if TYPE_CHECKING:
    from ..memory.work import Work

COUNCIL = "council"
MOST_TEXT = 2_000_000
"""Characters of one file or log that are accepted; a packet reads far fewer."""
MOST_FILES = 50
GIT_SECONDS = 60.0
GRACE = 10.0
"""Seconds in which a council that was just opened gets its job."""
LOOK = 5.0
"""Seconds between two looks whether a council that is followed still has its job."""
RUNS = (State.QUEUED, State.RUNNING, State.BLOCKED_CONFIG)


class NoChange(HermesError):
    """There is no difference to judge."""

    code = "nothing_staged"


class DocumentIn(BaseModel):
    """A text that is handed in."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: Annotated[str, Field(min_length=1, max_length=4096)]
    text: Annotated[str, Field(max_length=MOST_TEXT)]


class CouncilIn(BaseModel):
    """A question for a council, and what it is to be judged from."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: Annotated[str, Field(max_length=100_000)] = ""
    repo: Name | None = None
    cwd: AbsolutePath | None = None
    diff: Annotated[str, Field(max_length=1_000)] | None = None
    """``main..HEAD``; empty for what is staged."""
    pull: Annotated[int, Field(ge=1, le=10**9)] | None = None
    """The number of a pull request that memory has."""
    files: Annotated[tuple[DocumentIn, ...], Field(max_length=MOST_FILES)] = ()
    logs: Annotated[tuple[DocumentIn, ...], Field(max_length=MOST_FILES)] = ()
    constraints: Annotated[
        tuple[Annotated[str, Field(max_length=2_000)], ...], Field(max_length=20)
    ] = ()
    mode: Mode | None = None
    preset: Annotated[str, Field(max_length=100)] = ""


class OutcomeIn(BaseModel):
    """How a verdict turned out."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    result: Result
    note: Annotated[str, Field(max_length=2_000)] = ""


def chamber_of(host: Host) -> Chamber:
    """Return where councils are held. Raise NoRuntime in a stand-in."""
    runtime_of(host)
    assert host.chamber is not None
    return host.chamber


def add_council(app: FastAPI, host: Host) -> None:
    """Add ``/v1/councils`` to the application."""

    @app.post("/v1/councils")
    async def ask(asked: CouncilIn) -> StreamingResponse:
        chamber_of(host)
        return stream(_held(host, asked), host.paths.log_file)

    @app.get("/v1/councils")
    async def listed(
        words: Annotated[str, Query(max_length=1_000)] = "",
        repo: Name | None = None,
        cwd: Annotated[AbsolutePath | None, Query()] = None,
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
    ) -> Json:
        work = work_of(host)
        of = await repo_around(host, repo, cwd)

        def look() -> list[Fields]:
            return rows(work, work.councils.find(of, words, limit))

        return Json({"councils": await asyncio.to_thread(look)})

    @app.get("/v1/councils/{number}")
    async def show(number: Number) -> Json:
        council = await _looked_at(host, number)
        return Json({"council": await asyncio.to_thread(whole, work_of(host), council)})

    @app.get("/v1/councils/{number}/watch")
    async def watch(number: Number) -> StreamingResponse:
        chamber_of(host)
        await _looked_at(host, number)
        return stream(_followed(host, number), host.paths.log_file)

    @app.get("/v1/councils/{number}/replay")
    async def again(number: Number) -> Json:
        found = await asyncio.to_thread(replay, work_of(host), number)
        verdict = plain(found.verdict) | {"words": state_words(found.verdict)}
        return Json(
            {
                "same": found.same,
                "rules": found.rules,
                "stored_rules": found.stored.rules,
                "verdict": verdict,
            }
        )

    @app.post("/v1/councils/{number}/outcome")
    async def turned_out(number: Number, asked: OutcomeIn) -> Json:
        work = work_of(host)
        scores = await asyncio.to_thread(
            set_outcome, work, number, asked.result, asked.note, time.time()
        )
        await _remember(host)
        names = [{"juror": one.juror, "topic": one.topic, "value": one.value} for one in scores]
        return Json({"id": number, "result": str(asked.result), "scores": names})

    @app.delete("/v1/councils/{number}/outcome")
    async def not_known(number: Number) -> Json:
        work = work_of(host)
        await asyncio.to_thread(work.councils.get, number)
        known = await asyncio.to_thread(work.lessons.take_back_outcome, number)
        return Json({"id": number, "was_known": known})


async def _held(host: Host, asked: CouncilIn) -> AsyncGenerator[Fields]:
    """Set a council up, have it held, and yield how it goes; the last object has the verdict."""
    chamber = chamber_of(host)
    yield {"type": "step", "text": "gathering evidence"}
    ready = await _asked(host, asked)
    number = await chamber.open(ready)
    event = RunAsked(
        at=time.time(),
        source="api",
        repo=ready.repo or None,
        agent=COUNCIL,
        subject=subject_of(number),
        text=ready.question[:500] or "(no words)",
    )
    yield {"type": "numbered", "id": number}
    led_to = await hand_in(host, event)
    if not led_to["jobs"] and led_to["decision"] is not None:
        await chamber.abandon(number)
        raise NotTakenUp(led_to["event"], led_to["decision"])
    async with aclosing(_followed(host, number)) as events:
        async for fields in events:
            yield fields


async def _followed(host: Host, number: int) -> AsyncGenerator[Fields]:
    """Yield what happens in a council; one that nobody holds any more ends as abandoned."""

    async def look() -> None:
        while True:
            await asyncio.sleep(LOOK)
            await _looked_at(host, number)

    looking = asyncio.create_task(look())
    try:
        async with aclosing(chamber_of(host).follow(number)) as events:
            async for fields in events:
                yield fields
    finally:
        looking.cancel()
        await asyncio.wait({looking})


async def _asked(host: Host, asked: CouncilIn) -> Asked:
    """Return a question with what it is judged from. Raise GitError, NoChange, NoSuchRepo,
    NoSuchPull, PullNotHere."""
    repo = await repo_around(host, asked.repo, asked.cwd)
    git: Git | None = None
    if repo is not None:
        services = await host.warm.get()
        git = (await asyncio.to_thread(services.gits)).get(repo)
    if asked.cwd is not None and asked.repo is None:
        git = await asyncio.to_thread(_git_around, asked.cwd) or git
    target, diff, pull = "", "", None
    if asked.diff is not None and asked.pull is not None:
        raise NoChange("a council judges one change", hint="a difference, or a pull request")
    if git is None and (asked.diff is not None or asked.pull is not None):
        raise NoChange("there is no repository here whose change could be judged")
    if asked.diff is not None and git is not None:
        target, diff = await asyncio.to_thread(_diff, git, asked.diff)
    elif asked.pull is not None and git is not None:
        memory = (await host.warm.get()).memory
        item = await asyncio.to_thread(pull_of, memory, repo or "", asked.pull)
        between = await asyncio.to_thread(change_of, git, item)
        _, diff = await asyncio.to_thread(_diff, git, between)
        target, pull = f"{item.key} {item.title}", document_of(item)
    worktree = str(git.worktree) if git is not None and git.worktree is not None else ""
    given = Given(
        target=target,
        diff=diff,
        files=tuple(Document(one.path, one.text) for one in asked.files),
        logs=tuple(Document(one.path, one.text) for one in asked.logs),
        constraints=asked.constraints,
        pull=pull,
    )
    return Asked(asked.question, given, repo or "", worktree, asked.mode, asked.preset)


def _git_around(cwd: str) -> Git | None:
    try:
        return Git.open(cwd)
    except GitError:
        return None


def _diff(git: Git, between: str) -> tuple[str, str]:
    """Return what a difference is called, and its text. Raise GitError, NoChange."""
    if between.startswith("-"):
        raise NoChange(f"{between} names no difference", hint="for example main..HEAD")
    where = ["--cached"] if not between else []
    names = [] if not between else ["--end-of-options", between]
    text = git.run(
        *("diff", "--patch", "-M", *DIFF_OPTIONS, *where, *names, "--"), timeout=GIT_SECONDS
    ).decode("utf-8", "replace")
    if not text.strip():
        if between:
            raise NoChange(f"there is no difference in {between}")
        raise NoChange("nothing is staged", hint="git add first, or name one: --diff main..HEAD")
    return between or "what is staged", text


async def _looked_at(host: Host, number: int) -> Council:
    """Return a council; one that nobody holds any more is abandoned. Raise NoSuchCouncil."""
    work: Work = work_of(host)
    council = await asyncio.to_thread(work.councils.get, number)
    if council.progress is not Progress.RUNNING:
        return council
    jobs = await asyncio.to_thread(ledger_of(host).queue.find, RUNS, COUNCIL, None, 500)
    held = any(job.subject == subject_of(number) for job in jobs)
    if held or time.time() - council.asked < GRACE:
        return council
    await chamber_of(host).abandon(number)
    return await asyncio.to_thread(work.councils.get, number)


async def _remember(host: Host) -> None:
    """Have memory know how a verdict turned out. Nobody waits for it."""
    event = RunAsked(at=time.time(), source="api", agent=COUNCIL, subject="remember")
    assert host.dispatcher is not None
    await host.dispatcher.accept(event, None)
