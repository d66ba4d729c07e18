"""The API of sources: add one, list them, have one read, pause it, remove it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator

from fastapi import FastAPI
from fastapi.responses import StreamingResponse

from ..agents.events import RunAsked
from ..agents.indexer import Indexer
from . import sourcing
from .following import followed
from .host import Host
from .network import destinations_of
from .requests import SourceIn, TokenIn
from .services import Services
from .standing import runtime_of, sourcing_of
from .wire import Fields, Json, stream


def add_sources(app: FastAPI, host: Host) -> None:
    """Add ``/v1/sources`` and ``/v1/network`` to the application."""

    @app.get("/v1/sources")
    async def sources() -> Json:
        ours, services = sourcing_of(host), await host.warm.get()
        found = await asyncio.to_thread(ours.describe, services.memory)
        for source in found:
            subject = sourcing.subject_of(source["name"])
            source["job"] = await runtime_of(host).latest(Indexer.name, subject, None)
        return Json({"sources": found})

    @app.post("/v1/sources")
    async def add(asked: SourceIn) -> Json:
        ours, services = sourcing_of(host), await host.warm.get()
        token = None if asked.token is None else asked.token.get_secret_value()
        added = await ours.add(services.memory, asked.kind, asked.name, asked.options, token)
        return Json(added, status_code=201 if added["created"] else 200)

    @app.post("/v1/sources/{name}/sync")
    async def sync(name: str, asked: TokenIn) -> StreamingResponse:
        ours, services = sourcing_of(host), await host.warm.get()
        row = await asyncio.to_thread(services.memory.index.sources.get, name)
        sourcing.refuse_paused(row)
        if asked.token is not None:
            ours.tokens.put(name, asked.token.get_secret_value())
        return stream(_synced(host, name), host.paths.log_file)

    @app.post("/v1/sources/{name}/pause")
    async def pause(name: str) -> Json:
        return await _paused(host, name, paused=True)

    @app.post("/v1/sources/{name}/resume")
    async def resume(name: str) -> Json:
        return await _paused(host, name, paused=False)

    @app.delete("/v1/sources/{name}")
    async def remove(name: str, forget: bool = False) -> StreamingResponse:
        services = await host.warm.get()
        await asyncio.to_thread(services.memory.index.sources.get, name)
        return stream(_removed(host, services, name, forget=forget), host.paths.log_file)

    @app.get("/v1/network")
    async def network() -> Json:
        services = await host.warm.get()
        return Json({"destinations": await asyncio.to_thread(_destinations, host, services)})


async def _synced(host: Host, name: str) -> AsyncGenerator[Fields]:
    runtime, subject = runtime_of(host), sourcing.subject_of(name)
    running = runtime.at_work(Indexer.name, subject, None)
    if running is not None:
        async for fields in runtime.watch(running.id):
            yield fields
        return
    asked = RunAsked(at=time.time(), source="api", agent=Indexer.name, subject=subject)
    async for fields in followed(host, asked):
        yield fields


async def _paused(host: Host, name: str, *, paused: bool) -> Json:
    services = await host.warm.get()
    row = await asyncio.to_thread(services.memory.index.sources.pause, name, paused)
    if paused:
        await sourcing.stop(runtime_of(host), name)
    return Json({"source": row.name, "paused": row.paused})


async def _removed(
    host: Host, services: Services, name: str, *, forget: bool
) -> AsyncGenerator[Fields]:
    """Take a source away. With ``forget`` also what only it brought, and yield how that goes."""
    ours, memory = sourcing_of(host), services.memory
    await asyncio.to_thread(memory.index.sources.pause, name, True)  # so that nothing begins anew
    await sourcing.stop(runtime_of(host), name)
    kept = rule = None
    if forget:
        rule = await asyncio.to_thread(sourcing.begin_forgetting, memory, name)
    else:
        kept = await asyncio.to_thread(sourcing.remove, memory, name)
    ours.tokens.drop(name)
    ours.keep_schedule(memory)
    if rule is None:
        yield {"type": "done", "report": {"removed": name, "kept": kept or 0}}
        return
    asked = RunAsked(at=time.time(), source="api", agent=Indexer.name, subject="forget")
    async for fields in followed(host, asked):
        if fields["type"] == "done":
            counts = fields["report"].get("rules", {}).get(str(rule), {})
            gone = counts.get("items", 0)
            report = {"removed": name, "forgotten": gone, "proof": fields["report"].get("proof")}
            fields = fields | {"report": report}
        yield fields


def _destinations(host: Host, services: Services) -> list[Fields]:
    rows = services.memory.index.sources.all()
    return [each.fields() for each in destinations_of(host.settings, rows)]
