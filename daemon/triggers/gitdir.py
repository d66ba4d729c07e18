"""The few files of a git directory that matter: where HEAD and the refs are, what is staged, what
git is in the middle of. Nothing else in it is watched."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from enum import StrEnum

from .busy import SIGNS
from .inotify import SELF, Folder, Inotify, LimitReached
from .watched import Watched

_HEADS = frozenset({"HEAD", "packed-refs"})
_REFS = ("heads", "remotes", "tags")


class Sign(StrEnum):
    """What an event in a git directory may mean."""

    HEADS = "heads"
    INDEX = "index"
    OPERATION = "operation"
    RULES = "rules"
    GONE = "gone"


class GitFolders:
    """The watches on one repository's git directory. Changed in a thread, read in the loop."""

    def __init__(self, repo: Watched) -> None:
        self._repo = repo
        self._watches: dict[str, Folder] = {}
        self._refs: set[Folder] = set()

    def watch(self, inotify: Inotify, owner: object) -> LimitReached | None:
        """Watch what is not watched yet; return why that was not possible, if so."""
        wanted = dict(self._wanted())
        gone = [
            self._watches.pop(path)
            for path, folder in list(self._watches.items())
            if path not in wanted or folder.ended
        ]
        inotify.remove(gone)
        for path, names in wanted.items():
            if path in self._watches:
                continue
            top = path in (str(self._repo.common_dir), str(self._repo.git_dir))
            try:
                folder = inotify.add(
                    owner, path, path, names=names, itself=top, saves=names is None or not top
                )
            except LimitReached as error:
                return error
            if folder is not None:
                self._watches[path] = folder
        self._refs = {f for f in self._watches.values() if f.names is None}
        return None

    def unwatch(self, inotify: Inotify | None) -> None:
        """End all watches."""
        if inotify is not None:
            inotify.remove(self._watches.values())
        self._watches.clear()
        self._refs.clear()

    def watches(self, folder: Folder) -> bool:
        """Return whether this is one of ours."""
        return self._watches.get(folder.path) is folder

    def signs(self, folder: Folder, names: dict[bytes, int]) -> set[Sign]:
        """Return what events in a folder may mean."""
        found: set[Sign] = set()
        for raw, mask in names.items():
            name = os.fsdecode(raw)
            if not name and mask & SELF:
                found.add(Sign.GONE)
            if not name or (name.endswith(".lock") and name != "index.lock"):
                continue
            if folder in self._refs or name in _HEADS or name == "refs":
                found.add(Sign.HEADS)
            elif name == "index":
                found |= {Sign.INDEX, Sign.OPERATION}
            elif name in SIGNS:
                found.add(Sign.OPERATION)
            elif name == "exclude":
                found.add(Sign.RULES)
        return found

    def _wanted(self) -> Iterator[tuple[str, frozenset[str] | None]]:
        """Yield the folders to watch; None is for all names in it."""
        common, own = str(self._repo.common_dir), str(self._repo.git_dir)
        names = _HEADS | SIGNS | {"index", "refs"}
        yield own, names
        if common != own:
            yield common, _HEADS | {"refs", "index"}
        with suppress(OSError):  # other worktrees: what is staged there is news too
            for entry in os.scandir(os.path.join(common, "worktrees")):
                if entry.path != own:
                    yield entry.path, frozenset({"index"})
        yield os.path.join(common, "info"), frozenset({"exclude"})
        refs = os.path.join(common, "refs")
        yield refs, None
        for top in _REFS:
            for folder, _, _ in os.walk(os.path.join(refs, top)):
                yield folder, None
        reftable = os.path.join(common, "reftable")
        if os.path.isdir(reftable):
            yield reftable, None
