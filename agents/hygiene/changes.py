"""What a commit changed, as lines, read from its chunks: to tell whether two commits do the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from ...memory.records import Chunk, Commit, Kind, chunk_id
from ...memory.store import Store

_AT_ONCE = 2_000
"""Chunks that are fetched together."""

Lines = Counter[tuple[str, str]]
"""Signs (``+`` or ``-``) and lines without what is around them, each with how often it occurs."""


@dataclass(slots=True)
class Change:
    """What one commit, or several together, changed."""

    lines: Lines = field(default_factory=Lines)
    paths: set[str] = field(default_factory=set[str])
    unread: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    """Files of which no line is known (renamed, binary, generated), and what was done to them."""

    def add(self, other: Change) -> None:
        """Take in what another commit changed."""
        self.lines += other.lines
        self.paths |= other.paths
        self.unread |= other.unread


def likeness(one: Change, other: Change) -> float:
    """Return how much two changes are the same, 0..1: Dice's coefficient of their lines and of the
    files without. Two that changed nothing at all are the same."""
    shared = (one.lines & other.lines).total() + len(one.unread & other.unread)
    total = one.lines.total() + other.lines.total() + len(one.unread) + len(other.unread)
    return 2 * shared / total if total else 1.0


def undone(change: Change, by: Change) -> float:
    """Return which share of a change's lines another one takes back, 0..1.

    Where no line is known, all of it if the other touches the same files, else nothing.
    """
    if not change.lines:
        return 1.0 if change.paths and change.paths <= by.paths else 0.0
    back = Lines({("-" if sign == "+" else "+", line): n for (sign, line), n in by.lines.items()})
    return (change.lines & back).total() / change.lines.total()


def redone(change: Change, by: Change) -> float:
    """Return which share of the lines that a change added another one adds too, 0..1; of one that
    took away more than it added, which share of those."""
    added = Lines({key: n for key, n in change.lines.items() if key[0] == "+"})
    removed = change.lines - added
    wanted = removed if removed.total() > added.total() else added
    return (wanted & by.lines).total() / wanted.total() if wanted else 0.0


def read_changes(store: Store, commits: Collection[Commit]) -> dict[str, Change]:
    """Given commits, return what each changed."""
    wanted = {
        chunk_id(commit.repo, commit.sha, file.path, 0): commit.sha
        for commit in commits
        for file in commit.files
    }
    found = {
        commit.sha: Change(
            paths={path for f in commit.files for path in (f.path, f.old_path) if path},
            unread={(file.path, file.change) for file in commit.files},
        )
        for commit in commits
    }
    ids = list(wanted)
    for start in range(0, len(ids), _AT_ONCE):
        for chunk in store.fetch(ids[start : start + _AT_ONCE]).values():
            change = found[chunk.ref]
            if lines := Lines(changed_lines(chunk.text)):
                change.lines += lines
                change.unread = {file for file in change.unread if file[0] != chunk.path}
    return found


def changed_lines(text: str) -> Iterable[tuple[str, str]]:
    """Given a file's diff, return its added and removed lines; blank ones say nothing."""
    if not text.startswith("--- "):
        return  # a line that stands for what is not kept
    for line in text.split("\n")[2:]:
        if line[:1] in ("+", "-") and line[1:].strip():
            yield line[0], line[1:].strip()


def read_messages(store: Store, commits: Collection[Commit]) -> dict[str, Chunk]:
    """Given commits, return the chunk of each one's message."""
    ids = [chunk_id(commit.repo, commit.sha, "", 0) for commit in commits]
    found: dict[str, Chunk] = {}
    for start in range(0, len(ids), _AT_ONCE):
        chunks = store.fetch(ids[start : start + _AT_ONCE]).values()
        found.update((chunk.ref, chunk) for chunk in chunks if chunk.kind is Kind.MESSAGE)
    return found
