"""Puts what changed into the words of an event."""

from __future__ import annotations

import time

from ...agents.events import MAX_PATHS, FilesChanged, Source
from .batch import Changes

_LONGEST = 4_096
"""Characters a path of an event may have."""


def files_changed(changes: Changes, repo: str, source: Source) -> FilesChanged:
    """Return the event. A name that is not UTF-8, or too long, is told by its folder."""
    paths = {path for path in changes.paths if _tellable(path)}
    folders = set(changes.folders)
    folders |= {path.rpartition("/")[0] for path in changes.paths - paths}
    folders = {_nearest_tellable(folder) for folder in folders}
    if changes.whole or "" in folders or len(paths) + len(folders) > MAX_PATHS:
        return FilesChanged(at=time.time(), source=source, repo=repo, whole=True)
    return FilesChanged(
        at=time.time(),
        source=source,
        repo=repo,
        paths=tuple(sorted(paths)),
        folders=tuple(sorted(folders)),
    )


def _nearest_tellable(folder: str) -> str:
    while not _tellable(folder):
        folder = folder.rpartition("/")[0]
    return folder


def _tellable(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return len(path) <= _LONGEST
