"""Whether a branch's work is on the main branch in another shape: squashed, rebased, or by hand.

No claim is made where it would cost too much to find out, or where it was taken back.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from ...ingest.git.command import COMPARING, DIFF_OPTIONS, Git
from ...ingest.git.errors import GitError

MOST_COMMITS = 200
"""Of a branch."""
MOST_PATHS = 500
"""That a branch changes."""
MOST_CANDIDATES = 300
"""Commits of the main branch that touch the same files."""
SECONDS = 2.0
"""For one call of git; what takes longer makes no claim."""

_NAMES = ("-r", "-z", "--name-only", "--no-renames", *COMPARING)
_PATCH = ("--no-renames", "--full-index", *DIFF_OPTIONS, "--unified=1")
"""With little around a change: main goes on while a branch waits to be merged."""
_LOG = ("log", "--patch", "--no-merges", "--no-show-signature", "--no-notes", "--no-decorate")
_HEAD = re.compile(rb"^commit (?P<sha>[0-9a-f]+)\n(?:\w+:.*\n)*\n    (?P<title>.*)$", re.MULTILINE)
_REVERT = re.compile(rb"^    (?:\* )?Revert \"(.+)\"", re.MULTILINE)
_REVERTS = re.compile(rb"^ {4,}This reverts commit ([0-9a-f]{40,64})", re.MULTILINE)
_BINARY = re.compile(rb"^Binary files .* differ$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Landed:
    """A branch of which nothing is missing on the main one."""

    commits: frozenset[str] = frozenset()
    """The commits of the main branch that have its changes, where that is known."""


def landed(
    git: Git, tip: str, commits: Sequence[str], main: Sequence[str], until: float
) -> Landed | None:
    """Say whether all that a branch changes is on a main branch; None if not, or not known.

    ``commits``: the branch's own, ``main``: where the main branch stands, here and on remotes.
    ``until``: when to give up, as time.monotonic counts.
    """
    if not commits or len(commits) > MOST_COMMITS:
        return None
    for sha in dict.fromkeys(main):
        try:
            found = _Comparison(git, tip, commits, sha, until).found()
        except GitError:  # it takes too long, or nothing is in common
            continue
        if found is not None:
            return found
    return None


@dataclass(frozen=True, slots=True)
class _Comparison:
    """A branch beside one main branch. All raise GitError."""

    git: Git
    tip: str
    commits: Sequence[str]
    main: str
    until: float

    def found(self) -> Landed | None:
        base = self._run("merge-base", self.main, self.tip).decode().strip()
        changed = self._differing(base, self.tip)
        if not changed or len(changed) > MOST_PATHS:
            return None
        paths = [f":(literal){os.fsdecode(path)}" for path in sorted(changed)]
        by_patch = self._by_patch(base, paths)
        if by_patch is not None:
            return by_patch
        return None if changed & self._differing(self.main, self.tip) else Landed()

    def _run(self, *args: str, stdin: bytes = b"") -> bytes:
        left = min(SECONDS, max(0.01, self.until - time.monotonic()))
        return self.git.run(*args, stdin=stdin, timeout=left)

    def _differing(self, one: str, other: str) -> set[bytes]:
        said = self._run("diff-tree", *_NAMES, one, other, "--")
        return {path for path in said.split(b"\0") if path}

    def _by_patch(self, base: str, paths: Sequence[str]) -> Landed | None:
        """Look for the branch's change as one commit of the main branch, or each of its commits as
        one of them. Of the main branch's commits only what they do to the branch's files counts."""
        since = (f"{base}..{self.main}", "--", *paths)
        most = f"--max-count={MOST_CANDIDATES + 1}"
        number = int(self._run("rev-list", "--count", "--no-merges", most, *since))
        if not 0 < number <= MOST_CANDIDATES:
            return None
        whole = self._run("diff", *_PATCH, base, self.tip, "--", *paths)
        if _BINARY.search(whole):
            return None  # a patch's id tells no binary file from another
        theirs = self._run(*_LOG, *_PATCH, *since)
        back = _taken_back(theirs)
        by_id = {id_: sha for sha, id_ in self._ids(theirs) if sha not in back}
        squash = [by_id[id_] for _, id_ in self._ids(whole) if id_ in by_id]
        if squash:
            return Landed(frozenset(squash))
        own = self._run(*_LOG, *_PATCH, "--no-walk", *self.commits, "--", *paths)
        ids = [id_ for _, id_ in self._ids(own)]
        if ids and all(id_ in by_id for id_ in ids):
            return Landed(frozenset(by_id[id_] for id_ in ids))
        return None

    def _ids(self, patches: bytes) -> list[tuple[str, str]]:
        """Return the commit (zeros where there is none) and the id of each of some patches."""
        said = self._run("patch-id", "--stable", stdin=patches).decode("ascii")
        pairs = (line.split() for line in said.splitlines())
        return [(sha, id_) for id_, sha in pairs]


def _taken_back(log: bytes) -> frozenset[str]:
    """Return the commits of a log that a later one says to revert, by sha or by title."""
    titles = {match["sha"]: match["title"] for match in _HEAD.finditer(log)}
    reverted = {match[1] for match in _REVERT.finditer(log)}
    shas = {match[1] for match in _REVERTS.finditer(log)}
    return frozenset(
        sha.decode() for sha, title in titles.items() if sha in shas or title in reverted
    )
