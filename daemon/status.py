"""What status shows: the daemon, its repositories, its work, and every degradation."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from .. import __version__
from ..memory.errors import HermesError
from .host import Host
from .model_look import NO_MODEL
from .status_runtime import runtime_status
from .status_work import work_status

if TYPE_CHECKING:
    from .services import Services

T = TypeVar("T")
Fields = dict[str, Any]

READ = ("indexer", "read")
"""The agent and its task that take a repository's history in."""


async def status(host: Host) -> Fields:
    """Return the whole state. What can't be told is null, and a note says why."""
    notes = _Notes(host.notes)

    async def told(part: Awaitable[T]) -> T | None:
        try:
            return await part
        except HermesError as error:
            notes.add(error.message, error.hint)
            return None

    # Before memory is counted: what is said to be done then shows in the counts.
    runtime = await told(runtime_status(host))
    services = await told(host.warm.get())
    repos: list[Fields] | None = []
    sources: list[Fields] | None = []
    memory = model = None
    if services is not None:
        repos = await told(describe_repos(host))
        memory = await told(asyncio.to_thread(_memory, services))
        if host.sourcing is not None:
            sources = await told(asyncio.to_thread(host.sourcing.stand, services.memory))
        model = await model_state(host)
        notes.add(services.note)
    for name, fault in host.faults.items():
        notes.add(fault, about=name)
    if model is not None and model["name"] is not None and not model["present"]:
        why = model["detail"] or f"{model['name']} is not there"
        notes.add(f"answers are made without a model: {why}", model["hint"])
    if host.web is not None:
        notes.add(host.web.state()["note"])
    for repo in repos or []:
        notes.add(repo["problem"], about=repo["name"])
    for source in sources or []:
        if error := source["error"]:
            notes.add(error["error"], error["hint"], about=source["name"])
    attention: Fields = (runtime or {}).get("attention", {})
    for finding in attention.get("undelivered", ()):
        notes.add(
            f"f{finding['id']} could not be shown: {finding['title']}", "hermes why tells more"
        )
    for agent in attention.get("demoted", ()):
        notes.add(f"{agent} speaks in the brief only: what it showed was not opened")
    return {
        "version": __version__,
        "pid": os.getpid(),
        "started": host.holder.started,
        "uptime": max(0, int(time.time()) - host.holder.started),
        "rss": resident_bytes(),
        "home": host.paths.state_folder,
        "log": str(host.paths.log_file),
        "ready": services is not None,
        **(runtime or {}),
        "work": await told(work_status(host, repos or [])),
        "repos": repos or [],
        "sources": sources or [],
        "memory": memory,
        "model": model,
        "web": host.web.state() if host.web else None,
        "notes": notes.lines,
    }


class _Notes:
    """Degradations, each said once: what is wrong with memory stops several parts of hermes."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = list(lines)

    def add(self, message: str, hint: str = "", *, about: str = "") -> None:
        """Add a note, unless its message stands there already."""
        message = message.strip()
        if message and not any(message.rstrip(".") in line for line in self.lines):
            self.lines.append(_sentences(f"{about}: {message}" if about else message, hint))


async def describe_repos(host: Host) -> list[Fields]:
    """Return each repository, with the job that runs on it and how the last one ended."""
    services = await host.warm.get()
    found = await asyncio.to_thread(services.repos)
    for repo in found:
        repo["job"] = await host.runtime.latest(*READ, repo["id"]) if host.runtime else None
    return found


async def model_state(host: Host) -> Fields:
    """Return whether the language model can be asked, as an object."""
    if host.chat is None:
        return NO_MODEL
    warm = any(each.warm for each in host.chat.hosts.hosts)
    return await host.chat.look.state() | {"warm": warm}


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


def _sentences(*parts: str) -> str:
    return ". ".join(part.strip().rstrip(".") for part in parts if part.strip())
