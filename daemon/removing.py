"""Takes a repository out of memory and of all that lies around it, and proves it.

What it is known by is on disk before anything is removed, and goes last: killed at any point, the
next daemon goes on there.
"""

from __future__ import annotations

import asyncio
import logging
import time

from ..agents.events import RunAsked
from ..memory import plain
from ..memory.errors import HermesError
from ..memory.memory import Memory
from ..memory.plain import Plain
from ..memory.records import Filters, Repo
from . import sourcing
from .following import failure, followed
from .forgetting import Forgetting
from .host import Host
from .standing import ledger_of, runtime_of, work_of
from .wire import Fields

MOST_SHAS = 150
"""Commits, newest first, by whose ids a repository is sought afterwards."""

logger = logging.getLogger(__name__)


async def remove(host: Host, repo: Repo) -> Fields:
    """Remove a repository that memory has, and return the proof. Raise HermesError; the next daemon
    goes on."""
    memory = (await host.warm.get()).memory
    await asyncio.to_thread(_write_down, memory, repo)
    if repo.worktree:  # else its documents would come back, as those of no repository
        for source in await asyncio.to_thread(sourcing.within, memory, repo.worktree):
            await sourcing.stop(runtime_of(host), source)
            await asyncio.to_thread(memory.index.sources.remove, source)
    return await _carry_out(host, repo.id)


async def finish(host: Host) -> None:
    """Go on with what a daemon that was killed had begun to remove."""
    memory = (await host.warm.get()).memory
    for repo in await asyncio.to_thread(plain.repos, memory.folder):
        try:
            await _carry_out(host, repo)
        except HermesError as error:
            logger.warning("a repository is not removed yet: %s", error.message)


async def _carry_out(host: Host, repo: str) -> Fields:
    services = await host.warm.get()
    memory = services.memory
    await runtime_of(host).cancel_repo(repo)
    if await asyncio.to_thread(memory.index.repo, repo) is not None:
        asked = RunAsked(at=time.time(), source="api", repo=repo, agent="indexer", subject="forget")
        last: Fields = {}
        async for fields in followed(host, asked):
            last = fields
        if last["type"] != "done":
            raise failure(last)
    services.forget_git(repo)
    if host.watching is not None:
        await host.watching.forget(repo)
    forgetting = Forgetting(host.paths, ledger_of(host), work_of(host), reaper=host.reaper)
    return await asyncio.to_thread(forgetting.finish_repo, memory, repo)


def _write_down(memory: Memory, repo: Repo) -> None:
    """Put on disk what the repository is known by: ids of its own, and places that no other has."""
    others = [other for other in memory.index.repos() if other.id != repo.id]
    taken = [place for other in others for place in (other.path, other.worktree) if place]
    places = [
        place
        for place in (repo.path, repo.worktree)
        if place and not any(place in other for other in taken)
    ]
    known = set[str]().union(*(memory.index.known(other.id) for other in others))
    newest = memory.index.newest(Filters(repos=(repo.id,)), MOST_SHAS)
    shas = [commit.sha for commit in newest if commit.sha not in known]
    themes = repo.id[:8]  # the end of the name of their folder
    plain.write(
        memory.folder, plain.of_repo(repo.id), Plain(paths=(repo.id, themes, *places, *shas))
    )
