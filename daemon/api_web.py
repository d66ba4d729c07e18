"""The API's local page: open it, close it, where it is. It is not for the page itself."""

from __future__ import annotations

from fastapi import FastAPI

from .host import Host
from .standing import web_of
from .wire import Json


def add_web(app: FastAPI, host: Host) -> None:
    """Add ``/v1/web`` to the application."""

    @app.get("/v1/web")
    async def state() -> Json:
        return Json(web_of(host).state())

    @app.post("/v1/web")
    async def opened() -> Json:
        return Json(await web_of(host).open())

    @app.delete("/v1/web")
    async def closed() -> Json:
        web = web_of(host)
        was_open = await web.close()
        return Json(web.state() | {"was_open": was_open})
