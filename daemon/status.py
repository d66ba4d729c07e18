"""What status shows: the daemon, its repositories, its work, and every degradation."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, TypeVar

from .. import __version__
from ..memory.errors import HermesError
from .host import Host
from .job import Task

if TYPE_CHECKING:
    from .services import Services

T = TypeVar("T")
Fields = dict[str, Any]

MODEL_SECONDS = 3.0
"""How long a look at the model may take."""


async def status(host: Host) -> Fields:
    """Return the whole state. What can't be told is null, and a note says why."""
    notes = [*host.notes, *(f"{name}: {fault}" for name, fault in host.faults.items())]

    async def told(part: Awaitable[T]) -> T | None:
        try:
            return await part
        except HermesError as error:
            note = _sentences(error.message, error.hint)
            if note not in notes:
                notes.append(note)
            return None

    # Before memory is counted: what is said to be done then shows in the counts.
    work = host.work.summary() if host.work else None
    services = await told(host.warm.get())
    repos: list[Fields] | None = []
    memory = model = None
    if services is not None:
        repos = await told(describe_repos(host))
        memory = await told(asyncio.to_thread(_memory, services))
        model = await model_state(services)
        notes += [services.note] if services.note else []
    notes += _degradations(repos or [], model, work)
    return {
        "version": __version__,
        "pid": os.getpid(),
        "started": host.holder.started,
        "uptime": max(0, int(time.time()) - host.holder.started),
        "rss": resident_bytes(),
        "home": host.paths.state_folder,
        "log": str(host.paths.log_file),
        "ready": services is not None,
        "work": work,
        "repos": repos or [],
        "memory": memory,
        "model": model,
        "notes": notes,
    }


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
    return None if job is None else job.summary()


def _degradations(repos: list[Fields], model: Fields | None, work: Fields | None) -> list[str]:
    notes: list[str] = []
    if model is not None and model["name"] is not None and not model["present"]:
        why = model["detail"] or f"{model['name']} is not there"
        notes.append(_sentences(f"answers are made without a model: {why}", model["hint"]))
    notes += [f"{repo['name']}: {repo['problem']}" for repo in repos if repo["problem"]]
    failed: list[Fields] = work["failed"] if work is not None else []
    for job in failed:
        notes.append(_sentences(f"{job['task']} failed: {job['error']}", job["hint"]))
    return notes


def _sentences(*parts: str) -> str:
    return ". ".join(part.strip().rstrip(".") for part in parts if part.strip())
