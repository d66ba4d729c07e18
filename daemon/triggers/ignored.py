"""What git ignores, decided from the top down while a worktree is walked.

An ignored folder is never entered and never watched, so only the last part of a path is in
question: everything above it was decided before.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from ...ingest.git.command import Git
from ...ingest.git.errors import GitError
from ...ingest.git.ignored import IGNORE_FILE
from .aside import GIT_SECONDS
from .rules import Rules
from .watched import Watched

_FILE_LIMIT = 1_000_000
"""Bytes of one such file that are read."""

_Level = tuple[int, Rules]
"""How many characters of a path lead to the folder whose rules these are, and the rules."""


class Ignored:
    """The rules of one worktree, as they were when each folder was first asked about.

    Paths are relative to the worktree, with ``/``; the worktree itself is the empty one. A file
    that git tracks although a rule matches it counts as ignored here.
    """

    def __init__(self, worktree: Path, shared: Sequence[str], on_top: Sequence[str]) -> None:
        """Given the lines that rank below every .gitignore, and those that outrank all."""
        self._worktree = worktree
        self._shared = _rules(shared)
        self._on_top = _rules(on_top)
        self._levels: dict[str, tuple[_Level, ...]] = {}
        self.matches_again = lru_cache(maxsize=4_096)(self.matches)
        """`matches`, for paths that are asked about again and again."""

    @classmethod
    def read(cls, watched: Watched, own: Iterable[Path] = ()) -> Ignored:
        """Read the rules of a repository that has a worktree; ``own`` are folders of ours."""
        worktree = watched.worktree
        assert worktree is not None
        mine = [
            f"/{folder.relative_to(worktree).as_posix()}/"
            for folder in own
            if folder.is_relative_to(worktree) and folder != worktree
        ]
        return cls(
            worktree,
            [
                *_lines(_excludes_file(worktree, watched)),
                *_lines(watched.common_dir / "info" / "exclude"),
            ],
            [*watched.exclude, *_lines(worktree / IGNORE_FILE), *mine],
        )

    def covers(self, path: str) -> bool:
        """Return whether a file, or any folder above it, is ignored."""
        end = path.find("/")
        while end != -1:
            if self.matches(path[:end], True):
                return True
            end = path.find("/", end + 1)
        return self.matches(path, False)

    def matches(self, path: str, is_folder: bool) -> bool:
        """Return whether this one is ignored, given that no folder above it is."""
        folder, _, name = path.rpartition("/")
        if name == ".git":
            return True
        asked = path + "/" if is_folder else path
        if self._on_top is not None and self._on_top.say(asked, 0):
            return True
        for start, rules in self._levels_of(folder):
            said = rules.say(asked, start)
            if said is not None:
                return said
        return self._shared is not None and bool(self._shared.say(asked, 0))

    def _levels_of(self, folder: str) -> tuple[_Level, ...]:
        """Return the rules of a folder and of those above it, the nearest first."""
        known = self._levels.get(folder)
        if known is not None:
            return known
        above = self._levels_of(folder.rpartition("/")[0]) if folder else ()
        rules = _rules(_lines(self._worktree / folder / ".gitignore"))
        start = len(folder) + 1 if folder else 0
        found = above if rules is None else ((start, rules), *above)
        self._levels[folder] = found
        return found


def _rules(lines: Sequence[str]) -> Rules | None:
    """Return what lines of a .gitignore say, or None if they say nothing."""
    rules = Rules(lines)
    return rules if rules else None


def _lines(path: Path | None) -> list[str]:
    """Read a file's lines; a link, a pipe or a folder of that name counts as none."""
    if path is None:
        return []
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return []
    with open(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return []
        return file.read(_FILE_LIMIT).decode(errors="surrogateescape").splitlines()


def _excludes_file(worktree: Path, watched: Watched) -> Path | None:
    """Return the person's own ignore file: core.excludesFile, or where git looks without it."""
    git = Git(watched.common_dir, worktree, False, False, False, "sha1")
    try:
        said = os.fsdecode(
            git.run("config", "--type=path", "--get", "core.excludesFile", timeout=GIT_SECONDS)
        )
    except GitError:  # not set
        said = ""
    if said.strip():
        return worktree / said.removesuffix("\n")
    try:
        base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    except RuntimeError:  # no home
        return None
    return Path(base) / "git" / "ignore"
