"""The API's look at one thing: what memory knows of it, what is around it, what happened when."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import Annotated

from fastapi import FastAPI, Query

from ..agents.overview.gather import gather
from ..agents.overview.meant import MOST, meant, nearest
from ..agents.overview.records import Overview, Subject
from ..ingest.git.errors import GitError
from ..ingest.redaction import redact
from ..memory.memory import Memory
from ..memory.records import Repo
from ..memory.work import Work
from .api_chunks import NoSuchChunk
from .host import Host
from .requests import AbsolutePath, Name
from .services import Services
from .standing import repo_around
from .wire import Fields, Json

_LONGEST = 1_000
"""Characters of a reference."""


def add_show(app: FastAPI, host: Host) -> None:
    """Add ``/v1/show`` to the application."""

    @app.get("/v1/show")
    async def show(
        ref: Annotated[str, Query(min_length=1, max_length=_LONGEST)],
        repo: Name | None = None,
        cwd: Annotated[AbsolutePath | None, Query()] = None,
    ) -> Json:
        services = await host.warm.get()
        around = await repo_around(host, repo, cwd)
        return Json(
            await asyncio.to_thread(
                _look, services, host.work, ref, around, None if repo else cwd, repo is not None
            )
        )


def _look(
    services: Services,
    work: Work | None,
    ref: str,
    around: str | None,
    cwd: str | None,
    only_there: bool,
) -> Fields:
    """Return what a reference means, or the candidates. Raise NoSuchChunk."""
    memory = services.memory
    here = (around,) if around else ()
    known = {repo.id: repo for repo in memory.index.repos()}
    paths = _paths(known.get(around or ""), cwd, ref)
    found = meant(memory, work, ref, here, paths)
    if not found and here and not only_there:
        found = meant(memory, work, ref, ())
    if not found:
        raise _nothing(memory, work, ref, here)
    if len(found) > 1:
        listed = [_subject(each, known) for each in found[:MOST]]
        return {"candidates": listed, "more": len(found) > MOST}
    overview = gather(memory, work, found[0], partial(_blame, services))
    return {"found": _described(overview, known)}


def _paths(repo: Repo | None, cwd: str | None, ref: str) -> list[str]:
    """What a reference is as a path from the repository's root, seen from where a person stands."""
    if repo is None or repo.worktree is None or cwd is None or "://" in ref:
        return []
    path = os.path.relpath(os.path.join(cwd, ref), repo.worktree)
    return [] if path.startswith("..") else [path]


def _nothing(memory: Memory, work: Work | None, ref: str, repos: Sequence[str]) -> NoSuchChunk:
    near = nearest(memory, work, ref, repos)
    hint = f"nearest: {', '.join(near)}" if near else f'`hermes search "{ref}"` looks for the words'
    return NoSuchChunk(f"memory knows nothing called {ref}", hint=hint)


def _blame(services: Services, repo: str, path: str, line: int) -> tuple[str, str] | None:
    git = services.gits().get(repo)
    if git is None:
        return None
    try:
        out = git.run(
            "blame", "--porcelain", "--no-textconv", f"-L{line},{line}", "HEAD", "--", path
        )
    except GitError:  # the file is no longer there, or has fewer lines
        return None
    text = out.decode("utf-8", "replace")
    sha = re.match(r"\^?([0-9a-f]{40,64}) ", text)
    said = next((row[1:] for row in text.split("\n") if row.startswith("\t")), "")
    return (sha[1], redact(said)[0]) if sha else None


def _described(overview: Overview, repos: dict[str, Repo]) -> Fields:
    return {
        **_subject(overview.subject, repos),
        "facts": [{"name": name, "value": value} for name, value in overview.facts],
        "text": overview.text,
        "left": overview.left,
        "near": [{**_subject(each.subject, repos), "how": each.how} for each in overview.near],
        "timeline": [asdict(moment) for moment in overview.timeline],
    }


def _subject(subject: Subject, repos: dict[str, Repo]) -> Fields:
    repo = repos.get(subject.repo)
    return {
        "sort": str(subject.sort),
        "repo": "" if repo is None else repo.name,
        "repo_id": subject.repo,
        "ref": subject.ref,
        "name": subject.name,
        "title": subject.title,
        "time": subject.time,
        "known": subject.known,
        "line": subject.line,
    }
