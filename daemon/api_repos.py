"""The API's repositories, and the bulk work on them and on the whole memory.

Whatever is to be done becomes an event of a person who waits, goes through the queue like all
work, and is followed from there.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator

from fastapi import FastAPI
from fastapi.responses import StreamingResponse

from ..agents.events import Event, RepoAdded, RunAsked
from . import removing
from .following import followed
from .host import Host
from .requests import RepoIn
from .services import Services
from .standing import runtime_of
from .status import describe_repos
from .wire import Fields, Json, stream

INDEXER = "indexer"


def add_repos(app: FastAPI, host: Host) -> None:
    """Add ``/v1/repos`` and ``/v1/memory`` to the application."""

    @app.get("/v1/repos")
    async def repos() -> Json:
        return Json({"repos": await describe_repos(host)})

    @app.post("/v1/repos")
    async def add(asked: RepoIn) -> Json:
        # Who adds a repository has it read next: the worker gets warm while we do.
        runtime_of(host).foresee(_added(None))
        services = await host.warm.get()
        repo, created = await asyncio.to_thread(services.add_repo, asked.path)
        if host.watching is not None:
            await host.watching.refresh()
        shown = next(r for r in await describe_repos(host) if r["id"] == repo.id)
        return Json({"repo": shown, "created": created}, status_code=201 if created else 200)

    @app.delete("/v1/repos/{name:path}")
    async def remove(name: str) -> Json:
        runtime_of(host)
        services = await host.warm.get()
        repo = await asyncio.to_thread(services.repo, name)
        proof = await removing.remove(host, repo)
        return Json({"removed": {"id": repo.id, "name": repo.name}, "proof": proof})

    @app.post("/v1/repos/{name}/index")
    async def index(name: str) -> StreamingResponse:
        runtime_of(host)
        services = await host.warm.get()
        repo = await asyncio.to_thread(services.repo, name)
        return stream(_read(host, services, repo.id), host.paths.log_file)

    @app.get("/v1/memory/check")
    async def check() -> Json:
        services = await host.warm.get()
        return Json({"findings": await asyncio.to_thread(services.check)})

    @app.post("/v1/memory/vectors")
    async def vectors() -> StreamingResponse:
        return _run(host, "vectors")

    @app.post("/v1/memory/maintain")
    async def maintain() -> StreamingResponse:
        return _run(host, "upkeep")

    @app.post("/v1/memory/rebuild")
    async def rebuild() -> StreamingResponse:
        return _run(host, "rebuild")


def _run(host: Host, subject: str) -> StreamingResponse:
    """Have something done with the whole memory and stream how it goes."""
    runtime = runtime_of(host)
    running = runtime.at_work(INDEXER, subject, None)
    if running is not None:
        return stream(runtime.watch(running.id), host.paths.log_file)
    return stream(followed(host, _asked(subject, None)), host.paths.log_file)


async def _read(host: Host, services: Services, repo: str) -> AsyncGenerator[Fields]:
    """Have a repository read and yield how that goes. A reading that runs already is joined; if it
    finds that nothing was left to read, whoever asked still gets theirs, and its report."""
    runtime = runtime_of(host)
    running = runtime.at_work(INDEXER, "read", repo)
    if running is not None:
        async for fields in runtime.watch(running.id):
            if fields["type"] == "done" and not fields["report"]:
                break
            yield fields
        else:
            return
    first = not await asyncio.to_thread(services.memory.index.tips, repo)
    async for fields in followed(host, _added(repo) if first else _asked("read", repo)):
        yield fields


def _added(repo: str | None) -> Event:
    return RepoAdded(at=time.time(), source="api", repo=repo)


def _asked(subject: str, repo: str | None) -> Event:
    return RunAsked(at=time.time(), source="api", repo=repo, agent=INDEXER, subject=subject)
