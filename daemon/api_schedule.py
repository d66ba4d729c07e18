"""The API's schedule: what runs when, and having it run now."""

from __future__ import annotations

import asyncio
import time

from fastapi import FastAPI

from .host import Host
from .standing import schedule_of
from .wire import Json


def add_schedule(app: FastAPI, host: Host) -> None:
    """Add ``/v1/schedule`` to the application."""

    @app.get("/v1/schedule")
    async def schedule() -> Json:
        ours, now = schedule_of(host), time.time()
        entries = await asyncio.to_thread(ours.entries, now)
        return Json({"zone": ours.zone, "now": now, "entries": entries})

    @app.post("/v1/schedule/{name}/run")
    async def run(name: str) -> Json:
        event = await schedule_of(host).run(name, time.time())
        return Json({"event": event}, status_code=202)
