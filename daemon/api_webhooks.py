"""The API of webhooks: how they stand, turn one on or off, its secret."""

from __future__ import annotations

import asyncio

from fastapi import FastAPI

from .host import Host
from .requests import WebhookIn
from .standing import webhooks_of
from .wire import Json


def add_webhooks(app: FastAPI, host: Host) -> None:
    """Add ``/v1/webhooks`` to the application."""

    @app.get("/v1/webhooks")
    async def state() -> Json:
        return Json(await asyncio.to_thread(webhooks_of(host).state))

    @app.post("/v1/webhooks/{name}")
    async def turned_on(name: str, asked: WebhookIn) -> Json:
        offered = None if asked.secret is None else asked.secret.get_secret_value()
        webhooks = webhooks_of(host)
        found = await webhooks.turn_on(name, place=asked.place, offered=offered, anew=asked.new)
        return Json(found)

    @app.get("/v1/webhooks/{name}/secret")
    async def secret(name: str) -> Json:
        return Json({"name": name, "secret": webhooks_of(host).secret_of(name)})

    @app.delete("/v1/webhooks")
    async def all_off() -> Json:
        webhooks = webhooks_of(host)
        was_on = await webhooks.turn_off(None)
        return Json(webhooks.state() | {"was_on": was_on})

    @app.delete("/v1/webhooks/{name}")
    async def turned_off(name: str) -> Json:
        webhooks = webhooks_of(host)
        was_on = await webhooks.turn_off(name)
        return Json(webhooks.state() | {"was_on": was_on})
