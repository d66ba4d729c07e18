"""Keep a copy of a worktree in our own folder, for tests to run on.

The person goes on typing, switches branches and runs tests of their own: the copy stays as it was.
It is kept from run to run and brought up to date by size and time of change, as rsync does; what
tests left in it is removed. Virtual environments and caches stay in the worktree (see `listing`).
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ...ingest.git.command import Git
from ..contract import Hopeless, NotReady
from .copying import Copier
from .environment import COMPILED
from .linked_modules import link_modules
from .listing import LEFT, NODE_MODULES, Listing, list_files
from .private_git import give_git
from .records import Tree

_ROUNDS = 3
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})


def take(git: Git, folder: Path) -> Tree:
    """Bring the snapshot in ``folder``, which is ours for this worktree, up to date; return it.

    To be called in a thread, and not while tests run on the snapshot. Raise NotReady if there is
    no room, Hopeless of a bare repository, GitError.
    """
    worktree = _worktree(git)
    root = folder / "snapshot" / worktree.name
    scratch = _scratch(folder)
    try:
        root.mkdir(parents=True, exist_ok=True)
        listing = list_files(git, worktree)
        _Mirror(worktree, root).bring(listing)
        if not give_git(git, root):
            listing.left_out.append(".git/")
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        raise NotReady(
            f"no room for a snapshot of {worktree} in {folder}",
            hint="Free some space, or have tests run in place: `hermes config set tests.isolation in_place`.",
        ) from error
    return Tree(root, worktree, scratch, tuple(listing.left_out))


def in_place(git: Git, folder: Path) -> Tree:
    """Return the worktree itself as what tests run on, with ``folder`` for all that is ours.

    Raise Hopeless of a bare repository.
    """
    worktree = _worktree(git)
    scratch = _scratch(folder)
    # Nothing tells us what changed since, and pytest takes a file of the same size and second for
    # the same.
    shutil.rmtree(scratch / COMPILED, ignore_errors=True)
    return Tree(worktree, worktree, scratch)


def _worktree(git: Git) -> Path:
    if git.worktree is None or not git.worktree.is_dir():
        raise Hopeless(f"{git.common_dir} has no files to test: it is a bare repository")
    return git.worktree


def _scratch(folder: Path) -> Path:
    scratch = folder / "scratch"
    scratch.mkdir(parents=True, exist_ok=True)
    return scratch


class _Mirror:
    def __init__(self, worktree: Path, root: Path) -> None:
        self._worktree = os.fspath(worktree)
        self._root = os.fspath(root)
        self._copier = Copier()
        self._compiled: dict[str, list[str]] = {}

    def bring(self, listing: Listing) -> None:
        """Make the snapshot hold what is listed and nothing else."""
        wanted: dict[str, set[str]] = {"": set()}
        for path in (*listing.files, *listing.packages):
            folder, _, name = path.rpartition("/")
            _wanted_in(wanted, folder).add(name)
        copied: list[str] = []
        for folder in sorted(wanted):  # a folder before what is in it
            copied += self._folder(folder, wanted)
        for _ in range(_ROUNDS):
            # Whoever saves many files at once may have been in the middle of it.
            copied = [path for path in copied if self._brought(path, self._status(path))]
            if not copied:
                break
        for path in listing.packages:
            with suppress(FileNotFoundError):
                link_modules(self._in_worktree(path), self._in_root(path))

    def _folder(self, folder: str, wanted: dict[str, set[str]]) -> list[str]:
        """Bring one folder's own files and links; return those that were copied."""
        names = wanted[folder]
        there = self._entries(folder)
        prefix = folder + "/" if folder else ""
        copied: list[str] = []
        for name in names:
            path = prefix + name
            if path in wanted or name == NODE_MODULES:
                continue
            try:
                source = os.lstat(self._in_worktree(path))
            except OSError:
                continue  # deleted, or about to be
            if self._brought(path, there.pop(name, None), source):
                copied.append(path)
        self._remove(prefix, (name for name in there if prefix + name not in wanted), names)
        return copied

    def _entries(self, folder: str) -> dict[str, os.stat_result]:
        """Return what is in a folder of the snapshot; make it a folder if it is not one."""
        target = self._in_root(folder)
        source = self._in_worktree(folder)
        with suppress(OSError):
            mode = stat.S_IMODE(os.stat(source).st_mode) | 0o700
            if not stat.S_ISDIR(os.lstat(target).st_mode):
                os.unlink(target)
            elif stat.S_IMODE(os.lstat(target).st_mode) != mode:
                os.chmod(target, mode)
        os.makedirs(target, exist_ok=True)
        with os.scandir(target) as entries:
            return {entry.name: entry.stat(follow_symlinks=False) for entry in entries}

    def _brought(
        self, path: str, there: os.stat_result | None, source: os.stat_result | None = None
    ) -> bool:
        """Bring one file or link if it differs; return whether it did."""
        try:
            source = source or os.lstat(self._in_worktree(path))
            if stat.S_ISLNK(source.st_mode):
                return self._link(path, there)
            if not stat.S_ISREG(source.st_mode):
                self._clear(path, there)
                return False
            if there is not None and _same(source, there):
                return False
            if there is not None and stat.S_ISDIR(there.st_mode):
                self._clear(path, there)
            self._copier.copy(self._in_worktree(path), self._in_root(path))
        except (FileNotFoundError, PermissionError):
            self._clear(path, self._status(path))  # deleted meanwhile, or not for us to read
            return False
        if path.endswith(".py"):
            self._forget(path)
        return True

    def _link(self, path: str, there: os.stat_result | None) -> bool:
        leads_to = self._leads_to(path)
        target = self._in_root(path)
        if there is not None:
            if stat.S_ISLNK(there.st_mode) and os.readlink(target) == leads_to:
                return False
            self._clear(path, there)
        os.symlink(leads_to, target)
        return True

    def _leads_to(self, path: str) -> str:
        """Return what the snapshot's link says: what is in the worktree leads to the snapshot's
        own, what is outside stays what it is."""
        source = self._in_worktree(path)
        said = os.readlink(source)
        full = os.path.normpath(os.path.join(os.path.dirname(source), said))
        inside = full == self._worktree or full.startswith(self._worktree + os.sep)
        if os.path.isabs(said):
            return self._root + full[len(self._worktree) :] if inside else said
        return said if inside else full

    def _remove(self, prefix: str, names: Iterable[str], wanted: set[str]) -> None:
        for name in names:
            if name in LEFT or (name == NODE_MODULES and name in wanted):
                continue
            with suppress(FileNotFoundError):
                self._clear(prefix + name, self._status(prefix + name))

    def _clear(self, path: str, there: os.stat_result | None) -> None:
        target = self._in_root(path)
        if there is None:
            return
        if not stat.S_ISDIR(there.st_mode):
            os.unlink(target)
            return
        for folder, _, _ in os.walk(target):
            os.chmod(folder, 0o700)  # tests take rights away
        shutil.rmtree(target)

    def _forget(self, path: str) -> None:
        """Remove what Python compiled of a file: it would take one of the same size, changed within
        the same second, for the same."""
        folder, _, name = self._in_root(path).rpartition("/")
        place = f"{folder}/__pycache__"
        if place not in self._compiled:
            try:
                self._compiled[place] = os.listdir(place)
            except OSError:
                self._compiled[place] = []
        stem = name.removesuffix("py")
        for one in self._compiled[place]:
            if one.startswith(stem):
                with suppress(FileNotFoundError):
                    os.unlink(os.path.join(place, one))

    def _status(self, path: str) -> os.stat_result | None:
        try:
            return os.lstat(self._in_root(path))
        except OSError:
            return None

    def _in_worktree(self, path: str) -> str:
        return f"{self._worktree}/{path}" if path else self._worktree

    def _in_root(self, path: str) -> str:
        return f"{self._root}/{path}" if path else self._root


def _wanted_in(wanted: dict[str, set[str]], folder: str) -> set[str]:
    """Return the names wanted in a folder, which is then itself wanted in the one above it."""
    names = wanted.get(folder)
    if names is None:
        names = wanted[folder] = set()
        above, _, name = folder.rpartition("/")
        _wanted_in(wanted, above).add(name)
    return names


def _same(source: os.stat_result, there: os.stat_result) -> bool:
    return (
        source.st_size == there.st_size
        and source.st_mtime_ns == there.st_mtime_ns
        and (source.st_mode & 0o777) == (there.st_mode & 0o777)
        and stat.S_ISREG(there.st_mode)
    )
