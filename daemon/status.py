"""What status shows: the daemon, its repositories, its work, and every degradation."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..memory.errors import HermesError
from .host import Host
from .job import Task

if TYPE_CHECKING:
    from .services import Services

Fields = dict[str, Any]

MODEL_SECONDS = 3.0
"""How long a look at the model may take."""


async def status(host: Host) -> Fields:
    """Return the whole state. Never fails: what can't be told is told as a note."""
    notes = [*host.notes, *(f"{name}: {fault}" for name, fault in host.faults.items())]
    found: Fields = {
        "version": __version__,
        "pid": os.getpid(),
        "started": host.holder.started,
        "uptime": max(0, int(time.time()) - host.holder.started),
        "rss": resident_bytes(),
        "home": host.paths.state_folder,
        "log": str(host.paths.log_file),
        "ready": host.warm.ready is not None,
        "work": host.work.summary() if host.work else None,
        "repos": [],
        "memory": None,
        "model": None,
        "notes": notes,
    }
    try:
        services = await host.warm.get()
        found["repos"] = await describe_repos(host)
        found["memory"] = await asyncio.to_thread(_memory, services)
        found["model"] = await model_state(services)
    except HermesError as error:
        notes.append(" ".join(filter(None, (error.message, error.hint))))
    notes += _degradations(found)
    return found


async def describe_repos(host: Host) -> list[Fields]:
    """Return each repository, with the job that runs on it and how the last one ended."""
    services = await host.warm.get()
    found = await asyncio.to_thread(services.repos)
    for repo in found:
        repo["job"] = _job_of(host, repo["id"])
    return found


async def model_state(services: Services) -> Fields:
    """Return whether the language model can be asked, as objects."""
    if services.model is None:
        return {"name": None, "reachable": False, "present": False, "detail": "off", "hint": ""}
    try:
        state = await asyncio.wait_for(services.model.ready(), MODEL_SECONDS)
    except TimeoutError:
        return {
            "name": services.model.name,
            "reachable": False,
            "present": False,
            "detail": f"its server does not answer within {MODEL_SECONDS:g} s",
            "hint": "",
        }
    return {
        "name": services.model.name,
        "reachable": state.reachable,
        "present": state.present,
        "detail": state.detail,
        "hint": state.hint,
    }


def resident_bytes() -> int:
    """Return how much memory this process takes now (at most so far, off Linux)."""
    if sys.platform == "linux":
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    if sys.platform == "win32":
        return 0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _memory(services: Services) -> Fields:
    stats = services.memory.stats()
    return {
        "commits": stats.commits,
        "chunks": stats.chunks,
        "vectors": stats.vectors,
        "vectors_total": stats.vectors_total,
        "embedder": stats.embedder,
        "serving": stats.serving,
        "bytes": stats.bytes,
    }


def _job_of(host: Host, repo: str) -> Fields | None:
    if host.work is None:
        return None
    job = host.work.latest(Task.INDEX, repo)
    return job.summary() if job is not None else None


def _degradations(found: Fields) -> list[str]:
    notes: list[str] = []
    model = found["model"]
    if model is not None and model["name"] is not None and not model["present"]:
        what = model["detail"] or "the model is not there"
        notes.append(f"answers are made without a model: {what}. {model['hint']}".rstrip())
    notes += [f"{repo['name']}: {repo['problem']}" for repo in found["repos"] if repo["problem"]]
    work = found["work"]
    for job in work["failed"] if work is not None else []:
        notes.append(f"{job['task']} failed: {job['error']}")
    return notes
