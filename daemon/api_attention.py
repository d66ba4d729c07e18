"""The API's incidents, findings and digest: what failed, what was shown, what a brief is to say."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Annotated

from fastapi import FastAPI, Query
from pydantic import BaseModel, ConfigDict, Field

from .attention.findings import Row
from .host import Host
from .standing import attention_of, repo_names
from .wire import Fields, Json, Number

MOST = 500


class UndeliveredIn(BaseModel):
    """Why a surface could not show a finding."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    reason: Annotated[str, Field(min_length=1, max_length=500)]


def add_attention(app: FastAPI, host: Host) -> None:
    """Add ``/v1/incidents``, ``/v1/findings`` and ``/v1/digest`` to the application."""

    @app.get("/v1/incidents")
    async def incidents(
        over: bool = False, limit: Annotated[int, Query(ge=1, le=MOST)] = 200
    ) -> Json:
        attention = attention_of(host)
        found = await asyncio.to_thread(attention.incidents, over=over, limit=limit)
        return Json({"incidents": await _named(host, [each.fields() for each in found])})

    @app.post("/v1/incidents/{number}/acknowledge")
    async def acknowledge(number: Number) -> Json:
        attention = attention_of(host)
        found = await asyncio.to_thread(attention.acknowledge, number, time.time())
        return Json({"incident": (await _named(host, [found.fields()]))[0]})

    @app.get("/v1/findings")
    async def findings(state: str = "", limit: Annotated[int, Query(ge=1, le=MOST)] = 50) -> Json:
        """``state`` is one or several of held, shown, digest, log and taken_back, with commas."""
        states = [word.strip() for word in state.split(",") if word.strip()]
        found = await asyncio.to_thread(attention_of(host).latest, limit, states)
        return Json({"findings": await _named(host, [row.fields() for row in found])})

    @app.get("/v1/digest")
    async def digest() -> Json:
        """What the next brief is to say. Asking does not make it said."""
        found = await asyncio.to_thread(attention_of(host).digest)
        return Json({"items": await _named(host, [item.fields() for item in found.items()])})

    @app.post("/v1/findings/{number}/undelivered")
    async def undelivered(number: Number, asked: UndeliveredIn) -> Json:
        delivery = attention_of(host).delivery
        row = await asyncio.to_thread(delivery.undelivered, number, time.time(), asked.reason)
        return Json({"finding": row.fields()})

    @app.post("/v1/findings/{number}/delivered")
    async def delivered(number: Number) -> Json:
        return await _told(attention_of(host).delivery.delivered, number)

    @app.post("/v1/findings/{number}/opened")
    async def opened(number: Number) -> Json:
        return await _told(attention_of(host).delivery.opened, number)

    @app.post("/v1/findings/{number}/dismissed")
    async def dismissed(number: Number) -> Json:
        return await _told(attention_of(host).delivery.dismissed, number)

    @app.post("/v1/findings/{number}/ignored")
    async def ignored(number: Number) -> Json:
        return await _told(attention_of(host).delivery.ignored, number)


async def _told(tell: Callable[[int, float], Row], number: int) -> Json:
    row = await asyncio.to_thread(tell, number, time.time())
    return Json({"finding": row.fields()})


async def _named(host: Host, found: list[Fields]) -> list[Fields]:
    """Put the repository's name beside its id."""
    names = await repo_names(host)
    return [{**each, "repo_name": names.get(each["repo"] or "")} for each in found]
