"""Which files of a worktree its tests may need: what git knows or would add, and of what it
ignores as much as is small and is not an environment, a cache or an output of a build tool.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...ingest.git.command import Git
from ...ingest.git.errors import GitError

IGNORED_FILE = 20_000_000
"""Bytes of an ignored file that is brought along; compiled extensions may have ten times that."""
IGNORED_FOLDER_FILES = 2_000
IGNORED_FOLDER_BYTES = 100_000_000
"""An ignored folder with more than that stays where it is: downloaded data, a build's output."""
IGNORED_ALL_BYTES = 500_000_000
_DEEPEST = 10
"""Submodules in submodules."""

LEFT = frozenset(
    {
        *(".git", ".hg", ".svn", ".hermes", ".venv", "venv", ".tox", ".nox", ".eggs", ".direnv"),
        *("__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".pytype", ".hypothesis"),
        *(".import_linter_cache", ".cache", ".ipynb_checkpoints", "htmlcov", "coverage", ".idea"),
        *(".gradle", ".turbo", ".parcel-cache", ".next", ".nuxt", ".svelte-kit", ".terraform"),
        *(".vite", ".DS_Store", ".coverage", ".testmondata", ".bundle", ".stack-work"),
    }
)
"""Names that, where git ignores them, hold environments, caches or reports. In a snapshot they
belong to the tools that made them there, and are kept from run to run."""
NODE_MODULES = "node_modules"
_EXTENSIONS = (".so", ".pyd", ".dylib", ".dll", ".node")


@dataclass(slots=True)
class Listing:
    """What is to be in a snapshot. Paths are relative to the worktree."""

    files: set[str] = field(default_factory=set[str])
    """Files and links; some may be gone from the worktree."""
    packages: list[str] = field(default_factory=list[str])
    """Folders named node_modules."""
    left_out: list[str] = field(default_factory=list[str])
    """Ignored folders and files that were too large, and submodules that can't be read."""


def list_files(git: Git, worktree: Path) -> Listing:
    """List a worktree's files, its submodules' too. Raise GitError."""
    listing = Listing()
    _List(worktree, listing).add(git, "", 0)
    return listing


class _List:
    def __init__(self, worktree: Path, listing: Listing) -> None:
        self._worktree = os.fspath(worktree)
        self._listing = listing
        self._ignored_bytes = 0

    def add(self, git: Git, prefix: str, depth: int) -> None:
        """Add the files of the repository at ``prefix``, which is empty or ends in a slash."""
        listed = git.run("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        for path in _paths(listed):
            # A folder with a slash is a repository of its own that nobody added: left alone.
            if not path.endswith("/"):
                self._listing.files.add(prefix + path)
        for path in _submodules(git):
            self._listing.files.discard(prefix + path)
            self._add_submodule(git, f"{prefix}{path}/", depth + 1)
        ignored = git.run(
            *("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
        )
        for path in _paths(ignored):
            self._add_ignored(prefix + path)

    def _add_submodule(self, git: Git, prefix: str, depth: int) -> None:
        folder = os.path.join(self._worktree, prefix)
        if depth > _DEEPEST or not os.path.lexists(os.path.join(folder, ".git")):
            return
        try:
            self.add(replace(git, worktree=Path(folder)), prefix, depth)
        except GitError:
            self._listing.left_out.append(prefix)

    def _add_ignored(self, path: str) -> None:
        name = os.path.basename(path.rstrip("/"))
        if _is_left(name):
            return
        if not path.endswith("/"):
            size = self._size(path)
            if size is not None:
                self._take([(path, size)], path)
            return
        found: list[tuple[str, int]] = []
        packages: list[str] = []
        total = 0
        vendored = os.path.isfile(os.path.join(self._worktree, path, "modules.txt"))
        for file, size in self._walk(path, packages):
            found.append((file, size))
            total += size
            if vendored and total <= IGNORED_ALL_BYTES:
                continue  # Go does not build without it
            if len(found) > IGNORED_FOLDER_FILES or total > IGNORED_FOLDER_BYTES:
                self._listing.left_out.append(path)
                return
        self._listing.packages += packages
        self._take(found, path)

    def _take(self, found: list[tuple[str, int]], path: str) -> None:
        for file, size in found:
            most = IGNORED_FILE * (10 if file.endswith(_EXTENSIONS) else 1)
            if size > most or self._ignored_bytes + size > IGNORED_ALL_BYTES:
                self._listing.left_out.append(file)
                continue
            self._ignored_bytes += size
            self._listing.files.add(file)

    def _walk(self, path: str, packages: list[str]) -> Iterator[tuple[str, int]]:
        """Yield the files below an ignored folder with their sizes."""
        waiting = [path.rstrip("/")]
        while waiting:
            folder = waiting.pop()
            if os.path.basename(folder) == NODE_MODULES:
                packages.append(folder)
                continue
            with suppress(OSError), os.scandir(os.path.join(self._worktree, folder)) as scanned:
                entries = list(scanned)
                names = {entry.name for entry in entries}
                if not names.isdisjoint({"pyvenv.cfg", "conda-meta", "CACHEDIR.TAG"}):
                    continue
                for entry in entries:
                    if _is_left(entry.name):
                        continue
                    inside = f"{folder}/{entry.name}"
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(inside)
                    elif (size := self._size(inside)) is not None:
                        yield inside, size

    def _size(self, path: str) -> int | None:
        """Return a file's or a link's size; None of what is neither, or gone."""
        try:
            status = os.lstat(os.path.join(self._worktree, path))
        except OSError:
            return None
        kind = status.st_mode
        return status.st_size if stat.S_ISREG(kind) or stat.S_ISLNK(kind) else None


def _is_left(name: str) -> bool:
    return name in LEFT or name.startswith((".coverage.", ".testmondata"))


def _submodules(git: Git) -> Iterator[str]:
    """Yield the paths of submodules: entries of the index that are commits."""
    if git.worktree is None or not os.path.lexists(git.worktree / ".gitmodules"):
        return
    staged = git.run("ls-files", "-z", "--stage")
    for entry in staged.split(b"\0"):
        if entry.startswith(b"160000 "):
            yield os.fsdecode(entry.partition(b"\t")[2])


def _paths(listed: bytes) -> Iterator[str]:
    for path in listed.split(b"\0"):
        if path:
            yield os.fsdecode(path)
