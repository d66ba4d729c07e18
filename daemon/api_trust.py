"""The API's trust: which repositories' code may be run.

The yes is a person's: it comes over the socket, as all that the command line asks for, and
nothing inside hermes gives one.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import FastAPI

from ..agents.events import RunAsked
from ..memory.errors import HermesError
from .api_run import hand_in
from .host import Host
from .ledger.records import OPEN
from .repo_meant import RepoIn, repo_meant, worktree_of
from .standing import ledger_of, repo_names, runtime_of, work_of
from .test_look import look
from .wire import Fields, Json

if TYPE_CHECKING:
    from ..memory.records import Repo
    from ..memory.trust import Trusted

RUNNER = "test_runner"


class NotThere(HermesError):
    """A repository's folder is gone, so nothing can be trusted."""

    code = "path_missing"


def add_trust(app: FastAPI, host: Host) -> None:
    """Add ``/v1/trust`` to the application."""

    @app.get("/v1/trust")
    async def trusted() -> Json:
        trust = work_of(host).trust
        names = await repo_names(host)

        def listed() -> list[Fields]:
            return [
                asdict(each)
                | {"repo_name": names.get(each.repo)}
                | {"holds": trust.holds(each.repo, Path(each.path))}
                for each in trust.all()
            ]

        return Json({"trusted": await asyncio.to_thread(listed)})

    @app.get("/v1/trust/offer")
    async def offer(repo: str | None = None, cwd: str | None = None) -> Json:
        """Whether it makes sense to ask a person: there are tests, and nobody said yes."""
        work = work_of(host)
        found = await repo_meant(host, repo, cwd)
        if found.worktree is None or RUNNER not in host.agents:
            return Json({"repo": _shown(found), "trusted": False, "ask": False, "tests": []})
        worktree = Path(found.worktree)
        holds = await asyncio.to_thread(work.trust.holds, found.id, worktree)
        seen = await look(host, found.id, worktree)
        return Json(
            {
                "repo": _shown(found),
                "trusted": holds,
                "ask": bool(seen.frameworks) and not holds,
                "tests": list(seen.frameworks),
            }
        )

    @app.post("/v1/trust")
    async def give(asked: RepoIn) -> Json:
        """Trust a repository, and have all its tests run once, so that it is known how they
        stand: nothing can be newly red before."""
        work = work_of(host)
        found = await repo_meant(host, asked.repo, asked.cwd)
        worktree = worktree_of(found)
        new = not await asyncio.to_thread(work.trust.holds, found.id, worktree)
        try:
            given = await asyncio.to_thread(work.trust.give, found.id, worktree, time.time())
        except OSError as error:
            raise NotThere(f"{worktree} is not there: {error.strerror or error}") from error
        seen = await look(host, found.id, worktree)
        runs = new and RUNNER in host.agents and bool(seen.frameworks)
        return Json(
            {
                "trusted": _given(given, found),
                "new": new,
                "enabled": RUNNER in host.agents,
                "tests": list(seen.frameworks),
                "problem": seen.problem,
                "run": await hand_in(host, _all_tests(found.id)) if runs else None,
            }
        )

    @app.delete("/v1/trust/{name:path}")
    async def revoke(name: str) -> Json:
        """Trust it no more. Tests that run are ended."""
        work = work_of(host)
        found = await repo_meant(host, name, None)
        was = await asyncio.to_thread(work.trust.take, found.id)
        find = ledger_of(host).queue.find
        for job in await asyncio.to_thread(find, tuple(OPEN), RUNNER, found.id, 100, None):
            await runtime_of(host).cancel(job.id)
        return Json({"revoked": _shown(found), "was_trusted": was})


def _shown(repo: Repo) -> Fields:
    return {"id": repo.id, "name": repo.name, "worktree": repo.worktree}


def _given(given: Trusted, repo: Repo) -> Fields:
    return asdict(given) | {"repo_name": repo.name, "holds": True}


def _all_tests(repo: str) -> RunAsked:
    return RunAsked(at=time.time(), source="api", repo=repo, agent=RUNNER, subject="full")
