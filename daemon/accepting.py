"""A person's yes to a fix: staged, with its message where the commit finds it."""

from __future__ import annotations

import logging
import os
import time
from dataclasses import dataclass, replace
from pathlib import Path

from ..agents.commits.compose import Styles, compose
from ..agents.commits.message import NotWritable, to_bytes
from ..agents.commits.ready import Ready, Worktree, worktrees_of
from ..agents.commits.records import Draft
from ..agents.commits.staged import read_staged
from ..agents.documents.accept import Refused, Staged, may_accept, stage
from ..agents.documents.message import messages_of
from ..agents.documents.since import is_part_of
from ..agents.project_settings import ProjectSettings, read_project
from ..ingest.git.command import Git
from ..memory.drafts import Stored
from ..memory.drift import Proposal, State
from ..memory.errors import HermesError
from ..memory.work import Work
from .triggers.busy import mid_operation

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Accepted:
    """A fix that is staged, and the message of its commit."""

    proposal: Proposal
    staged: Staged
    message: str
    worktree: str
    opens: bool
    """`git commit` opens with the message: the hook is there, and found a place for it."""


def accept(work: Work, git: Git, drafts: Path, proposal: Proposal, cwd: str | None) -> Accepted:
    """Stage a proposal's fix in the worktree around ``cwd``, by default the repository's main one.
    Blocks. Raise Refused, NotWritable or a GitError; then nothing was changed."""
    may_accept(proposal)
    worktree = _worktree(git, cwd)
    git = replace(git, worktree=worktree.path)
    commit = proposal.found.commit
    if commit is not None and not is_part_of(git, commit, "HEAD"):
        raise Refused(
            f"D{proposal.id} is for {commit[:10]}, which the branch here does not have",
            hint="switch to the branch that has it, then accept again",
        )
    staged = stage(git, proposal, mid_operation(git.common_dir, worktree.git_dir))
    draft = _draft(git, worktree, proposal)
    opens = _propose(work, git, drafts, worktree, proposal.repo, staged, draft)
    closed = work.proposals.close(proposal.id, State.ACCEPTED, time.time())
    return Accepted(closed, staged, draft.text, str(worktree.path), opens)


def _worktree(git: Git, cwd: str | None) -> Worktree:
    found = worktrees_of(git)
    if not found:
        raise Refused("the repository has no worktree that could be changed")
    around = os.path.realpath(cwd) if cwd else ""
    inside = [each for each in found if (around + os.sep).startswith(f"{each.path}{os.sep}")]
    # Of worktrees inside each other the innermost is meant.
    return max(inside, key=lambda each: len(str(each.path)), default=found[0])


def _draft(git: Git, worktree: Worktree, proposal: Proposal) -> Draft:
    try:
        commits = read_project(worktree.path).commits
    except HermesError:  # it is said by those whose work depends on it
        commits = ProjectSettings().commits
    composed = compose(git, read_staged(git), commits, Styles(), 1)
    # What the fix puts right was computed, so that a message may name it, though it is in the code.
    known = (*composed.sources.related, proposal.found.reason)
    composed = replace(composed, sources=replace(composed.sources, related=known))
    trailers = _signed(composed.style.sign_off)
    drafts = [
        replace(draft, trailers=trailers) for draft in messages_of(proposal.found, composed.style)
    ]
    standing = [draft for draft in drafts if not composed.problems(draft)]
    # One by the rules of any change, where none of the fix's own may stand; else the plainest.
    return next(iter([*standing, *composed.drafts, drafts[-1]]))


def _signed(sign_off: str) -> tuple[str, ...]:
    return (f"Signed-off-by: {sign_off}",) if sign_off else ()


def _propose(
    work: Work, git: Git, folder: Path, worktree: Worktree, repo: str, staged: Staged, draft: Draft
) -> bool:
    """Put the message where the commit helper keeps its drafts, as the one for exactly this tree:
    it finds it there and makes no other. Say whether the hook will find it."""
    sign = draft.trailers[0].removeprefix("Signed-off-by: ") if draft.trailers else ""
    try:
        at = worktree.at()
        work.drafts.put(
            Stored(
                repo=repo,
                worktree=str(worktree.path),
                tree=staged.tree,
                head=staged.head,
                branch=at,
                at=time.time(),
                by=draft.by,
                subject=draft.subject,
                body=draft.body,
                trailers=draft.trailers,
                why=draft.why,
                phrased=True,
                sign=sign,
            )
        )
        message = to_bytes(git, draft, sign)
        ready = Ready(folder, worktree)
        ready.put(message, staged.tree, staged.head, at, f"Signed-off-by: {sign}" if sign else "")
    except (OSError, NotWritable) as error:
        logger.warning("the message of a fix can't be kept: %s", error)
        return False
    return _has_hook(git)


def _has_hook(git: Git) -> bool:
    try:
        text = (git.common_dir / "hooks" / "prepare-commit-msg").read_bytes()[:2_000]
    except OSError:
        return False
    return b"# hermes-hook " in text
