"""The API's pieces of memory: what one says, other words for it, its removal, and all of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict
from typing import Annotated

from fastapi import FastAPI, Query
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from .. import __version__
from ..agents.events import RunAsked
from ..ingest.redaction import redact
from ..memory import export as exporting
from ..memory.errors import HermesError
from ..memory.forgetting_rules import RuleKind, ref_rule
from ..memory.lookup import MOST, Named, look_up, parts_of, vectors_of
from ..memory.memory import Memory
from ..memory.records import Chunk
from .api_repos import INDEXER
from .following import failure, followed
from .host import Host
from .requests import Name
from .standing import runtime_of
from .wire import Fields, Json, of_error, to_line

FORMAT = 1
"""Of an export: a reader of another one has to be told."""
MOST_TEXT = 100_000
"""Characters of a text that may be put in the place of another."""
MOST_ANSWERS = 5
"""Answers that cited something, which are told of."""
DAYS_LOOKED_AT = 90
"""Of the raw log, for such answers."""

Id = Annotated[str, Query(min_length=1, max_length=500)]


class NoSuchChunk(HermesError):
    """An id names nothing in memory."""

    code = "not_in_memory"


class Ambiguous(HermesError):
    """An id names several things."""

    code = "ambiguous"


class TextIn(BaseModel):
    """What a piece of memory is to say."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: Annotated[str, Field(min_length=1, max_length=MOST_TEXT)]


def add_chunks(app: FastAPI, host: Host) -> None:
    """Add ``/v1/memory/chunks`` and ``/v1/memory/export`` to the application."""

    @app.get("/v1/memory/chunks")
    async def show(id: Id, repo: Name | None = None) -> Json:
        services = await host.warm.get()
        memory, of = services.memory, services.repo(repo).id if repo else None
        found = await asyncio.to_thread(look_up, memory, id, (of,) if of else ())
        if not found:
            raise await asyncio.to_thread(_nothing, memory, id)
        if len(found) > 1:
            names = {each.id: each.name for each in memory.index.repos()}
            listed = [asdict(each) | {"repo_name": names.get(each.repo, "")} for each in found]
            return Json({"candidates": listed[:MOST], "more": len(found) > MOST})
        return Json({"found": await asyncio.to_thread(_describe, memory, found[0])})

    @app.post("/v1/memory/chunks/{chunk}")
    async def edit(chunk: str, asked: TextIn) -> Json:
        runtime_of(host)
        memory = (await host.warm.get()).memory
        text, secrets = await asyncio.to_thread(redact, asked.text)
        before = await asyncio.to_thread(_chunk, memory, chunk)
        text = memory.index.withheld.sieve().clean(text)
        changed = text != before.text
        if changed:
            await asyncio.to_thread(memory.index.edits.put, before, text, int(time.time()))
            await _carried_out(host)
        after = await asyncio.to_thread(_chunk, memory, chunk)
        return Json({"changed": changed, "redacted": secrets, "chunk": asdict(after)})

    @app.delete("/v1/memory/chunks/{chunk}/edit")
    async def undo(chunk: str) -> Json:
        runtime_of(host)
        memory = (await host.warm.get()).memory
        before = await asyncio.to_thread(_chunk, memory, chunk)
        if before.id not in memory.index.edits.of((before.id,)):
            raise HermesError("it was not edited", hint="there is nothing to take back")
        await asyncio.to_thread(memory.index.edits.undo, before.id)
        report = await _carried_out(host)
        if why := report["failed"].get(before.id):
            raise HermesError(
                f"the original can't be read again: {why}",
                hint="it says what you made of it as before",
            )
        after = await asyncio.to_thread(_chunk, memory, chunk)
        return Json({"chunk": asdict(after)})

    @app.delete("/v1/memory/chunks")
    async def delete(id: Id, repo: Name | None = None) -> Json:
        runtime_of(host)
        services = await host.warm.get()
        memory, of = services.memory, services.repo(repo).id if repo else None
        found = await asyncio.to_thread(look_up, memory, id, (of,) if of else ())
        if not found:
            raise await asyncio.to_thread(_nothing, memory, id)
        if len(found) > 1:
            raise Ambiguous(f"{id} may mean {len(found)} things", hint="give more of it")
        rule = await asyncio.to_thread(_forget, memory, found[0])
        await _carried_out(host)
        return Json({"removed": asdict(found[0]), "rule": rule})

    @app.get("/v1/memory/export")
    async def export(
        repo: Annotated[Sequence[Name], Query()] = (),
        source: Name | None = None,
        since: int | None = None,
        until: int | None = None,
    ) -> StreamingResponse:
        services = await host.warm.get()
        repos = tuple(services.repo(name).id for name in repo)
        wanted = exporting.Wanted(repos, source, since, until)
        outline = await asyncio.to_thread(exporting.outline, services.memory, wanted)
        return StreamingResponse(
            _lines(services.memory, wanted, outline), media_type="application/x-ndjson"
        )


async def _carried_out(host: Host) -> Fields:
    """Have the worker carry out what was written down; return its report. Raise what went wrong."""
    asked = RunAsked(at=time.time(), source="api", agent=INDEXER, subject="amend")
    last: Fields = {}
    async for fields in followed(host, asked):
        last = fields
    if last["type"] != "done":
        raise failure(last)
    report: Fields = last["report"]
    return report


def _nothing(memory: Memory, id: str) -> NoSuchChunk:
    named = len(memory.index.commits_by_ticket(id))
    if named:
        return NoSuchChunk(
            f"memory holds no ticket {id} itself; {_commits(named)}",
            hint=f"hermes search {id}",
        )
    return NoSuchChunk(
        f"memory holds nothing called {id}",
        hint="hermes search shows ids: of a commit, and after it of the piece that was found",
    )


def _commits(naming: int) -> str:
    return "1 commit names it" if naming == 1 else f"{naming:,} commits name it"


def _chunk(memory: Memory, id: str) -> Chunk:
    chunk = memory.store.fetch((id,)).get(id)
    if chunk is None:
        raise NoSuchChunk("memory does not hold this piece any more", hint="hermes memory show ID")
    return chunk


def _forget(memory: Memory, named: Named) -> int:
    if named.chunk:
        return memory.index.withheld.add(RuleKind.CHUNK, named.chunk)
    return memory.index.withheld.add(RuleKind.REF, ref_rule(named.repo, named.ref))


def _describe(memory: Memory, named: Named) -> Fields:
    """Return everything that is known of what is named."""
    parts = parts_of(memory, named)
    chunk = next((part for part in parts if part.id == named.chunk), parts[0] if parts else None)
    repo = memory.index.repo(named.repo) if named.repo else None
    commit = memory.index.commit(named.repo, named.ref) if named.repo else None
    item = memory.index.items.get(named.ref)
    mark = memory.index.marks.of((named.ref,)).get((named.repo, named.ref))
    twins = memory.index.marks.folded_into((named.ref,)).get((named.repo, named.ref), [])
    subjects = [f"ticket:{item.key}"] if item is not None and item.key else []
    facts = [fact for subject in subjects for fact in memory.index.facts.of(subject)]
    return {
        "kind": named.kind,
        "repo": None if repo is None else {"id": repo.id, "name": repo.name},
        "ref": named.ref,
        "chunk": None if chunk is None else asdict(chunk),
        "parts": [
            {"id": part.id, "path": part.path, "part": part.part, "edited": part.edited}
            for part in parts
            if chunk is None or part.id != chunk.id
        ],
        "commit": None if commit is None else asdict(commit),
        "item": None if item is None else asdict(item),
        "mark": None if mark is None else asdict(mark),
        "twins": [asdict(twin) for twin in twins],
        "facts": [asdict(fact) for fact in facts],
        "vectors": [] if chunk is None else vectors_of(memory, chunk),
        "cited": _cited(memory, named),
    }


def _cited(memory: Memory, named: Named) -> list[Fields]:
    """Return the last answers of the raw log that cited it."""
    found: list[Fields] = []
    start = f"{named.repo}:{named.ref}:"
    for day in reversed(memory.log.days()[-DAYS_LOOKED_AT:]):
        of_day = [
            {"at": entry["at"], "question": entry["question"]}
            for entry in memory.log.read(day)
            if entry.get("kind") == "asked"
            and any(str(source).startswith(start) for source in entry.get("sources", ()))
        ]
        found += reversed(of_day)
        if len(found) >= MOST_ANSWERS:
            break
    return found[:MOST_ANSWERS]


async def _lines(
    memory: Memory, wanted: exporting.Wanted, outline: exporting.Outline
) -> AsyncIterator[bytes]:
    """Yield an export: what it is, then each chunk, a window at a time, then how many those were."""
    repos = {repo.id: repo for repo in memory.index.repos()}
    shown = [repo for repo in repos.values() if not wanted.repos or repo.id in wanted.repos]
    yield to_line(
        {
            "type": "export",
            "of": "hermes memory",
            "format": FORMAT,
            "version": __version__,
            "made": int(time.time()),
            "repos": [{"id": repo.id, "name": repo.name, "path": repo.path} for repo in shown],
            "source": wanted.source,
            "since": wanted.since,
            "until": wanted.until,
            "chunks": outline.chunks,
            "by_source": outline.by_source,
        }
    )
    written = 0
    try:
        for window in outline.windows:
            chunks = await asyncio.to_thread(exporting.read, memory, wanted, window)
            objects = await asyncio.to_thread(exporting.describe, memory, chunks, repos)
            written += len(objects)
            yield b"".join(map(to_line, objects))
    except HermesError as error:
        yield to_line({"type": "error"} | of_error(error))
        return
    yield to_line({"type": "done", "chunks": written})
