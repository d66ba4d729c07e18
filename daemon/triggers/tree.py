"""The files of one worktree: which of its folders are watched, and what is known of each file.

What blocks (`scan`, `settle`) is called in a thread, one at a time; the loop only reads.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ...ingest.git.ignored import IGNORE_FILE
from .batch import Changes, Gathered
from .ignored import Ignored
from .inotify import FOLDER, REMOVED, SELF, Folder, Inotify, LimitReached
from .snapshot import FRESH, Folders, Names, compare, firm, load, look, same, save, walk
from .watched import Watched


@dataclass(slots=True)
class Hints:
    """What events in a folder may mean, apart from the paths."""

    any: bool = False
    """Something may have changed."""
    gone: bool = False
    """The worktree may be gone, or be another one."""
    left: set[str] = field(default_factory=set[str])
    """Folders that were removed or renamed."""


class Tree:
    """One worktree. ``known`` is what was seen last; None before the first look."""

    def __init__(self, repo: Watched, worktree: Path, own: Collection[Path] = ()) -> None:
        """``own`` are folders that hermes writes to: never watched."""
        self.worktree = worktree
        self.known: Folders | None = None
        self.unsaved = False
        """Whether that is newer than what is kept on disk."""
        self.ignored: Ignored | None = None
        self.limit: LimitReached | None = None
        """Why not each folder has a watch, if that is so."""
        self.cost = 0.0
        """Seconds the last whole look took."""
        self._repo = repo
        self._own = tuple(own)
        self._watches: dict[str, Folder] = {}

    def load(self, path: Path) -> None:
        """Take what was saved as what was seen last. Raise Unreadable if it is of no use."""
        self.unsaved = True
        self.known = load(path)
        self.unsaved = self.known is None

    def save(self, path: Path) -> None:
        """Keep what was seen last, if it is not kept already. Raise OSError."""
        if self.known is not None and self.unsaved:
            save(path, self.known)
            self.unsaved = False

    def watches(self, folder: Folder) -> bool:
        """Return whether this is a folder of ours as it is watched now."""
        return self._watches.get(folder.path) is folder

    def hints(self, folder: Folder, names: dict[bytes, int], gathered: Gathered) -> Hints:
        """Given events in a folder, gather the paths they name that are not ignored."""
        found = Hints()
        ignored = self.ignored
        if self.known is None or ignored is None:
            return found
        known = self.known.get(folder.path, {})
        covered = gathered.covers(folder.path)
        start = folder.path + "/" if folder.path else ""
        for raw, mask in names.items():
            name = os.fsdecode(raw)
            path = start + name
            if not name:
                found.gone |= bool(mask & SELF)
            elif name == ".git":
                found.gone |= not folder.path
                if folder.path:  # it becomes a repository of its own, or ceases to be one
                    gathered.add_folder(folder.path)
                    found.any = True
            elif name == ".gitignore" or (name == IGNORE_FILE and not folder.path):
                gathered.add_whole()
                found.any = covered = True
            elif mask & FOLDER:
                if mask & REMOVED:
                    found.left.add(path)
                if name in known:
                    gathered.add(path)
                if not ignored.matches_again(path, True):
                    gathered.add_folder(path)
                    found.any = True
            elif covered:
                found.any = True
            elif name in known or not ignored.matches_again(path, False):
                gathered.add(path)
                found.any = True
        return found

    def scan(self, inotify: Inotify | None, owner: object) -> Gathered:
        """Read the rules, look at everything, watch each folder; return what changed.

        Raise OSError if the worktree is not there.
        """
        started = time.monotonic()
        ignored = Ignored.read(self._repo, self._own)
        watcher = _Watcher(self, inotify, owner)
        before = self.known
        found: Folders = {}
        for folder, names in walk(self.worktree, ignored, watcher.enter):
            found[folder] = _merged(before, folder, names)
        firm(self.worktree, found)
        self._drop(set(self._watches) - found.keys(), inotify)
        self.ignored = ignored
        self.known = found
        self.limit = watcher.limit
        changed = Gathered()
        if before is not None:
            for path in compare(before, found):
                if not ignored.covers(path):
                    changed.add(path)
        self.cost = time.monotonic() - started
        return changed

    def settle(
        self, changes: Changes, left: Iterable[str], inotify: Inotify | None, owner: object
    ) -> Gathered:
        """Given hints, look at what they name; return what really changed since the last look.

        ``left`` are folders that were removed or renamed: their watches end.
        """
        if self.known is None or self.ignored is None or changes.whole:
            self._drop([inner for at in left for inner in self._beneath(at)], inotify)
            found = self.scan(inotify, owner)
            self.unsaved |= bool(found)
            return found
        for folder in left:
            self._drop(self._beneath(folder), inotify)
        changed = Gathered()
        for path in changes.paths:
            self._look_at(path, changed)
        folders = {path.rpartition("/")[0] for path in changes.paths}
        firm(self.worktree, {at: self.known[at] for at in folders if at in self.known})
        for folder in changes.folders:
            self._look_into(folder, changed, inotify, owner)
        self.unsaved |= bool(changed)
        return changed

    def unwatch(self, inotify: Inotify | None) -> None:
        """End all watches."""
        self._drop(list(self._watches), inotify)

    def _look_at(self, path: str, changed: Gathered) -> None:
        assert self.known is not None
        folder, _, name = path.rpartition("/")
        names = self.known.get(folder, {})
        try:
            now = look(self.worktree / path)
        except OSError:  # it can't be seen now: the next look at everything will tell
            return
        if same(names.get(name), now):
            return
        changed.add(path)
        if now is None:
            names.pop(name, None)
        else:
            names[name] = now

    def _look_into(
        self, top: str, changed: Gathered, inotify: Inotify | None, owner: object
    ) -> None:
        assert self.known is not None and self.ignored is not None
        watcher = _Watcher(self, inotify, owner)
        found: Folders = {}
        at = os.path.join(self.worktree, top)
        if os.path.isdir(at) and not os.path.islink(at):
            for folder, names in walk(self.worktree, self.ignored, watcher.enter, top):
                found[folder] = _merged(self.known, folder, names)
        firm(self.worktree, found)
        if watcher.limit is not None:
            self.limit = watcher.limit
        within = top + "/"
        before = {at: self.known[at] for at in self.known if at == top or at.startswith(within)}
        for path in compare(before, found):
            changed.add(path)
        for at in before.keys() - found.keys():
            del self.known[at]
        self.known.update(found)
        self._drop([at for at in self._beneath(top) if at not in found], inotify)

    def _beneath(self, top: str) -> list[str]:
        within = top + "/"
        return [at for at in self._watches if at == top or at.startswith(within)]

    def _drop(self, paths: Iterable[str], inotify: Inotify | None) -> None:
        gone = [self._watches.pop(path) for path in paths if path in self._watches]
        if inotify is not None and gone:
            inotify.remove(gone)

    def watch(self, path: str, inotify: Inotify, owner: object) -> None:
        """Watch one folder, unless it is watched already. Raise LimitReached."""
        old = self._watches.get(path)
        if old is not None:
            if not old.ended:
                return
            self._drop([path], inotify)
        at = os.path.join(self.worktree, path)
        folder = inotify.add(owner, at, path, itself=not path)
        if folder is not None:
            self._watches[path] = folder


class _Watcher:
    """Watches each folder that a walk enters, until the limit is reached."""

    def __init__(self, tree: Tree, inotify: Inotify | None, owner: object) -> None:
        self._tree = tree
        self._inotify = inotify
        self._owner = owner
        self.limit: LimitReached | None = None

    def enter(self, path: str) -> None:
        if self._inotify is None or self.limit is not None:
            return
        try:
            self._tree.watch(path, self._inotify, self._owner)
        except LimitReached as error:
            self.limit = error


def _merged(known: Folders | None, folder: str, found: Names | None) -> Names:
    """Return what was found in a folder; what was known if it can't be read or is the same."""
    before = None if known is None else known.get(folder)
    if found is None:
        return dict(before or {})
    if before is None or before != found or FRESH in found.values():
        return found
    return before
