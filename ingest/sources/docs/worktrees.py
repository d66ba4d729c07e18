"""The repositories that documents lie in: what git ignores there, who wrote what, and when."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ....memory.records import Content, Repo
from ...documents.formats import SUFFIXES
from ...git.command import COMPARING, Git
from ...git.errors import GitError
from ...git.ignored import BadPattern, Rules, rules_of

_WHY = {
    Content.GENERATED: "generated",
    Content.VENDORED: "of another project",
    Content.MINIFIED: "minified",
    Content.LOCK: "a lock file",
}


@dataclass(frozen=True, slots=True)
class Written:
    """Who committed a file, and when."""

    author: str
    email: str
    time: int
    """The first time, under the names that it had."""
    last_author: str
    last_email: str
    last_time: int


class Worktree:
    """The working tree of one repository."""

    def __init__(self, top: Path, repo: str) -> None:
        self.top = str(top)
        self.repo = repo
        """The repository's id in memory; empty where it was not taken in."""

    def inside(self, path: str) -> str:
        """Return an absolute path as the repository calls it."""
        return path[len(self.top) :].lstrip("/")

    def keeps_out(self, inside: str, named: bool) -> str:
        """Say why a path is not read; empty where it is. What a person has ``named`` itself is,
        unless they keep it out of memory by .hermesignore."""
        if self._rules is not None:
            content = self._rules.by_path(inside)
            if content is Content.EXCLUDED:
                return "kept out by .hermesignore"
            if content in _WHY and not named:
                return _WHY[content]
        if self._kept is not None and not named and inside not in self._kept:
            return "ignored by git"
        return ""

    @cached_property
    def _git(self) -> Git | None:
        try:
            return Git.open(self.top)
        except GitError:
            return None

    @cached_property
    def _rules(self) -> Rules | None:
        try:
            return rules_of(self._git) if self._git is not None else None
        except BadPattern:
            return None

    @cached_property
    def _kept(self) -> frozenset[str] | None:
        """What git tracks or would: what a branch has, and new files that are not ignored."""
        if self._git is None:
            return None
        try:
            listed = self._git.run(
                *("ls-files", "-z", "--cached", "--others", "--exclude-standard"),
                *("--", *_PATHSPECS),
            )
        except GitError:
            return None
        return frozenset(os.fsdecode(path) for path in listed.split(b"\0") if path)

    @cached_property
    def altered(self) -> frozenset[str]:
        """What is other than in the last commit."""
        if self._git is None:
            return frozenset()
        try:
            listed = self._git.run(
                "diff", "--name-only", "-z", *COMPARING, "HEAD", "--", *_PATHSPECS
            )
        except GitError:  # there is no commit yet
            return frozenset()
        return frozenset(os.fsdecode(path) for path in listed.split(b"\0") if path)

    def written(self, should_stop: Callable[[], bool]) -> dict[str, Written]:
        """Return who wrote the documents that the branch has had; read once, and kept."""
        if self._written is None:
            self._written = self._read_history(should_stop)
        return self._written

    _written: dict[str, Written] | None = None

    def _read_history(self, should_stop: Callable[[], bool]) -> dict[str, Written]:
        found: dict[str, Written] = {}
        if self._git is None:
            return found
        now_called: dict[str, str] = {}
        """What files that were renamed later are called now."""
        try:
            with self._git.stream(
                *("log", "-z", "--name-status", "--find-renames", *COMPARING, "--no-notes"),
                *("--format=%x1e%aN%x1f%aE%x1f%at%x1f", "HEAD", "--", *_PATHSPECS),
            ) as blocks:
                rest = b""
                for block in blocks:
                    *commits, rest = (rest + block).split(b"\x1e")
                    for commit in commits:
                        _take(commit, now_called, found)
                    if should_stop():
                        return found
                _take(rest, now_called, found)
        except GitError:  # there is no commit yet
            return {}
        return found


_PATHSPECS = tuple(f":(top,icase,glob)**/*{suffix}" for suffix in SUFFIXES) + tuple(
    f":(top,icase,glob)**/{name}" for name in ("readme", "changes", "changelog", "news", "history")
)


def _take(commit: bytes, now_called: dict[str, str], found: dict[str, Written]) -> None:
    """Add a commit's files; commits come newest first."""
    header, mark, files = commit.rpartition(b"\x1f")
    if not mark:
        return
    name, email, time = header.decode("utf-8", "replace").split("\x1f")[:3]
    words = iter(files.lstrip(b"\0\n").split(b"\0"))
    for status in words:
        status = status.strip()
        if not status:
            continue
        path = os.fsdecode(next(words, b""))
        if status[:1] in b"RC":
            older, path = path, os.fsdecode(next(words, b""))
            if status[:1] == b"R":
                now_called[older] = now_called.get(path, path)
        current = now_called.get(path, path)
        last = found.get(current)
        at = int(time) if time.isdigit() else 0
        if last is None:
            found[current] = Written(name, email, at, name, email, at)
        else:
            found[current] = Written(
                name, email, at, last.last_author, last.last_email, last.last_time
            )


class Worktrees:
    """The working trees that files lie in, found by going up."""

    def __init__(self, repos: Sequence[Repo]) -> None:
        self._ids = {
            os.path.realpath(repo.worktree): repo.id for repo in repos if repo.worktree is not None
        }
        self._of: dict[Path, Worktree | None] = {}

    def of(self, path: Path) -> Worktree | None:
        """Return the working tree that an absolute path lies in."""
        folder = path.parent
        if folder not in self._of:
            top = path if path == folder else folder
            if os.path.lexists(top / ".git"):
                self._of[folder] = Worktree(top, self._ids.get(str(top), ""))
            else:
                self._of[folder] = self.of(folder) if folder != path else None
        return self._of[folder]
