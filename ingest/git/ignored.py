"""Paths a person keeps out of memory, and paths the repository itself calls generated."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import pathspec

from ...memory.errors import HermesError
from ...memory.records import Content
from . import classify
from .command import Git
from .errors import GitError

IGNORE_FILE = ".hermesignore"
_FILE_LIMIT = 1_000_000
"""Bytes of a .hermesignore or .gitattributes that are read."""


class BadPattern(HermesError):
    """A pattern to exclude is not in .gitignore's language."""

    code = "bad_pattern"


class Rules:
    """What a path says of its file: excluded by a person, marked by the repository, or by name."""

    def __init__(
        self,
        exclude: Sequence[str] = (),
        *,
        generated: Sequence[str] = (),
        vendored: Sequence[str] = (),
    ) -> None:
        """Raise BadPattern if a pattern can't be understood. All are in .gitignore's language."""
        self._excluded = _compile(exclude)
        self._generated = _compile(generated)
        self._vendored = _compile(vendored)
        self.by_path = lru_cache(maxsize=65_536)(self._by_path)

    def _by_path(self, path: str) -> Content:
        if self._excluded.match_file(path):
            return Content.EXCLUDED
        if self._generated.match_file(path):
            return Content.GENERATED
        if self._vendored.match_file(path):
            return Content.VENDORED
        return classify.by_path(path)


def rules_of(git: Git, exclude: Sequence[str] = ()) -> Rules:
    """Return the rules of a repository: settings, its .hermesignore, its .gitattributes.

    The files are read from the working tree, or from HEAD where there is none.
    """
    attributes = _read(git, ".gitattributes").splitlines()
    return Rules(
        [*exclude, *_read(git, IGNORE_FILE).splitlines()],
        generated=_marked(attributes, "linguist-generated"),
        vendored=_marked(attributes, "linguist-vendored"),
    )


def _compile(patterns: Sequence[str]) -> pathspec.GitIgnoreSpec:
    try:
        return pathspec.GitIgnoreSpec.from_lines(patterns)
    except ValueError as error:
        raise BadPattern(
            f"a pattern to exclude can't be understood: {error}",
            hint=f"see {IGNORE_FILE} of the repository and [ingest] exclude of the settings",
        ) from error


def _marked(attributes: Sequence[str], name: str) -> list[str]:
    """Return the patterns of .gitattributes lines that set an attribute."""
    found: list[str] = []
    for line in attributes:
        pattern, *words = line.split() or [""]
        if pattern.startswith(("#", '"', "[")):
            continue
        if name in words or f"{name}=true" in words or f"{name}=1" in words:
            found.append(pattern)
        elif f"-{name}" in words or f"{name}=false" in words:
            found.append("!" + pattern)
    return found


def _read(git: Git, name: str) -> str:
    if git.worktree is not None:
        return _regular_file(git.worktree / name)
    try:
        return git.run("cat-file", "blob", f"HEAD:{name}")[:_FILE_LIMIT].decode(errors="replace")
    except GitError:  # there is none, or no HEAD
        return ""


def _regular_file(path: Path) -> str:
    """Read a file; a link, a pipe or a folder of that name counts as none."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ""
    with open(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return ""
        return file.read(_FILE_LIMIT).decode(errors="replace")
