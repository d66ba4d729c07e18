"""Compares HEAD and the refs of a repository with what was seen last, and says what happened."""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, Protocol

from ...agents.commits.ready import worktrees_of
from ...agents.events import MAX_PATHS, Cause, Committed, Event, HeadMoved, RefsMoved, Source
from ...ingest.git.command import Git
from ...ingest.git.errors import GitError
from .aside import GIT_SECONDS, aside
from .reflog import GROWS, Entry, Move, entries, moves, since
from .watched import Watched

Accept = Callable[[Event, str | None], Awaitable[int]]
"""Writes an event down under a key that makes it one with an equal one; returns its id."""

_FORMAT = "--format=%(objectname)%00%(refname)%00%(symref)"
_WATCHED = ("refs/heads", "refs/remotes", "refs/tags", "refs/stash")


class Values(Protocol):
    """Where small things are remembered; the ledger has one."""

    def get(self, name: str) -> Any | None: ...
    def set(self, name: str, value: Any, now: float) -> None: ...
    def delete(self, name: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Tips:
    """Where HEAD and all refs stand. ``looks`` counts how often a change was found."""

    head: str | None
    branch: str | None
    """Without ``refs/heads/``; None if HEAD is at no branch."""
    refs: dict[str, str] = field(default_factory=dict[str, str])
    looks: int = 0
    logged: int = 0
    """So many bytes of HEAD's reflog were read."""

    def stands_as(self, other: Tips) -> bool:
        """Return whether nothing moved between the two."""
        return (self.head, self.branch, self.refs) == (other.head, other.branch, other.refs)


class Heads:
    """Remembers the tips of each repository. The first look at one remembers silently.

    `look` and `index_changed` block for some milliseconds: they run git. Call them in a thread;
    any number may call at once, and each change is told to one of them.
    """

    def __init__(self, values: Values, *, clock: Callable[[], float] = time.time) -> None:
        self._values = values
        self._clock = clock
        self._locks: defaultdict[str, Lock] = defaultdict(Lock)
        self._telling: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def knows(self, repo: Watched) -> bool:
        """Return whether it was looked at before: the first look only remembers."""
        return self._values.get(f"tips:{repo.id}") is not None

    def look(self, repo: Watched, source: Source = "watch") -> list[Event]:
        """Return what happened since the last look, oldest first, and remember what is now.

        What is lost on the way from here to the disk is lost: `tell` does better. For one
        repository use one of the two.
        Raise GitError if the repository can't be read.
        """
        with self._locks[repo.id]:
            events, tips = self._compare(repo, source)
            if tips is not None:
                self._remember(repo, tips)
            return events

    async def tell(self, repo: Watched, accept: Accept, source: Source = "watch") -> list[Event]:
        """Have what happened since the last look written down, then remember what is now.

        A crash in between tells it again under the same keys, so that nothing is lost or doubled.
        """
        async with self._telling[repo.id]:
            events, tips = await aside(self._compare, repo, source)
            if tips is None:
                return events
            for event in events:
                await accept(event, _key(repo, tips, event))
            await asyncio.to_thread(self._remember, repo, tips)
            return events

    def index_changed(self, repo: Watched) -> bool:
        """Return whether something was staged or unstaged since the last call, in this worktree or
        a linked one; the first says no.

        Git also rewrites the index when nothing was: what it holds is compared, not the file.
        """
        git = _git(repo)
        listed = [git.run("ls-files", "--stage", "-z", timeout=GIT_SECONDS)]
        own = None if git.worktree is None else git.worktree.resolve()
        for other in worktrees_of(git):
            if other.path == own:
                continue
            with suppress(GitError):  # its folder is going, say
                tree = replace(git, worktree=other.path, is_bare=False)
                said = tree.run("ls-files", "--stage", "-z", timeout=GIT_SECONDS)
                listed.append(os.fsencode(other.path) + b"\0" + said)
        staged = hashlib.sha256(b"\0\0".join(listed)).hexdigest()
        name = f"staged:{repo.id}"
        with self._locks[repo.id]:
            before = self._values.get(name)
            self._values.set(name, staged, self._clock())
        return before is not None and before != staged

    def key_if_news(self, repo_id: str, gone: bool) -> str | None:
        """Return the key under which to tell that a repository is gone, or is there again; None if
        that was told already."""
        before = self._values.get(f"gone:{repo_id}") or {"gone": False, "times": 0}
        if before["gone"] == gone:
            return None
        return f"gone:{repo_id}:{before['times']}:{gone}"

    def set_gone(self, repo_id: str, gone: bool) -> None:
        """Remember that it was told."""
        before = self._values.get(f"gone:{repo_id}") or {"gone": False, "times": 0}
        times = before["times"] + (not gone)
        self._values.set(f"gone:{repo_id}", {"gone": gone, "times": times}, self._clock())

    def forget(self, repo_id: str) -> None:
        """Forget a repository: its next look is the first."""
        for kind in ("tips", "staged", "gone"):
            self._values.delete(f"{kind}:{repo_id}")

    def _compare(self, repo: Watched, source: Source) -> tuple[list[Event], Tips | None]:
        """Return what happened, and the tips to remember if they are not those remembered."""
        now = read_tips(repo)
        then = _load(self._values.get(f"tips:{repo.id}"))
        if then is None:
            return [], now
        if then.stands_as(now):
            return [], None
        steps = since(entries(repo.git_dir), then.logged, then.head, now.head)
        now = replace(now, looks=then.looks + 1, logged=steps[-1].end if steps else now.logged)
        return _events(repo, then, now, steps, self._clock(), source), now

    def _remember(self, repo: Watched, tips: Tips) -> None:
        value = {
            "head": tips.head,
            "branch": tips.branch,
            "refs": tips.refs,
            "looks": tips.looks,
            "logged": tips.logged,
        }
        self._values.set(f"tips:{repo.id}", value, self._clock())


def read_tips(repo: Watched) -> Tips:
    """Return where HEAD and all refs stand. Raise GitError if the repository can't be read."""
    git = _git(repo)
    refs: dict[str, str] = {}
    told = git.run("for-each-ref", _FORMAT, *_WATCHED, timeout=GIT_SECONDS)
    for line in told.decode(errors="replace").splitlines():
        sha, name, points_at = line.split("\0")
        if not points_at:
            refs[name] = sha
    try:
        said = (repo.git_dir / "HEAD").read_bytes().decode(errors="replace").strip()
        log = repo.git_dir / "logs" / "HEAD"
        logged = log.stat().st_size if log.is_file() else 0
    except OSError as error:
        raise GitError(f"{repo.git_dir}/HEAD can't be read: {error.strerror}") from error
    if said == "ref: refs/heads/.invalid":  # refs are kept in a reftable
        head, branch = _asked(git, refs)
    elif said.startswith("ref: "):
        name = said.removeprefix("ref: ")
        head, branch = refs.get(name), name.removeprefix("refs/heads/")
    else:
        head, branch = said or None, None
    return Tips(head, branch, refs, logged=logged)


def _asked(git: Git, refs: dict[str, str]) -> tuple[str | None, str | None]:
    try:
        name = _text(git, "symbolic-ref", "--quiet", "HEAD")
    except GitError:  # at no branch
        return _text(git, "rev-parse", "HEAD"), None
    return refs.get(name), name.removeprefix("refs/heads/")


def _text(git: Git, *args: str) -> str:
    return git.run(*args, timeout=GIT_SECONDS).decode(errors="replace").strip()


def _git(repo: Watched) -> Git:
    return Git(repo.common_dir, repo.worktree, repo.worktree is None, False, False, "")


def _load(value: Any) -> Tips | None:
    if value is None:
        return None
    return Tips(value["head"], value["branch"], value["refs"], value["looks"], value["logged"])


def _key(repo: Watched, tips: Tips, event: Event) -> str:
    what: str = event.kind
    if isinstance(event, Committed | HeadMoved):
        what += f":{event.old}:{event.new}:{event.cause}"
    return f"heads:{repo.id}:{tips.looks}:{what}"


def _events(
    repo: Watched, then: Tips, now: Tips, steps: Sequence[Entry], at: float, source: Source
) -> list[Event]:
    events: list[Event] = []
    explained = {f"refs/heads/{now.branch}", f"refs/heads/{then.branch}", "refs/stash"}
    for move in _moves_of_head(repo, then, now, steps):
        explained.add(f"refs/heads/{move.branch}")
        made = Committed if move.cause in GROWS else HeadMoved
        events.append(
            made(
                at=at,
                source=source,
                repo=repo.id,
                cause=move.cause,
                old=move.old,
                new=move.new,
                branch=move.branch,
            )
        )
    stash = "refs/stash"
    if then.refs.get(stash) != now.refs.get(stash):
        events.append(
            HeadMoved(
                at=at,
                source=source,
                repo=repo.id,
                cause="stash",
                old=then.head,
                new=now.head,
                branch=now.branch,
            )
        )
    differ = sorted(
        name
        for name in {**then.refs, **now.refs}
        if then.refs.get(name) != now.refs.get(name) and name not in explained
    )
    if differ:
        remote = any(name.startswith("refs/remotes/") for name in differ)
        reason: Cause = "fetch" if remote else "unknown"
        some = tuple(differ[:MAX_PATHS])
        events.append(RefsMoved(at=at, source=source, repo=repo.id, cause=reason, refs=some))
    return events


def _moves_of_head(repo: Watched, then: Tips, now: Tips, steps: Sequence[Entry]) -> list[Move]:
    if (then.head, then.branch) == (now.head, now.branch):
        return []
    told = moves(steps, then.branch, now.branch)
    if told:
        return told
    grew: Cause = "commit" if _is_ancestor(repo, then, now) else "unknown"
    return [Move(then.head, now.head, grew, now.branch)]


def _is_ancestor(repo: Watched, then: Tips, now: Tips) -> bool:
    """Return whether the branch only grew, where no reflog tells."""
    if then.branch != now.branch or now.head is None:
        return False
    if then.head is None:
        return True
    try:
        _git(repo).run("merge-base", "--is-ancestor", then.head, now.head, timeout=GIT_SECONDS)
    except GitError:
        return False
    return True
