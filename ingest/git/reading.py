"""Commits read as deeply as the repository allows: shallow, partial and damaged ones included."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from .blobs import local_objects
from .command import Git
from .errors import RepositoryCorrupt
from .history import shallow_boundary
from .log import Depth, RawCommit, read_log, split_body

FIRST_SLICE = 50
SLICE = 2_000
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
        for some in (shas[:FIRST_SLICE], *_runs(shas[FIRST_SLICE:], SLICE)):
            yield from self._slice(some)

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

    def _slice(self, shas: Sequence[str]) -> Iterator[RawCommit]:
        depths = dict.fromkeys(self._boundary.intersection(shas), Depth.MESSAGE)
        self._counts["boundary"] += len(depths)
        if self._local is not None:
            for some in _runs(shas, PARTIAL_SLICE):
                at_hand = self._partial([sha for sha in some if sha not in depths])
                edge = [sha for sha in some if sha in depths]
                at_hand |= {found.head.sha: found for found in self._carry_on(edge, Depth.MESSAGE)}
                yield from (at_hand[sha] for sha in some if sha in at_hand)
            return
        for depth, run in groupby(shas, key=lambda sha: depths.get(sha, Depth.PATCH)):
            yield from self._carry_on(list(run), depth)

    def _carry_on(self, shas: Sequence[str], depth: Depth) -> Iterator[RawCommit]:
        """Read commits; close in on one that is damaged, and go on behind it."""
        waiting = [shas] if shas else []
        while waiting:
            some = waiting.pop()
            done = 0
            try:
                for commit in read_log(self._git, some, depth):
                    yield commit
                    done += 1
                continue
            except RepositoryCorrupt as error:
                self._first_damage = self._first_damage or error.message
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
                for commit in read_log(self._git, [sha], less):
                    self._counts["damaged"] += less is not depth
                    return commit
            except RepositoryCorrupt:
                continue
        self._counts["lost"] += 1
        return None

    def _partial(self, shas: Sequence[str]) -> dict[str, RawCommit]:
        """Read names first, then the diffs of those commits whose blobs are all here."""
        named = {commit.head.sha: commit for commit in self._carry_on(shas, Depth.NAMES)}
        whole = [sha for sha, commit in named.items() if self._is_here(commit)]
        self._counts["partial"] += len(named) - len(whole)
        return named | {commit.head.sha: commit for commit in self._carry_on(whole, Depth.PATCH)}

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
