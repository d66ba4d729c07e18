"""Which files are read as documents, which are not, and why not."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ....memory.filters import glob_pattern
from ....memory.records import Content, Repo
from ...documents.formats import Format, format_of
from ...git import classify
from ..contract import SourceAway
from .options import base_of, is_glob
from .worktrees import Worktree, Worktrees

MAX_FILES = 20_000
"""Documents of one source; what is more is no notes of people."""
MAX_BYTES = 1_000_000
"""Of a document; what is larger is data, or made by a program."""
MAX_NOTEBOOK = 20_000_000
"""Of a notebook, most of which are pictures that are not read."""
_NOT_READ = (".pdf", ".docx", ".doc", ".odt", ".rtf")
_HIDDEN_BUT_READ = frozenset({".github"})


@dataclass(frozen=True, slots=True)
class File:
    """A file that is read."""

    path: str
    """Absolute, without links."""
    name: str
    """``REPO_ID/docs/adr/0007-redis.md``, or the absolute path outside of every repository."""
    repo: str
    """The repository's id, or empty."""
    inside: str
    """Its path in the repository, or as ``name``."""
    format: Format
    mtime: int
    """Nanoseconds."""
    size: int
    worktree: Worktree | None
    """Of whatever repository it lies in, known to memory or not."""

    @property
    def ref(self) -> str:
        """The reference of the item that it becomes."""
        return f"docs:{self.name}"

    @property
    def folder(self) -> str:
        """The folder part of its name."""
        return self.name.rpartition("/")[0]


@dataclass(slots=True)
class Listing:
    """What there is."""

    files: dict[str, File] = field(default_factory=dict[str, File])
    """By name, in order."""
    left_out: dict[str, str] = field(default_factory=dict[str, str])
    """Absolute paths, each with why."""
    notes: list[str] = field(default_factory=list[str])


def look(
    patterns: Sequence[str], repos: Sequence[Repo], should_stop: Callable[[], bool] = lambda: False
) -> Listing:
    """List the documents that patterns stand for. Raise SourceAway where a folder is not there and
    no repository says that it was removed: it may be on a disk that is not mounted."""
    listing = Listing()
    worktrees = Worktrees(repos)
    found: dict[str, os.stat_result] = {}
    for pattern in patterns:
        if should_stop():
            break
        for path, about in _candidates(pattern, listing, worktrees):
            found[path] = about
            if len(found) == MAX_FILES:
                note = f"more than {MAX_FILES:,} files: name smaller folders"
                listing.notes.append(note)
                break
    named = {os.path.realpath(pattern) for pattern in patterns if not is_glob(pattern)}
    files: list[File] = []
    for path, about in found.items():
        if should_stop():
            break
        if reading := _file(path, about, path in named, worktrees, listing):
            files.append(reading)
    listing.files = {each.name: each for each in sorted(files, key=lambda each: each.name)}
    return listing


def _candidates(
    pattern: str, listing: Listing, worktrees: Worktrees
) -> Iterator[tuple[str, os.stat_result]]:
    base = Path(os.path.realpath(base_of(pattern)))
    try:
        about = base.stat()
    except OSError as error:
        if worktrees.of(base) is not None and isinstance(error, FileNotFoundError):
            return  # a branch that doesn't have it
        raise SourceAway(
            f"{base} can't be read: {error.strerror}",
            hint="is it on a disk that is not mounted? what was read stays until then",
        ) from error
    if stat.S_ISREG(about.st_mode):
        yield str(base), about
    elif stat.S_ISDIR(about.st_mode):
        relative = os.path.relpath(pattern, base_of(pattern)) if is_glob(pattern) else ""
        wanted = re.compile(glob_pattern(relative)) if relative else None
        for path, found in _walk(str(base), wanted, listing):
            if format_of(path) is not None:
                yield path, found
            elif path.lower().endswith(_NOT_READ):
                listing.left_out[path] = "PDF and word processors' files are not read"


def _walk(
    base: str, wanted: re.Pattern[str] | None, listing: Listing
) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the regular files under a folder; links are not followed."""
    folders = [base]
    while folders:
        folder = folders.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            listing.left_out[folder] = f"can't be read: {error.strerror}"
            continue
        for entry in entries:
            relative = entry.path[len(base) :].lstrip("/")
            if entry.is_symlink():
                asked = format_of(entry.path) and (wanted is None or wanted.match(relative))
                if asked and (why := _link(entry.path, base)):
                    listing.left_out[entry.path] = why
            elif entry.is_dir(follow_symlinks=False):
                hidden = entry.name.startswith(".") and entry.name not in _HIDDEN_BUT_READ
                if not hidden and classify.by_path(f"{relative}/x.md") is Content.TEXT:
                    folders.append(entry.path)
            elif wanted is None or wanted.match(relative):
                try:
                    about = entry.stat(follow_symlinks=False)
                except OSError:  # it is gone again
                    continue
                if stat.S_ISREG(about.st_mode):
                    yield entry.path, about


def _link(path: str, base: str) -> str:
    """Say why a link is not read; nothing where what it leads to is read itself."""
    target = os.path.realpath(path)
    if not os.path.exists(target):
        return "a link to nothing"
    return "" if target.startswith(base.rstrip("/") + "/") else "a link out of the folder"


def _file(
    path: str, about: os.stat_result, named: bool, worktrees: Worktrees, listing: Listing
) -> File | None:
    worktree = worktrees.of(Path(path))
    inside = worktree.inside(path) if worktree is not None else ""
    form = format_of(path) or Format.PLAIN
    limit = MAX_NOTEBOOK if form is Format.NOTEBOOK else MAX_BYTES
    why = ""
    if about.st_size > limit:
        why = f"too big: {about.st_size / 1e6:.1f} MB"
    elif worktree is not None:
        why = worktree.keeps_out(inside, named)
    if why:
        listing.left_out[path] = why
        return None
    repo = worktree.repo if worktree is not None else ""
    return File(
        path=path,
        name=f"{repo}/{inside}" if repo else path,
        repo=repo,
        inside=inside if repo else path,
        format=form,
        mtime=about.st_mtime_ns,
        size=about.st_size,
        worktree=worktree,
    )
