"""The API's repositories, and the bulk work on them and on the whole memory."""

from __future__ import annotations

import asyncio

from fastapi import FastAPI
from fastapi.responses import StreamingResponse

from ..memory.errors import HermesError
from .host import Host
from .job import State, Task
from .requests import RepoIn
from .status import describe_repos
from .wire import Json, stream
from .work import Work


class NoWorker(HermesError):
    """There is no daemon, so there is nobody to do bulk work."""

    code = "no_worker"


def add_repos(app: FastAPI, host: Host) -> None:
    """Add ``/v1/repos`` and ``/v1/memory`` to the application."""

    @app.get("/v1/repos")
    async def repos() -> Json:
        return Json({"repos": await describe_repos(host)})

    @app.post("/v1/repos")
    async def add(asked: RepoIn) -> Json:
        # Who adds a repository has it read next: the worker gets warm while we do.
        _worker(host).foresee()
        services = await host.warm.get()
        repo, created = await asyncio.to_thread(services.add_repo, asked.path)
        shown = next(r for r in await describe_repos(host) if r["id"] == repo.id)
        return Json({"repo": shown, "created": created}, status_code=201 if created else 200)

    @app.delete("/v1/repos/{name:path}")
    async def remove(name: str) -> Json:
        work = _worker(host)
        services = await host.warm.get()
        repo = await asyncio.to_thread(services.repo, name)
        await work.cancel(repo.id)
        job = work.submit(Task.FORGET, repo.id)
        async for _ in work.watch(job):
            pass
        if job.state is not State.DONE:
            raise _failure(job.error)
        services.forget_git(repo.id)
        return Json({"removed": {"id": repo.id, "name": repo.name}})

    @app.post("/v1/repos/{name}/index")
    async def index(name: str) -> StreamingResponse:
        work = _worker(host)
        services = await host.warm.get()
        repo = await asyncio.to_thread(services.repo, name)
        job = work.submit(Task.INDEX, repo.id)
        return stream(work.watch(job), host.paths.log_file)

    @app.get("/v1/memory/check")
    async def check() -> Json:
        services = await host.warm.get()
        return Json({"findings": await asyncio.to_thread(services.check)})

    @app.post("/v1/memory/vectors")
    async def vectors() -> StreamingResponse:
        return _run(host, Task.VECTORS)

    @app.post("/v1/memory/maintain")
    async def maintain() -> StreamingResponse:
        return _run(host, Task.MAINTAIN)

    @app.post("/v1/memory/rebuild")
    async def rebuild() -> StreamingResponse:
        return _run(host, Task.REBUILD)


def _run(host: Host, task: Task) -> StreamingResponse:
    """Submit a job on the whole memory and stream how it goes."""
    work = _worker(host)
    return stream(work.watch(work.submit(task)), host.paths.log_file)


def _worker(host: Host) -> Work:
    if host.work is None:
        raise NoWorker(
            "the daemon is not running, so memory can only be read", hint="start it with hermes up"
        )
    return host.work


def _failure(error: dict[str, str]) -> HermesError:
    failure = HermesError(error.get("error", "it was cancelled"), hint=error.get("hint", ""))
    failure.code = error.get("code", "cancelled")
    return failure
