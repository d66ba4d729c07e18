"""The API's tests: how they stand, their history, and a run on demand."""

from __future__ import annotations

import asyncio
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from fastapi import FastAPI, Query
from pydantic import Field

from ..agents.events import RunAsked
from ..memory.errors import HermesError
from .api_run import hand_in
from .host import Host
from .ledger.records import State as JobState
from .repo_meant import RepoIn, repo_meant, worktree_of
from .requests import Name
from .standing import work_of
from .test_look import look
from .test_names import chosen, the_one
from .tests_state import Allowed, state_of
from .wire import Fields, Json, Number

if TYPE_CHECKING:
    from ..memory.records import Repo
    from ..memory.test_records import Run
    from ..memory.work import Work

RUNNER = "test_runner"
MOST_RUNS = 200
WHY_RUNS = 10
"""Runs that are searched for why a test was chosen, or not."""


class NotTrusted(HermesError):
    """Tests are to be run of a repository that nobody trusts."""

    code = "not_trusted"

    def __init__(self, repo: Repo) -> None:
        super().__init__(
            f"{repo.name} is not trusted, so nothing of it is run",
            hint="`hermes trust` lets hermes run its tests, that is its code, as you",
        )


class TurnedOff(HermesError):
    """Tests are to be run where settings say that none are."""

    code = "settings"


class TestsIn(RepoIn):
    """Tests to be run."""

    __test__ = False  # not pytest's

    tests: Annotated[tuple[Name, ...], Field(max_length=200)] = ()
    """Ids or parts of ids of tests, files; none: those that the last changes affect."""
    whole: bool = False
    """All tests."""


def add_tests(app: FastAPI, host: Host) -> None:
    """Add ``/v1/tests`` to the application."""

    @app.get("/v1/tests")
    async def standings(repo: str | None = None, cwd: str | None = None, all: bool = False) -> Json:
        work, found = work_of(host), await repo_meant(host, repo, cwd)
        allowed = await _allowed(host, work, found)
        runs, now = work.runs, time.time()
        state = await asyncio.to_thread(state_of, runs, found.id, allowed, now, everything=all)
        waiting = await asyncio.to_thread(_waiting, host, found.id)
        running = _running(host, found.id)
        return Json({"repo": _repo(found), "running": running, "waiting": waiting} | state)

    @app.post("/v1/tests/run")
    async def run(asked: TestsIn) -> Json:
        """Run tests on demand: those named, all of them, or those that the last changes affect."""
        work, found = work_of(host), await repo_meant(host, asked.repo, asked.cwd)
        allowed = await _allowed(host, work, found)
        if not allowed.enabled:
            raise TurnedOff("the setting tests.enabled is off", hint="hermes config edit")
        if not allowed.trusted:
            raise NotTrusted(found)
        if allowed.problem:
            raise TurnedOff(allowed.problem)
        names = await asyncio.to_thread(chosen, work.runs, found, asked.tests)
        event = RunAsked(
            at=time.time(),
            source="api",
            repo=found.id,
            agent=RUNNER,
            subject="full" if asked.whole else "affected",
            text="\n".join(names),
        )
        return Json(await hand_in(host, event) | {"tests": list(names)}, status_code=202)

    @app.get("/v1/tests/runs")
    async def runs(
        repo: str | None = None,
        cwd: str | None = None,
        job: Number | None = None,
        limit: Annotated[int, Query(ge=1, le=MOST_RUNS)] = 20,
    ) -> Json:
        """The last runs, the newest first, each with what was chosen and why, and its results;
        with ``job`` those of that job."""
        work, found = work_of(host), await repo_meant(host, repo, cwd)

        def read() -> list[Fields]:
            latest = work.runs.latest(found.id, MOST_RUNS if job is not None else limit)
            wanted = [run for run in latest if job is None or run.job == job]
            return [_told(work, run) for run in wanted[:limit]]

        return Json({"repo": _repo(found), "runs": await asyncio.to_thread(read)})

    @app.get("/v1/tests/history")
    async def history(
        test: str,
        repo: str | None = None,
        cwd: str | None = None,
        limit: Annotated[int, Query(ge=1, le=MOST_RUNS)] = 20,
    ) -> Json:
        """A test's results, the newest first. ``test`` may be any part of its id that no other
        has."""
        work, found = work_of(host), await repo_meant(host, repo, cwd)
        standing = await asyncio.to_thread(the_one, work.runs, found, test)
        results = await asyncio.to_thread(work.runs.history, found.id, standing.test, limit)
        told = [{"run": asdict(run), "result": asdict(result)} for run, result in results]
        return Json({"repo": _repo(found), "test": asdict(standing), "history": told})

    @app.get("/v1/tests/why")
    async def why(test: str, repo: str | None = None, cwd: str | None = None) -> Json:
        """Why a test was chosen or not in the last runs, and what is known of its failure."""
        work, found = work_of(host), await repo_meant(host, repo, cwd)
        standing = await asyncio.to_thread(the_one, work.runs, found, test)

        def read() -> list[Fields]:
            ran = {run.id for run, _ in work.runs.history(found.id, standing.test, MOST_RUNS)}
            latest = work.runs.latest(found.id, WHY_RUNS)
            return [
                {"run": asdict(run), "ran": run.id in ran, "why": _why(work, run, standing.test)}
                for run in latest
                if run.framework == standing.framework
            ]

        episodes = await asyncio.to_thread(
            work.runs.episodes, found.id, test=standing.test, limit=5
        )
        return Json(
            {
                "repo": _repo(found),
                "test": asdict(standing),
                "runs": await asyncio.to_thread(read),
                "episodes": [asdict(episode) for episode in episodes],
            }
        )


async def _allowed(host: Host, work: Work, repo: Repo) -> Allowed:
    worktree = worktree_of(repo)
    trusted = await asyncio.to_thread(work.trust.holds, repo.id, worktree)
    seen = await look(host, repo.id, worktree)
    return Allowed(trusted, RUNNER in host.agents, seen.problem)


def _running(host: Host, repo: str) -> Fields | None:
    """The job that runs tests now."""
    if host.runtime is None:
        return None
    jobs = (job for job in host.runtime.running() if job["repo"] == repo)
    return next((job for job in jobs if job["agent"] == RUNNER), None)


def _waiting(host: Host, repo: str) -> Fields | None:
    """The job that could not run the tests, and waits for another try, with what was wrong."""
    if host.ledger is None:
        return None
    for job in host.ledger.queue.find((JobState.QUEUED,), RUNNER, repo, 5):
        if job.attempts and job.reason:
            return {"id": job.id, "reason": job.reason, "not_before": job.not_before}
    return None


def _told(work: Work, run: Run) -> Fields:
    return asdict(run) | {
        "picks": [asdict(pick) for pick in work.runs.picks(run.id)],
        "results": [asdict(result) for result in work.runs.results(run.id)],
    }


def _why(work: Work, run: Run, test: str) -> str:
    """Why a run was to run a test: the reason of the pick that stands for it."""
    if run.kind == "full":
        return "all tests were run"
    for pick in work.runs.picks(run.id):
        target = pick.target.rstrip("/")
        if test == target or test.startswith((f"{target}::", f"{target}/", f"{target}[")):
            return pick.why
    return run.why


def _repo(repo: Repo) -> Fields:
    return {"id": repo.id, "name": repo.name, "worktree": repo.worktree}
