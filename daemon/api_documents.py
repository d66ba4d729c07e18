"""The API's documents: drift, its proposed fixes, and what a person says to them."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Annotated

from fastapi import FastAPI, Query
from pydantic import BaseModel, ConfigDict, Field

from ..agents.documents.accept import UNDO, blob_at_head
from ..agents.documents.edits import decode, digest, unified
from ..agents.documents.proposing import line_of
from ..ingest.git.command import Git
from ..ingest.git.errors import GitError
from ..ingest.redaction import redact
from ..memory.drift import LIVE, Proposal, Proposals, State
from ..memory.errors import HermesError
from .accepting import accept
from .host import Host
from .requests import AbsolutePath
from .standing import repo_around, repo_names, work_of
from .wire import Fields, Json, Number

if TYPE_CHECKING:
    from ..memory.work import Work

MOST = 500


class Gone(HermesError):
    """The repository that a proposal is for is not there any more."""

    code = "not_in_memory"


class AcceptIn(BaseModel):
    """Where a fix is to be staged."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    cwd: AbsolutePath | None = None
    """In the worktree around this folder, if it is one of the proposal's repository."""


class DismissIn(BaseModel):
    """Why a document is right as it is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    reason: Annotated[str, Field(max_length=500)] = ""


def add_documents(app: FastAPI, host: Host) -> None:
    """Add ``/v1/documents`` to the application."""

    @app.get("/v1/documents")
    async def listed(
        repo: str | None = None,
        cwd: str | None = None,
        all: bool = False,
        limit: Annotated[int, Query(ge=1, le=MOST)] = 100,
    ) -> Json:
        """What is open: of a repository, or of all. ``all``: what is held or over as well."""
        proposals = work_of(host).proposals
        of = await repo_around(host, repo, cwd)
        states = list(State) if all else [State.OPEN]
        found = await asyncio.to_thread(proposals.find, of, states, limit)
        held = await asyncio.to_thread(proposals.find, of, [State.HELD])
        waiting = await asyncio.to_thread(_waiting, proposals, of)
        names = await repo_names(host)
        return Json(
            {
                "proposals": [_fields(each, names) for each in found],
                "held": len(held),
                "waiting": [_fields(each, names) for each in waiting],
                "enabled": host.settings.documents.enabled,
            }
        )

    @app.get("/v1/documents/{number}")
    async def show(number: Number) -> Json:
        proposal = await asyncio.to_thread(work_of(host).proposals.get, number)
        names = await repo_names(host)
        more = await asyncio.to_thread(_more, _git(host, proposal), proposal)
        return Json({"proposal": _fields(proposal, names) | more})

    @app.post("/v1/documents/{number}/accept")
    async def say_yes(number: Number, asked: AcceptIn) -> Json:
        work = work_of(host)
        proposal = await asyncio.to_thread(work.proposals.get, number)
        git = _git(host, proposal)
        if git is None:
            raise Gone(
                f"the repository of D{number} is not in memory any more",
                hint="`hermes add PATH` takes it in again",
            )
        done = await asyncio.to_thread(accept, work, git, host.paths.drafts, proposal, asked.cwd)
        return Json(
            {
                "proposal": _fields(done.proposal, await repo_names(host)),
                "worktree": done.worktree,
                "document": done.staged.path,
                "message": done.message,
                "opens": done.opens,
                "undo": done.staged.undo,
            }
        )

    @app.post("/v1/documents/{number}/dismiss")
    async def say_no(number: Number, asked: DismissIn) -> Json:
        proposal = await asyncio.to_thread(_dismiss, work_of(host), number, asked.reason)
        return Json({"proposal": _fields(proposal, await repo_names(host))})


def _dismiss(work: Work, number: int, reason: str) -> Proposal:
    found = work.proposals.get(number)
    if not found.live:
        error = HermesError(
            f"D{number} is {found.state} already", hint="`hermes docs` lists what is open"
        )
        error.code = "wrong_state"
        raise error
    return work.proposals.dismiss(number, time.time(), redact(reason.strip())[0])


def _waiting(proposals: Proposals, repo: str | None) -> list[Proposal]:
    """Return what was accepted and is not committed yet."""
    found = proposals.find(repo, [State.ACCEPTED])
    return [each for each in found if not each.why]


def _git(host: Host, proposal: Proposal) -> Git | None:
    return None if host.watching is None else host.watching.git_of(proposal.repo)


def _fields(proposal: Proposal, names: dict[str, str]) -> Fields:
    found = proposal.found
    return {
        "id": proposal.id,
        "name": f"D{proposal.id}",
        "repo": proposal.repo,
        "repo_name": names.get(proposal.repo),
        "state": str(proposal.state),
        "at": proposal.at,
        "changed": proposal.changed,
        "why": proposal.why,
        "document": found.document,
        "place": line_of(found),
        "lines": list(found.lines),
        "texts": list(found.texts),
        "section": found.section,
        "thing": found.thing,
        "about": found.name,
        "replacement": found.replacement,
        "tier": found.tier,
        "reason": found.reason,
        "commit": found.commit,
        "has_fix": bool(found.edits),
        "by": found.by,
        "note": found.note,
    }


def _more(git: Git | None, proposal: Proposal) -> Fields:
    """Return what is shown of one alone: its diff, the commit that did it, how to take it back."""
    found = proposal.found
    data = None if git is None else blob_at_head(git, found.document)
    current = data is not None and digest(data) == found.digest
    text = decode(data) if data is not None and current else None
    diff = unified(found.document, text, found.edits) if found.edits else []
    return {
        "diff": redact("\n".join(diff))[0].split("\n") if diff else [],
        "current": current,
        "did": None if git is None or found.commit is None else _commit(git, found.commit),
        "undo": UNDO.format(path=found.document),
        "live": proposal.state in LIVE,
    }


def _commit(git: Git, sha: str) -> Fields | None:
    try:
        told = git.run(
            *("show", "-s", "--no-show-signature", "--format=%an%x00%at%x00%s", sha), timeout=5.0
        )
    except GitError:
        return None
    author, at, subject = told.decode("utf-8", "replace").rstrip("\n").split("\0", 2)
    return {"sha": sha, "author": author, "at": int(at), "subject": redact(subject)[0]}
