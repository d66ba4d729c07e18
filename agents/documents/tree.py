"""The files of a repository at a revision, listed once and read in one go."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ...ingest.git.command import Git

MAX_BLOB = 2_000_000
"""Bytes of a file that is read."""
MAX_READ = 300_000_000
"""Bytes that are read at once; what comes after that is not read."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file in a tree."""

    path: str
    mode: str
    blob: str
    size: int

    @property
    def is_file(self) -> bool:
        """A file, not a link or a submodule."""
        return self.mode.startswith("100")


@dataclass(frozen=True, slots=True)
class Tree:
    """The files at a revision."""

    git: Git
    rev: str
    entries: Mapping[str, Entry]
    folders: frozenset[str]
    """Paths of folders, without the slash at the end; submodules and linked folders included."""
    names: Mapping[str, tuple[str, ...]] = field(repr=False)
    """Paths by their last part."""

    @classmethod
    def at(cls, git: Git, rev: str) -> Tree:
        """List the tree of a revision. Raise a GitError subclass if it is not there."""
        entries: dict[str, Entry] = {}
        folders: set[str] = set()
        names: dict[str, list[str]] = {}
        listed = git.run("ls-tree", "-r", "-z", "-l", "--full-tree", rev)
        for record in listed.split(b"\0"):
            facts, tab, raw = record.partition(b"\t")
            if not tab:
                continue
            mode, _, blob, size = facts.split()
            path = os.fsdecode(raw)
            entry = Entry(path, mode.decode(), blob.decode(), int(size) if size.isdigit() else 0)
            entries[path] = entry
            names.setdefault(path.rpartition("/")[2], []).append(path)
            if not entry.is_file:
                folders.add(path)
            parent = path.rpartition("/")[0]
            while parent and parent not in folders:
                folders.add(parent)
                parent = parent.rpartition("/")[0]
        return cls(
            git, rev, entries, frozenset(folders),
            {name: tuple(paths) for name, paths in names.items()},
        )  # fmt: skip

    def has(self, path: str) -> bool:
        """Say whether a file or folder of that path is there."""
        return path in self.entries or path.rstrip("/") in self.folders

    def read(self, blobs: Iterable[str]) -> dict[str, bytes]:
        """Return the contents of blobs; without those that are too large or not here."""
        return read_blobs(self.git, blobs)


def read_blobs(git: Git, blobs: Iterable[str]) -> dict[str, bytes]:
    """Return the contents of blobs, by one git process; without those that are not here."""
    wanted = list(dict.fromkeys(blobs))
    if not wanted:
        return {}
    found: dict[str, bytes] = {}
    asked = b"".join(blob.encode() + b"\n" for blob in wanted)
    with git.stream("cat-file", "--batch", "--buffer", stdin=asked) as blocks:
        data = bytearray()
        total = 0
        need = -1
        name = ""
        for block in blocks:
            data += block
            while True:
                if need < 0:
                    end = data.find(b"\n")
                    if end < 0:
                        break
                    words = bytes(data[:end]).split()
                    del data[: end + 1]
                    if len(words) < 3:  # missing
                        continue
                    name, need = words[0].decode(), int(words[2])
                if len(data) <= need:
                    break
                if need <= MAX_BLOB:
                    found[name] = bytes(data[:need])
                total += need
                del data[: need + 1]
                need = -1
            if total > MAX_READ:
                break
    return found
