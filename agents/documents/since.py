"""Which commits of a branch are still to be checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...ingest.git.command import Git
from ...ingest.git.errors import GitError
from ...memory.drift import Proposals
from ..events import Committed, Event

DETACHED = "HEAD"
"""Stands for a branch where HEAD is on none."""


@dataclass(frozen=True, slots=True)
class Span:
    """The commits of ``branch`` after ``old`` up to ``new``; without ``old`` all of them."""

    branch: str
    old: str | None
    new: str


def span_of(git: Git, proposals: Proposals, repo: str, events: Sequence[Event]) -> Span | None:
    """Given what led to a check, return what is to be checked; None where HEAD has no commit.
    ``old`` and ``new`` are the same where nothing is left to do.

    It goes on from where the branch was checked last. Where that commit is not part of the branch
    any more (an amend, a rebase, a reset), it goes on from where both parted. Raise a GitError.
    """
    new = head_of(git)
    if new is None:
        return None
    branch = branch_of(git)
    last = proposals.checked(repo, branch)
    if last is None:
        told = [each.old for each in events if isinstance(each, Committed) and each.old]
        start = told[0] if told else None
        return Span(branch, _common(git, start, new) or parent_of(git, new), new)
    return Span(branch, _common(git, last, new) or parent_of(git, new), new)


def head_of(git: Git) -> str | None:
    """Return the commit that HEAD stands on; None before the first."""
    try:
        return git.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}").decode().strip()
    except GitError:
        return None


def branch_of(git: Git) -> str:
    """Return the branch that HEAD is on, or DETACHED."""
    try:
        found = git.run("symbolic-ref", "--quiet", "HEAD")
    except GitError:
        return DETACHED
    return found.decode("utf-8", "surrogateescape").strip().removeprefix("refs/heads/")


def parent_of(git: Git, sha: str) -> str | None:
    """Return a commit's first parent; None for one without, or one that is not there."""
    try:
        return git.run("rev-parse", "--verify", "--quiet", f"{sha}^1").decode().strip()
    except GitError:
        return None


def is_part_of(git: Git, sha: str, rev: str) -> bool:
    """Say whether a revision's history has a commit; also False where the commit is not there."""
    try:
        return git.run("rev-list", "--count", "--max-count=1", sha, f"^{rev}").strip() == b"0"
    except GitError:
        return False


def on_a_branch(git: Git, sha: str) -> bool:
    """Say whether any local branch still has a commit."""
    try:
        found = git.run("for-each-ref", "--count=1", f"--contains={sha}", "refs/heads/")
    except GitError:
        return False
    return found.strip() != b""


def _common(git: Git, one: str | None, other: str) -> str | None:
    if one is None:
        return None
    try:
        return git.run("merge-base", one, other).decode().strip() or None
    except GitError:
        return None  # no common history, or the old commit was collected already
