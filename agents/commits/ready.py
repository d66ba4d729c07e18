"""The files in which a git hook finds the draft for exactly what is being committed.

``ready/KEY`` holds the staged tree, the commit it stands on, the line in the worktree's HEAD and a
Signed-off-by, each on a line (the last may be empty), then the message; ``soon/KEY`` says that one
is being made: tenths of a second to wait, and whose process it is. surfaces/hooks/script.py reads
them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ...ingest.git.command import Git
from ...ingest.git.worktree_key import key_of

NO_HEAD = "-"
"""Stands for the commit before the first."""


@dataclass(frozen=True, slots=True)
class Worktree:
    """A working tree, and the git directory in which its HEAD and its index lie."""

    path: Path
    """Free of symbolic links."""
    git_dir: Path

    def at(self) -> str:
        """Return the first line of its HEAD. Raise OSError if it can't be read."""
        return os.fsdecode((self.git_dir / "HEAD").read_bytes().partition(b"\n")[0])


def worktrees_of(git: Git) -> list[Worktree]:
    """Return the working trees of a repository that are there, the one it was opened from first."""
    common = git.common_dir
    found: dict[Path, Worktree] = {}
    places = [git.worktree] if git.worktree is not None else []
    if common.name == ".git":
        places.append(common.parent)
    for link in sorted(common.glob("worktrees/*/gitdir")):
        with suppress(OSError):
            said = os.fsdecode(link.read_bytes().removesuffix(b"\n"))
            places.append((link.parent / said).parent)
    for place in places:
        with suppress(OSError):
            path = place.resolve(strict=True)
            git_dir = _git_dir(path)
            if git_dir in (common, common.resolve()) or git_dir.parent.name == "worktrees":
                found.setdefault(path, Worktree(path, git_dir))
    return list(found.values())


def _git_dir(worktree: Path) -> Path:
    entry = worktree / ".git"
    if entry.is_dir():
        return entry.resolve()
    said = os.fsdecode(entry.read_bytes()[:10_000]).strip()
    return (worktree / said.removeprefix("gitdir:").strip()).resolve(strict=True)


@dataclass(frozen=True, slots=True)
class Ready:
    """The files for one worktree in the folder of drafts. Its methods block for a moment."""

    folder: Path
    worktree: Worktree

    @property
    def file(self) -> Path:
        """Where its draft lies."""
        return self.folder / "ready" / key_of(self.worktree.path)

    @property
    def marker(self) -> Path:
        """Where it is said that one is being made."""
        return self.folder / "soon" / key_of(self.worktree.path)

    def put(self, message: bytes, tree: str, head: str | None, at: str, sign: str = "") -> None:
        """Put a message there, at once and whole. Raise OSError."""
        lines = (tree, head or NO_HEAD, at, sign)
        start = b"".join(os.fsencode(line) + b"\n" for line in lines)
        _write(self.file, start + message)

    def holds(self, tree: str, head: str | None, at: str) -> bool:
        """Say whether a message for exactly this is there."""
        try:
            with self.file.open("rb") as file:
                start = [os.fsdecode(file.readline(10_000)) for _ in range(3)]
        except OSError:
            return False
        return start == [f"{tree}\n", f"{head or NO_HEAD}\n", f"{at}\n"]

    def remove(self) -> bool:
        """Take the message away; say whether there was one."""
        try:
            had = self.file.stat().st_size > 0
            self.file.unlink()
        except OSError:
            return False
        return had

    def announce(self, seconds: float) -> None:
        """Say that a message is being made, for which a commit may wait. Raise OSError."""
        if seconds > 0:
            _write(self.marker, b"%d %d\n" % (round(seconds * 10), os.getpid()))

    def withdraw(self) -> None:
        """Say that none is being made any more."""
        with suppress(OSError):
            self.marker.unlink()


def remove_all(folder: Path, worktrees: Iterable[str]) -> None:
    """Leave nothing of some worktrees in the folder of drafts: their repository left memory."""
    for worktree in worktrees:
        for kind in ("ready", "soon"):
            with suppress(OSError):
                (folder / kind / key_of(worktree)).unlink()


def _write(file: Path, content: bytes) -> None:
    """Write atomically, for the owner's eyes only."""
    for folder in (file.parent.parent, file.parent):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    temp = file.parent / f".{os.getpid()}.new"
    try:
        with open(os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as opened:
            opened.write(content)
        temp.replace(file)
    finally:
        temp.unlink(missing_ok=True)
