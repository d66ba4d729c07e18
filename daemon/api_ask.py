"""The API's questions: search and ask."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from fastapi import FastAPI
from fastapi.responses import StreamingResponse

from .host import Host
from .requests import AskIn, SearchIn
from .wire import Fields, Json, stream


def add_ask(app: FastAPI, host: Host) -> None:
    """Add ``/v1/search`` and ``/v1/ask`` to the application."""

    @app.post("/v1/search")
    async def search(asked: SearchIn) -> Json:
        services = await host.warm.get()
        return Json(await asyncio.to_thread(services.search, asked))

    @app.post("/v1/ask")
    async def ask(asked: AskIn) -> StreamingResponse:
        return stream(_answer(host, asked), host.paths.log_file)


async def _answer(host: Host, asked: AskIn) -> AsyncGenerator[Fields]:
    if host.warm.ready is None:
        yield {"type": "step", "text": "opening memory"}
    services = await host.warm.get()
    async with aclosing(services.ask(asked)) as events:
        async for event in events:
            yield event
