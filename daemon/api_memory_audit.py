"""The API's audit of memory."""

from __future__ import annotations

import asyncio
import time
from dataclasses import asdict

from fastapi import FastAPI

from ..agents.hygiene.audit import Audit, audit, keep_line, line_of
from ..memory.audit import Rate
from ..memory.memory import Memory
from ..memory.work import Work
from .host import Host
from .wire import Fields, Json


def add_memory_audit(app: FastAPI, host: Host) -> None:
    """Add ``/v1/memory/audit`` to the application."""

    @app.get("/v1/memory/audit")
    async def look() -> Json:
        services = await host.warm.get()
        return Json(await asyncio.to_thread(_audit, services.memory, host.work))


def _audit(memory: Memory, work: Work | None) -> Fields:
    found = audit(memory, int(time.time()))
    if not memory.index.read_only:
        keep_line(memory, found)  # so that the brief does not repeat what was dealt with
    return _fields(found) | {"line": line_of(found), "answers": _answers(work)}


def _fields(found: Audit) -> Fields:
    measures = asdict(found.measures)
    for name, value in asdict(found).items():
        if name != "measures":
            measures[name] = value
    for name in ("duplicates", "near_duplicates", "stale", "derived", "orphaned"):
        rate: Rate = getattr(found.measures, name)
        measures[name]["share"] = rate.share
    measures["secrets"]["share"] = found.secrets.share
    measures["disk"]["times"] = found.measures.disk.times
    return {"ok": found.ok, **measures}


def _answers(work: Work | None) -> Fields:
    """How many questions were answered by what the night had ready, by kind."""
    tally = work.answers.tally() if work is not None else []
    return {each.kind: {"asked": each.asked, "served": each.served} for each in tally}
