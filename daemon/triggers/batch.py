"""Gathers what changed in one repository until it has been quiet for a moment. Pure: no clock."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .busy import patience

QUIET = 0.3
"""Seconds without a change after which a batch is complete."""
LONGEST = 3.0
"""Seconds after its first change after which a batch is complete all the same."""
PER_FOLDER = 200
"""Changed files directly in one folder, past which the folder stands for them."""
IN_ALL = 1_000
"""Changed files and folders, past which the whole worktree stands for them."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed. ``folders`` stand for all that lies in them; the worktree is ``whole``."""

    paths: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()
    whole: bool = False
    index: bool = False
    """The index was written."""
    heads: bool = False
    """HEAD or a ref may have moved."""

    @property
    def files(self) -> bool:
        """Whether anything in the worktree is meant."""
        return self.whole or bool(self.paths) or bool(self.folders)


class Gathered:
    """A set of changed paths that never grows large: past a limit, folders stand for them."""

    def __init__(self, paths: Iterable[str] = ()) -> None:
        self._names: dict[str, set[str]] = {}
        self._folders: set[str] = set()
        self._count = 0
        self.whole = False
        for path in paths:
            self.add(path)

    def __bool__(self) -> bool:
        return self.whole or bool(self._folders) or bool(self._names)

    def covers(self, folder: str) -> bool:
        """Return whether all that lies in a folder is meant already."""
        if self.whole:
            return True
        if not self._folders:
            return False
        while folder:
            if folder in self._folders:
                return True
            folder = folder.rpartition("/")[0]
        return False

    def add(self, path: str) -> None:
        """Add a file."""
        folder, _, name = path.rpartition("/")
        if self.covers(folder):
            return
        names = self._names.setdefault(folder, set())
        if name in names:
            return
        names.add(name)
        self._count += 1
        if folder and len(names) > PER_FOLDER:
            self.add_folder(folder)
        elif self._count > IN_ALL:
            self.add_whole()

    def add_folder(self, folder: str) -> None:
        """Add all that lies in a folder; the empty one is the worktree itself."""
        if not folder:
            self.add_whole()
        if self.covers(folder):
            return
        within = folder + "/"
        for inner in [at for at in self._names if at == folder or at.startswith(within)]:
            self._count -= len(self._names.pop(inner))
        inside = {at for at in self._folders if at.startswith(within)}
        self._folders -= inside
        self._folders.add(folder)
        self._count += 1 - len(inside)
        if self._count > IN_ALL:
            self.add_whole()

    def add_all(self, changes: Changes) -> None:
        """Add what was gathered elsewhere."""
        if changes.whole:
            self.add_whole()
        for folder in changes.folders:
            self.add_folder(folder)
        for path in changes.paths:
            self.add(path)

    def add_whole(self) -> None:
        """Let the whole worktree be meant."""
        self.whole = True
        self._count = 0
        self._names.clear()
        self._folders.clear()

    def changes(self, *, index: bool = False, heads: bool = False) -> Changes:
        """Return what was gathered."""
        paths = frozenset(
            f"{folder}/{name}" if folder else name
            for folder, names in self._names.items()
            for name in names
        )
        return Changes(paths, frozenset(self._folders), self.whole, index, heads)


class Batch:
    """What changed in one repository since it was last told, and when to tell it.

    While git is in the middle of something the batch is held, for a bounded time; afterwards it
    has to be quiet once more, because git moves HEAD last. An operation that outlasted the
    patience once holds nothing any more.
    """

    def __init__(self, *, quiet: float = QUIET, longest: float = LONGEST) -> None:
        self.quiet = quiet
        self.longest = longest
        self.files = Gathered()
        self.index = False
        self.heads = False
        self._first: float | None = None
        self._last = 0.0
        self._held_since: float | None = None
        self._held_until: float | None = None
        self._outlasted: str | None = None

    def touch(self, now: float) -> None:
        """Say that something was added at ``now``."""
        if self._first is None:
            self._first = now
        self._last = max(self._last, now)

    def give_back(self, changes: Changes, now: float) -> None:
        """Add again what could not be told."""
        self.files.add_all(changes)
        self.index |= changes.index
        self.heads |= changes.heads
        self.touch(now)

    def look_again(self) -> None:
        """Say that git may be done with what it was in the middle of."""
        self._held_until = None

    def wake(self) -> float | None:
        """Return when `step` is to be called next; None while there is nothing to tell."""
        if self._first is None:
            return None
        if self._held_until is not None:
            return self._held_until
        return min(self._last + self.quiet, self._first + self.longest)

    def step(self, now: float, operation: str | None) -> Changes | None:
        """Given what git is in the middle of, return what is to be told now, if anything."""
        due = self.wake()
        if operation is None:
            self._outlasted = None
            due = self._released(now, due)
        if due is None or now < due or self._held(now, operation):
            return None
        changes = self.files.changes(index=self.index, heads=self.heads)
        self.files = Gathered()
        self.index = self.heads = False
        self._first = self._held_since = self._held_until = None
        return changes

    def _held(self, now: float, operation: str | None) -> bool:
        if operation is None or operation == self._outlasted:
            return False
        if self._held_since is None:
            self._held_since = now
        self._held_until = self._held_since + patience(operation)
        if now < self._held_until:
            return True
        self._outlasted = operation
        return False

    def _released(self, now: float, due: float | None) -> float | None:
        """Begin the quiet time again if the batch was held until now."""
        if self._held_since is None or due is None or self._first is None:
            return due
        if self._first < self._held_since:
            self._first = self._last = now
            self._held_until = None
        return self.wake()
