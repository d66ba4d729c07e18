"""What the files of a worktree looked like when they were last seen: the truth behind the hints.

Events can be lost, and nobody watches while the daemon is down. A walk compared with what was
known finds every change all the same.
"""

from __future__ import annotations

import json
import os
import stat
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from .ignored import Ignored

Names = dict[str, int]
"""File name to fingerprint, within one folder."""
Folders = dict[str, Names]
"""Folder, relative to the worktree (itself is the empty one), to its files."""

_FORMAT = 1
_BITS = (1 << 62) - 1
_RACY = 20_000_000
"""Nanoseconds within which a second write may leave a file's time unchanged."""
FRESH = 0
"""The fingerprint of a file written just now: it equals none."""


class Unreadable(Exception):
    """A stored snapshot can't be used."""


def fingerprint(found: os.stat_result, now: int) -> int:
    """Return a number that differs when time, size or inode do; ``now`` in nanoseconds."""
    if 0 <= now - found.st_mtime_ns < _RACY:
        return FRESH
    return (found.st_mtime_ns * 1_000_003 ^ found.st_size * 31 ^ found.st_ino) & _BITS | 1


def same(old: int | None, new: int | None) -> bool:
    """Return whether two fingerprints are of one state of one file; None is no file."""
    return old == new and old != FRESH


def look(path: Path) -> int | None:
    """Return a file's fingerprint, or None if there is none. A link is itself a file."""
    try:
        found = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode)):
        return None
    return fingerprint(found, time.time_ns())


def firm(worktree: Path, found: Folders) -> None:
    """Look once more, a moment later, at the files that were written just before they were seen.

    Only what is being written all the time still counts as fresh afterwards.
    """
    fresh = [
        (folder, name)
        for folder, names in found.items()
        if FRESH in names.values()
        for name, seen in list(names.items())
        if seen == FRESH
    ]
    if fresh:
        time.sleep(_RACY / 1e9)
    for folder, name in fresh:
        with suppress(OSError):
            now = look(worktree / folder / name)
            if now is None:
                del found[folder][name]
            else:
                found[folder][name] = now


def walk(
    worktree: Path, ignored: Ignored, enter: Callable[[str], None], top: str = ""
) -> Iterator[tuple[str, Names | None]]:
    """Yield each folder that is not ignored, with its files; None if it can't be read.

    ``enter`` is told of a folder before it is read, so that nothing made in between is missed.
    Repositories within the worktree are not entered. Raise OSError if the worktree is not there.
    """
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        at = os.path.join(worktree, folder)
        enter(folder)
        names: Names = {}
        inner: list[str] = []
        try:
            with os.scandir(at) as entries:
                found = list(entries)
        except (FileNotFoundError, NotADirectoryError):
            if not folder:
                raise
            continue
        except OSError:
            if not folder:
                raise
            yield folder, None
            continue
        if folder and any(entry.name == ".git" for entry in found):
            continue
        now = time.time_ns()
        start = folder + "/" if folder else ""
        for entry in found:
            path = start + entry.name
            try:
                is_folder = entry.is_dir(follow_symlinks=False)
            except OSError:
                continue
            if ignored.matches(path, is_folder):
                continue
            if is_folder:
                inner.append(path)
                continue
            try:
                seen = entry.stat(follow_symlinks=False)
            except OSError:  # gone again
                continue
            if stat.S_ISREG(seen.st_mode) or stat.S_ISLNK(seen.st_mode):
                names[entry.name] = fingerprint(seen, now)
        waiting.extend(sorted(inner, reverse=True))
        yield folder, names


def compare(old: Mapping[str, Names], new: Mapping[str, Names]) -> Iterator[str]:
    """Yield the path of each file that was made, changed or removed."""
    nothing: Names = {}
    for folder in {**old, **new}:
        before, after = old.get(folder, nothing), new.get(folder, nothing)
        if before is after:
            continue
        start = folder + "/" if folder else ""
        for name in {**before, **after}:
            if not same(before.get(name), after.get(name)):
                yield start + name


def save(path: Path, folders: Folders) -> None:
    """Write a snapshot for the owner's eyes, replacing the one there. Raise OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    text = json.dumps({"format": _FORMAT, "folders": folders}, separators=(",", ":"))
    beside = path.with_name(path.name + ".new")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(handle, "wb") as file:
        file.write(zlib.compress(text.encode("ascii"), 1))
    os.replace(beside, path)


def load(path: Path) -> Folders | None:
    """Read a snapshot; None if there is none. Raise Unreadable if it is of no use."""
    try:
        text = zlib.decompress(path.read_bytes())
        found: Any = json.loads(text)
        if found["format"] != _FORMAT:
            raise Unreadable(f"{path} has another format")
        return cast(Folders, found["folders"])
    except FileNotFoundError:
        return None
    except (OSError, zlib.error, ValueError, KeyError, TypeError) as error:
        raise Unreadable(f"{path}: {error}") from error
