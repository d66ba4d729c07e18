"""The API's brief: today's, others on demand, and ratings."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import FastAPI, Query
from pydantic import BaseModel, ConfigDict, Field

from ..agents.brief.records import Brief
from ..agents.brief.render import NARROWEST, lines_of, markdown_of, spoken_of
from ..agents.brief.storing import to_fields
from ..memory.errors import HermesError
from .host import Host
from .requests import Name
from .standing import NoRuntime, repo_id
from .wire import Fields, Json

if TYPE_CHECKING:
    from ..agents.standup import Standup

Style = Literal["text", "ascii", "ansi", "markdown", "spoken"]
WIDEST = 500

Width = Annotated[int, Query(ge=NARROWEST, le=WIDEST)]


class BriefOff(HermesError):
    """Nobody makes a brief."""

    code = "brief_off"


class BriefIn(BaseModel):
    """Another brief than today's."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    since: Annotated[str, Field(max_length=100)] = ""
    week: bool = False
    author: Annotated[str, Field(max_length=200)] = ""
    team: bool = False
    repos: tuple[Name, ...] = ()
    """Ids, names or paths; none: all."""
    whole: bool = False
    """More than a screen."""
    width: Annotated[int, Field(ge=NARROWEST, le=WIDEST)] = 80
    style: Style = "text"


class RateIn(BaseModel):
    """What a person says to a line of the last brief."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    number: Annotated[int, Field(ge=1, le=10_000)]
    useful: bool


def add_brief(app: FastAPI, host: Host) -> None:
    """Add ``/v1/brief`` to the application."""

    @app.get("/v1/brief")
    async def today(width: Width = 80, style: Style = "text", whole: bool = False) -> Json:
        """Today's. ``whole``: with what found no room. ``unnoted``: why it could not be written
        down; empty if it was."""
        failed: list[HermesError] = []
        brief = await _standup(host).today(failed.append)
        fields = _fields(brief, width, style, host.settings.brief.lines, whole=whole)
        return Json(fields | {"unnoted": failed[0].message if failed else ""})

    @app.post("/v1/brief")
    async def other(asked: BriefIn) -> Json:
        from ..agents.standup import Wanted

        repos = [await repo_id(host, name) or "" for name in asked.repos]
        wanted = Wanted(
            asked.since, asked.week, asked.author, asked.team, tuple(repos), asked.whole
        )
        brief = await _standup(host).other(wanted)
        lines = host.settings.brief.lines
        return Json(_fields(brief, asked.width, asked.style, lines, whole=asked.whole))

    @app.post("/v1/brief/rate")
    async def rate(said: RateIn) -> Json:
        standup = _standup(host)
        fact = await asyncio.to_thread(standup.rate, said.number, useful=said.useful)
        topic = fact.topic or str(fact.section)
        return Json({"key": fact.key, "topic": topic, "text": fact.text, "useful": said.useful})


def _standup(host: Host) -> Standup:
    if host.standup is not None:
        return host.standup
    if host.runtime is None:
        raise NoRuntime(host)
    raise BriefOff(
        "no brief is made: the setting brief.enabled is off",
        hint="hermes config set brief.enabled true",
    )


def _fields(brief: Brief, width: int, style: Style, most: int, *, whole: bool) -> Fields:
    match style:
        case "markdown":
            lines = markdown_of(brief, whole=whole)
        case "spoken":
            lines = spoken_of(brief, whole=whole)
        case _:
            lines = lines_of(
                brief,
                width,
                most=0 if whole else most,
                whole=whole,
                ascii_only=style == "ascii",
                colours=style == "ansi",
            )
    return {"brief": to_fields(brief), "lines": lines}
