"""Commits read as deeply as the repository allows: shallow, partial and damaged ones included."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import groupby

from .blobs import local_objects
from .command import Git
from .errors import RepositoryCorrupt
from .history import shallow_boundary
from .log import Depth, Log, RawCommit, split_body

FIRST_SLICE = 50
SLICE = 1_000
"""Commits given to one git process: what it must look up before it prints the first."""
PARTIAL_SLICE = 200
"""Commits of a partial clone held at once, while it is found out which have their blobs here."""


class Reader:
    """Reads commits, and keeps count of what could not be read."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._boundary = shallow_boundary(git) if git.is_shallow else frozenset[str]()
        self._local = local_objects(git) if git.is_partial else None
        self._counts: Counter[str] = Counter()
        self._first_damage = ""

    def read(self, shas: Sequence[str]) -> Iterator[RawCommit]:
        """Yield the commits in the given order. One that can't be read at all is left out.

        Raise a GitError if the repository is gone, or can't be read any more.
        """
        if self._local is not None:
            for some in _runs(shas, PARTIAL_SLICE):
                yield from self._partial(some)
            return
        runs = [
            (list(run), depth)
            for some in (shas[:FIRST_SLICE], *_runs(shas[FIRST_SLICE:], SLICE))
            for depth, run in groupby(some, key=self._depth)
        ]
        # The next git gets going while this one's output is worked on.
        ahead: Log | None = None
        try:
            for number, (run, depth) in enumerate(runs, start=1):
                log = ahead or Log(self._git, run, depth)
                ahead = Log(self._git, *runs[number]) if number < len(runs) else None
                yield from self._carry_on(run, depth, log)
        finally:
            if ahead is not None:
                ahead.close()

    def notes(self) -> tuple[str, ...]:
        """Say what is missing from what was read, one line for each reason."""
        damage = self._first_damage
        reasons = {
            "boundary": "at the edge of this shallow clone: known by message only;"
            " git fetch --unshallow brings the changes",
            "partial": "of this partial clone: known by message and file names only,"
            " because the content was never fetched",
            "damaged": f"damaged: known only in part ({damage})",
            "lost": f"damaged: can't be read at all ({damage})",
        }
        said = [
            f"{count:,} {'commit' if count == 1 else 'commits'} {reason}"
            for kind, reason in reasons.items()
            if (count := self._counts[kind])
        ]
        return tuple(said)

    def _depth(self, sha: str) -> Depth:
        if sha in self._boundary:
            self._counts["boundary"] += 1
            return Depth.MESSAGE
        return Depth.PATCH

    def _carry_on(
        self, shas: Sequence[str], depth: Depth, log: Log | None = None
    ) -> Iterator[RawCommit]:
        """Read commits; close in on one that is damaged, and go on behind it.

        ``log`` is a git that was started on them already.
        """
        waiting = [shas] if shas else []
        while waiting:
            some = waiting.pop()
            done = 0
            try:
                with closing(log or Log(self._git, some, depth)) as commits:
                    for commit in commits:
                        yield commit
                        done += 1
                continue
            except RepositoryCorrupt as error:
                self._first_damage = self._first_damage or error.message
            finally:
                log = None
            if len(some) == 1:
                partly = self._at_most(some[0], depth)
                if partly is not None:
                    yield partly
                continue
            # git stopped within the next commit, or, having printed none, at any of them.
            first = done + 1 if done else len(some) // 2
            waiting += (some[first:], some[done:first]) if some[first:] else (some[done:],)

    def _at_most(self, sha: str, depth: Depth) -> RawCommit | None:
        """Read one commit as deeply as its damage allows."""
        for less in (Depth.PATCH, Depth.NAMES, Depth.MESSAGE):
            if less is Depth.PATCH and depth is not Depth.PATCH:
                continue
            try:
                with closing(Log(self._git, [sha], less)) as commits:
                    for commit in commits:
                        self._counts["damaged"] += less is not depth
                        return commit
            except RepositoryCorrupt:
                continue
        self._counts["lost"] += 1
        return None

    def _partial(self, shas: Sequence[str]) -> Iterator[RawCommit]:
        """Read names first, then the diffs of those commits whose blobs are all here."""
        edge = [sha for sha in shas if self._depth(sha) is Depth.MESSAGE]
        inner = [sha for sha in shas if sha not in self._boundary]
        found = {commit.head.sha: commit for commit in self._carry_on(edge, Depth.MESSAGE)}
        named = {commit.head.sha: commit for commit in self._carry_on(inner, Depth.NAMES)}
        whole = [sha for sha, commit in named.items() if self._is_here(commit)]
        self._counts["partial"] += len(named) - len(whole)
        found |= named
        found |= {commit.head.sha: commit for commit in self._carry_on(whole, Depth.PATCH)}
        yield from (found[sha] for sha in shas if sha in found)

    def _is_here(self, commit: RawCommit) -> bool:
        assert self._local is not None
        return all(
            blob in self._local or not blob.strip(b"0") or mode == b"160000"
            for file in split_body(commit)[0]
            for blob, mode in ((file.old_blob, file.old_mode), (file.blob, file.mode))
        )


def _runs(shas: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(shas), size):
        yield shas[start : start + size]
