"""What status shows of the work of agents: red tests, drafts that are ready, documents that drifted,
answers that were made ahead and how often such served.

A few indexed rows of ``work.db`` for each repository: git is asked nothing, and of files only the
draft that the hook would read is looked at.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import asdict
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..ingest.git.worktree_key import key_of
from ..memory.drift import State
from .host import Host
from .tests_state import Allowed, brief_of

if TYPE_CHECKING:
    from ..memory.work import Work

Fields = dict[str, Any]
DAYS = 30
"""Days of which it is told how often answers of the night served."""
NO_ANSWERS: Fields = {"kept": 0, "made": None, "days": DAYS, "questions": []}


async def work_status(host: Host, repos: Sequence[Fields]) -> Fields:
    """Given the repositories, return ``tests``, ``drafts`` and ``documents``: lists of what there is
    to tell, each with ``repo`` and ``repo_name``; empty where no agent has worked yet. ``answers``
    says how many were made ahead, and of each kind of question what became of it lately."""
    if host.work is None:
        return {"tests": [], "drafts": [], "documents": [], "answers": NO_ANSWERS}
    drafts = host.paths.drafts
    return await asyncio.to_thread(_read, host.work, repos, drafts, "test_runner" in host.agents)


def _read(work: Work, repos: Sequence[Fields], folder: Path, runs_tests: bool) -> Fields:
    now = time.time()
    tests: list[Fields] = []
    drafts: list[Fields] = []
    documents: list[Fields] = []
    with_runs = frozenset(work.runs.repos())
    for repo in repos:
        told: Fields = {"repo": repo["id"], "repo_name": repo["name"]}
        worktree: str | None = repo["worktree"]
        if repo["id"] in with_runs and worktree is not None:
            holds = work.trust.holds(repo["id"], Path(worktree))
            allowed = Allowed(trusted=holds, enabled=runs_tests)
            tests.append(told | brief_of(work.runs, repo["id"], allowed, now))
        ready = work.drafts.ready(repo["id"], worktree) if worktree is not None else []
        if ready and _lies_ready(folder, ready[-1].worktree):
            newest = ready[-1]
            drafts.append(told | {"subject": newest.subject, "at": newest.at})
        if open_ones := work.proposals.find(repo["id"], (State.OPEN,)):
            count = len({each.found.document for each in open_ones})
            documents.append(told | {"count": count, "proposals": len(open_ones)})
    return {
        "tests": tests,
        "drafts": drafts,
        "documents": documents,
        "answers": answers_status(work, now),
    }


def answers_status(work: Work, now: float) -> Fields:
    """Return how many answers are kept, of when the newest is, and what became of questions in the
    last `DAYS` days: ``served`` from the night, ``stale`` or ``unpredicted``."""
    count, made = work.answers.standing()
    since = date.fromtimestamp(now) - timedelta(DAYS)
    tally = work.answers.tally(since.isoformat())
    kinds = [asdict(each) | {"asked": each.asked} for each in tally]
    return {"kept": count, "made": made, "days": DAYS, "questions": kinds}


def _lies_ready(folder: Path, worktree: str) -> bool:
    """Say whether a message lies ready for a worktree: the hooks empty its file with the commit,
    before the commit helper hears of it."""
    try:
        return (folder / "ready" / key_of(worktree)).stat().st_size > 0
    except OSError:
        return False
