"""The API's commit messages: drafts for what is staged or committed, and how it could be split."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, Field

from ..agents.commits import staged
from ..agents.commits.compose import Composed, Styles, compose
from ..agents.commits.phrasing import phrase
from ..agents.commits.plan import plan
from ..agents.commits.prompt import VERSION
from ..agents.commits.ready import Worktree, worktrees_of
from ..agents.commits.records import Change, Draft
from ..agents.commits.split import split
from ..agents.contract import Lane
from ..agents.project_settings import ProjectSettings, read_project
from ..ingest.git.command import Git
from ..ingest.redaction import redact
from ..memory.drafts import Stored
from ..memory.errors import HermesError
from .host import Host
from .requests import AbsolutePath
from .wire import Fields, Json

if TYPE_CHECKING:
    from ..memory.memory import Memory

AGENT = "commit_helper"
MOST = 5
"""Messages that may be asked for."""

Revision = Annotated[str, Field(min_length=1, max_length=500)]


class MessageIn(BaseModel):
    """What is asked for: messages for what is staged, unless ``rev`` or ``range`` is given."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    cwd: AbsolutePath
    """Where the caller stands: the repository around it is meant, in memory or not."""
    rev: Revision | None = None
    """A commit."""
    range: Revision | None = None
    """``A..B``: all from A to B as one."""
    n: Annotated[int, Field(ge=1, le=MOST)] = 1
    plain: bool = False
    """Without a model."""


class SplitIn(BaseModel):
    """Of which repository the staged change is to be taken apart."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    cwd: AbsolutePath


class NothingStaged(HermesError):
    """There is nothing that a message could be about."""

    code = "nothing_staged"


class NoMessage(HermesError):
    """No message can be given that is honest about the change."""

    code = "no_message"


@dataclass(frozen=True, slots=True)
class _Place:
    """The repository that a caller stands in."""

    git: Git
    worktree: Worktree | None
    project: ProjectSettings
    repo: str | None
    """Its id, if it is in memory."""


def add_commits(app: FastAPI, host: Host) -> None:
    """Add ``/v1/commits/message``, ``/v1/commits/split`` and ``/v1/commits/quality``."""
    styles = Styles()

    @app.post("/v1/commits/message")
    async def message(asked: MessageIn) -> Json:
        place = await asyncio.to_thread(_place, host, asked.cwd)
        if asked.rev is None and asked.range is None and place.worktree is not None:
            ready = await asyncio.to_thread(_ready, host, place)
            if ready is not None and (asked.plain is False or ready.by == "rule"):
                found = _of_stored(ready)
                if len(found["messages"]) >= asked.n:
                    return Json(_cut(found, asked.n))
        change = await asyncio.to_thread(_read, place.git, asked)
        memory = await _memory(host, place)
        rev = "HEAD" if asked.rev is None and asked.range is None else (change.head or "HEAD")
        composed = await asyncio.to_thread(
            compose,
            place.git,
            change,
            place.project.commits,
            styles,
            asked.n,
            memory=memory,
            repo=place.repo,
            rev=rev,
        )
        return Json(_cut(await _worded(host, composed, plain=asked.plain), asked.n))

    @app.post("/v1/commits/split")
    async def taken_apart(asked: SplitIn) -> Json:
        place = await asyncio.to_thread(_place, host, asked.cwd)
        return Json(await asyncio.to_thread(_split, place, styles))

    @app.get("/v1/commits/quality")
    async def quality() -> Json:
        rows = [] if host.work is None else await asyncio.to_thread(host.work.drafts.quality)
        return Json({"quality": [asdict(row) for row in rows]})


def _place(host: Host, cwd: str) -> _Place:
    git = Git.open(cwd)
    top = git.worktree
    worktree: Worktree | None = None
    if top is not None:
        real = top.resolve()
        worktree = next((one for one in worktrees_of(git) if one.path == real), None)
    project = ProjectSettings() if top is None else read_project(top)
    services = host.warm.ready
    repo: str | None = None
    if services is not None:
        known = services.memory.index.repos()
        repo = next((one.id for one in known if Path(one.path) == git.common_dir), None)
    return _Place(git, worktree, project, repo)


def _ready(host: Host, place: _Place) -> Stored | None:
    """Return the draft that was made before anybody asked, if it is for what is staged now."""
    if host.work is None or place.repo is None or place.worktree is None:
        return None
    head, tree = staged.key(place.git)
    at = place.worktree.at()
    path = str(place.worktree.path)
    found = host.work.drafts.find(place.repo, path, tree, head, at)
    return found if found is not None and found.subject else None


def _read(git: Git, asked: MessageIn) -> Change:
    if asked.range is not None:
        old, dots, new = asked.range.partition("..")
        if not dots or new.startswith("."):
            error = HermesError(f"{asked.range} is no range", hint="for example: main..HEAD")
            error.code = "usage"
            raise error
        change = staged.read_range(git, old or "HEAD", new or "HEAD")
        nothing = f"{asked.range} changes nothing"
    elif asked.rev is not None:
        change = staged.read_commit(git, asked.rev)
        nothing = f"{asked.rev} changes nothing"
    else:
        change = _staged(git)
        nothing = "nothing is staged"
    if change.empty:
        hint = "git add what is to be committed" if nothing == "nothing is staged" else ""
        raise NothingStaged(nothing, hint=hint)
    return change


def _staged(git: Git) -> Change:
    if git.is_bare:
        raise NothingStaged("a bare repository has no index", hint="--rev or --range works here")
    change = staged.read_staged(git)
    if change.conflicts:
        raise NothingStaged(
            f"a conflict is open in {change.conflicts[0]}", hint="resolve it and git add the file"
        )
    return change


async def _memory(host: Host, place: _Place) -> Memory | None:
    """Return memory if it is open and knows the repository: nobody waits for it to open."""
    services = host.warm.ready
    return services.memory if services is not None and place.repo is not None else None


async def _worded(host: Host, composed: Composed, *, plain: bool) -> Fields:
    drafts = list(composed.drafts)
    notes = list(composed.notes)
    problems: tuple[str, ...] = ()
    if not plain and host.chat is not None:
        model = host.chat.hosts.model(AGENT, Lane.ON_DEMAND, prompt=VERSION)
        phrased = await phrase(model, composed)
        problems = phrased.problems
        if phrased.draft is not None:
            drafts.insert(0, phrased.draft)
        elif phrased.failure:
            notes.append(f"by rule, without a model: {phrased.failure}")
        else:
            notes.append("by rule: what the model wrote did not hold")
    if not drafts:
        raise NoMessage(
            "no message can be given that is sure to be right", hint="write it yourself"
        )
    return {
        "messages": [_shown(draft) for draft in drafts],
        "problems": list(problems),
        "notes": notes,
        "ready": False,
    }


def _shown(draft: Draft) -> Fields:
    return {
        "subject": draft.subject,
        "message": redact(draft.text)[0],
        "by": draft.by,
        "why": list(draft.why),
    }


def _of_stored(stored: Stored) -> Fields:
    first = Draft(stored.subject, stored.body, stored.trailers, by=stored.by, why=stored.why)
    others: list[Fields] = [
        {"subject": text.partition("\n")[0], "message": text, "by": "rule", "why": []}
        for text in stored.alternatives
    ]
    return {
        "messages": [_shown(first), *others],
        "problems": list(stored.problems),
        "notes": [],
        "ready": True,
    }


def _cut(found: Fields, n: int) -> Fields:
    """Keep the first messages that differ."""
    seen = {one["message"]: one for one in reversed(found["messages"])}
    distinct = [one for one in found["messages"] if seen[one["message"]] is one]
    return found | {"messages": distinct[:n]}


def _split(place: _Place, styles: Styles) -> Fields:
    change = _staged(place.git)
    if change.empty:
        raise NothingStaged("nothing is staged", hint="git add what is to be committed")
    groups = split(change)
    subjects: list[str] = []
    for group in groups:
        part = replace(group.change, branch=change.branch, head=change.head)
        composed = compose(place.git, part, place.project.commits, styles, 1)
        best = composed.drafts[0].subject if composed.drafts else ""
        subjects.append(best or f"Change {group.paths[0]}")
    shown = [
        {
            "subject": subject,
            "theme": group.theme,
            "paths": list(group.paths),
            "parts": [asdict(part) for part in group.parts],
            "why": list(group.why),
        }
        for group, subject in zip(groups, subjects, strict=True)
    ]
    if len(groups) < 2:
        return {"groups": shown, "plan": None}
    return {"groups": shown, "plan": asdict(plan(place.git, groups, subjects))}
