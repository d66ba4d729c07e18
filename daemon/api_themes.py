"""The API's themes: pages of days and weeks, the nights that made them, and a night on demand."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator
from datetime import date, datetime
from typing import Annotated, Literal

from fastapi import FastAPI, Path, Query
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict

from ..agents.events import RunAsked
from ..agents.themes.folder import ThemesFolder
from ..agents.themes.pages import span_of, to_json, to_markdown
from ..agents.themes.reading import about
from ..agents.themes.records import Night, Page
from ..memory.errors import HermesError
from .following import followed
from .host import Host
from .requests import AbsolutePath, Name
from .standing import repo_and_notes, runtime_of
from .theme_pages import first_kept, missing
from .triggers.zone import local_zone
from .wire import Fields, Json, stream

SYNTHESIZER = "synthesizer"
MOST = 500
"""Nights one answer may hold."""

Kind = Literal["week", "day"]
NightName = Annotated[str, Path(max_length=100)]


class NightsOff(HermesError):
    """Nobody makes themes."""

    code = "nights_off"


class ConsolidateIn(BaseModel):
    """A night on demand."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    dry_run: bool = False


def add_themes(app: FastAPI, host: Host) -> None:
    """Add ``/v1/themes``, ``/v1/nights`` and ``/v1/consolidate`` to the application."""
    folder = ThemesFolder(host.paths.themes)

    @app.get("/v1/themes")
    async def themes(
        kind: Kind = "week",
        since: date | None = None,
        until: date | None = None,
        area: Annotated[str, Query(max_length=1_000)] = "",
        repo: Name | None = None,
        cwd: Annotated[AbsolutePath | None, Query()] = None,
    ) -> Json:
        """With an area only what of the themes is about it; without a span either the newest page of
        each repository. Of a span that has both ends, pages that no night made, or that are kept no
        more, are made for this answer, if they are few. ``since`` in it: how far back was looked."""
        of, notes = await repo_and_notes(host, repo, cwd)
        weeks, zone = kind == "week", local_zone()
        services = await host.warm.get() if area.strip() or (since and until) else None

        def look() -> Fields:
            damaged: list[str] = []
            pages = folder.pages(
                of, weeks=weeks, since=since, until=until, on_damaged=damaged.append
            )
            kept = {(page.repo, page.label) for page in pages}
            reach = first_kept(datetime.now(zone).date(), weeks=weeks)
            if services is not None and since and until and host.work is not None:
                index = services.memory.index
                repos = [each for each in index.repos() if of in (None, each.id)]
                made = missing(
                    pages,
                    repos if of is not None else [*repos, None],
                    since,
                    until,
                    weeks=weeks,
                    memory=services.memory,
                    work=host.work,
                    folder=folder,
                    zone=zone,
                )
                reach = reach if made is None else min(reach, since)
                pages += made or []
                pages.sort(key=lambda page: (page.first, page.name, page.repo))
            if services is not None and area.strip():
                pages = about(pages, area, services.memory.index)
            elif since is None and until is None:
                pages = _newest(pages)
            return {
                "pages": [
                    _page(page) | {"kept": (page.repo, page.label) in kept} for page in pages
                ],
                "damaged": damaged,
                "notes": list(notes),
                "made": folder.is_made,
                "enabled": host.settings.night.enabled,
                "since": reach.isoformat(),
                "taken_back": "" if pages else _taking_back(folder),
            }

        return Json(await asyncio.to_thread(look))

    @app.get("/v1/nights")
    async def nights(limit: Annotated[int, Query(ge=1, le=MOST)] = 20) -> Json:
        found = await asyncio.to_thread(folder.log, limit)
        return Json({"nights": [_night(night) for night in found]})

    @app.get("/v1/nights/{night}/diff")
    async def diff(night: NightName) -> Json:
        found, text = await asyncio.to_thread(folder.diff, _named(night), local_zone())
        return Json({"night": _night(found), "diff": text})

    @app.post("/v1/nights/{night}/revert")
    async def revert(night: NightName) -> Json:
        done = await asyncio.to_thread(folder.revert, _named(night), int(time.time()), local_zone())
        return Json(
            {
                "night": _night(done.night),
                "commit": done.commit,
                "back": list(done.back),
                "left": list(done.left),
            }
        )

    @app.post("/v1/consolidate")
    async def consolidate(asked: ConsolidateIn) -> StreamingResponse:
        runtime_of(host)  # without a runtime there are no agents either, and that comes first
        if SYNTHESIZER not in host.agents:
            raise NightsOff(
                "themes are not made: the setting night.enabled is off",
                hint="hermes config set night.enabled true",
            )
        return stream(_consolidate(host, dry_run=asked.dry_run), host.paths.log_file)


def _taking_back(folder: ThemesFolder) -> str:
    """Return the last night's id where it took back what another had written; else nothing."""
    return next((night.commit for night in folder.log(1) if night.reverts), "")


async def _consolidate(host: Host, *, dry_run: bool) -> AsyncGenerator[Fields]:
    """Have a night done and yield how it goes. One that runs already is joined."""
    runtime = runtime_of(host)
    running = None if dry_run else runtime.at_work(SYNTHESIZER, "", None)
    if running is not None:
        async for fields in runtime.watch(running.id):
            yield fields
        return
    asked = RunAsked(at=time.time(), source="api", agent=SYNTHESIZER, dry_run=dry_run)
    async for fields in followed(host, asked):
        yield fields


def _named(night: str) -> str:
    return "" if night == "last" else night


def _newest(pages: list[Page]) -> list[Page]:
    """Return the newest page of each repository."""
    newest = {page.repo: page for page in pages}
    return [page for page in pages if newest[page.repo] is page]


def _page(page: Page) -> Fields:
    fields: Fields = json.loads(to_json(page))
    return fields | {"week": page.is_week, "span": span_of(page), "markdown": to_markdown(page)}


def _night(night: Night) -> Fields:
    return {
        "id": night.commit[:10],
        "commit": night.commit,
        "at": night.at,
        "subject": night.subject,
        "pages": list(night.pages),
        "reverts": night.reverts,
    }
