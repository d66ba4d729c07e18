"""Writes a commit's files into a folder of ours, and then another's over them.

Neither the worktree nor the index is touched, no filter is run, and no attribute leaves files out.
"""

from __future__ import annotations

import glob
import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from ...ingest.git.command import Git
from ...ingest.git.errors import GitError

MOST_FILES = 20_000
MOST_BYTES = 200_000_000
_AT_ONCE = 16_000_000
_LINK = "120000"


class TooLarge(Exception):
    """A commit holds too much to be written for the sake of one test."""


@dataclass(frozen=True, slots=True)
class _Entry:
    mode: str
    blob: str
    size: int


@dataclass(slots=True)
class CommitTree:
    """A folder that holds one commit's files at a time. Blocking calls: for a thread."""

    git: Git
    root: Path
    _there: dict[str, _Entry] = field(default_factory=dict[str, _Entry])

    def bring(self, sha: str) -> None:
        """Have the folder hold that commit's files. Raise TooLarge, GitError or OSError."""
        if not self._there:
            shutil.rmtree(self.root, ignore_errors=True)
            self.root.mkdir(parents=True)
        wanted = self._entries(sha)
        if len(wanted) > MOST_FILES or sum(each.size for each in wanted.values()) > MOST_BYTES:
            raise TooLarge
        for path in [path for path, entry in self._there.items() if wanted.get(path) != entry]:
            self._remove(path)
            del self._there[path]
        missing = [path for path in wanted if path not in self._there]
        while missing:
            some, size = list[str](), 0
            while missing and (not some or size + wanted[missing[-1]].size <= _AT_ONCE):
                some.append(missing.pop())
                size += wanted[some[-1]].size
            self._write(some, wanted)

    def _entries(self, sha: str) -> dict[str, _Entry]:
        out = self.git.run("ls-tree", "-r", "-z", "-l", "--full-tree", sha)
        found: dict[str, _Entry] = {}
        for line in out.split(b"\0"):
            facts, tab, path = line.partition(b"\t")
            if not tab:
                continue
            mode, kind, blob, size = facts.decode().split()
            if kind == "blob":  # a submodule is another repository's
                found[os.fsdecode(path)] = _Entry(mode, blob, int(size))
        return found

    def _write(self, paths: list[str], wanted: dict[str, _Entry]) -> None:
        asked = "".join(f"{wanted[path].blob}\n" for path in paths).encode()
        out = memoryview(self.git.run("cat-file", "--batch", stdin=asked))
        for path in paths:
            entry = wanted[path]
            header = bytes(out[:200]).split(b"\n", 1)[0]
            if not header.endswith(b" %d" % entry.size):
                raise GitError(f"{entry.blob} is not here", hint="is the clone partial?")
            begin = len(header) + 1
            content, out = bytes(out[begin : begin + entry.size]), out[begin + entry.size + 1 :]
            target = self.root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            self._remove(path)
            if entry.mode == _LINK:
                os.symlink(os.fsdecode(content), target)
            else:
                target.write_bytes(content)
                target.chmod(0o755 if entry.mode.endswith("755") else 0o644)
            self._there[path] = entry

    def _remove(self, path: str) -> None:
        target = self.root / path
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)  # what tests made in its place
        else:
            target.unlink(missing_ok=True)
        if path.endswith(".py"):
            # Python takes a file of the same size, changed within the same second, for the same.
            for compiled in target.parent.glob(f"__pycache__/{glob.escape(target.stem)}.*"):
                compiled.unlink(missing_ok=True)
