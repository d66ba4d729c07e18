"""What changed, put together from many events and kept small."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

MOST_PATHS = 1_000
"""More paths than these become the folders they are in."""
MOST_FOLDERS = 200
"""More folders than these become the whole worktree."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Paths, folders that stand for all beneath them, or the whole worktree."""

    paths: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    whole: bool = False


def unite(first: Changes, second: Changes) -> Changes:
    """Return what both say together: nothing is lost, but it may be told more coarsely."""
    if first.whole or second.whole:
        return Changes(whole=True)
    folders = set(first.folders) | set(second.folders)
    paths = _outside({*first.paths, *second.paths}, folders)
    if len(paths) > MOST_PATHS:
        folders |= {path.rpartition("/")[0] for path in paths if "/" in path}
        paths = {path for path in paths if "/" not in path}
    folders = _outside(folders, folders)
    if len(paths) > MOST_PATHS or len(folders) > MOST_FOLDERS:
        return Changes(whole=True)
    return Changes(tuple(sorted(paths)), tuple(sorted(folders)))


def _outside(paths: Iterable[str], folders: set[str]) -> set[str]:
    """Return those that are beneath none of ``folders``."""
    return {path for path in paths if not any(above in folders for above in _above(path))}


def _above(path: str) -> Iterable[str]:
    cut = path.rfind("/")
    while cut > 0:
        yield path[:cut]
        cut = path.rfind("/", 0, cut)
