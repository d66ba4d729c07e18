"""The shape of a history: what is on the main branch, and on which branch the rest is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...memory.records import Commit
from ..brief.refs import USUAL

_HEADS = "refs/heads/"
_SLACK = 7 * 86_400
"""Seconds that clocks of different machines may be apart when a walk goes back in time."""


@dataclass(frozen=True)
class History:
    """Commits of one repository, and where its branches stand."""

    commits: Mapping[str, Commit]
    tips: Mapping[str, str]
    """Full ref name to sha."""
    default: str = ""
    """The main branch as git or a remote says it, short; empty where nobody says."""

    @cached_property
    def main(self) -> str:
        """The full name of the main branch: as git has it, else by its name, else the one that
        most was done on; empty without branches."""
        names = [_HEADS + name for name in (self.default, *USUAL) if name]
        by_name = next((name for name in names if name in self.tips), "")
        if by_name or not self.tips:
            return by_name
        sizes = {ref: len(self._reached((sha,))) for ref, sha in sorted(self.tips.items())}
        return max(sizes, key=lambda ref: sizes[ref])

    @cached_property
    def on_main(self) -> frozenset[str]:
        """What the main branch reaches."""
        return frozenset(self._reached((self.tips[self.main],)) if self.main else ())

    @cached_property
    def branch_of(self) -> Mapping[str, str]:
        """The short name of a branch for each commit that is not on the main one: of several, the
        one with the oldest tip, as a release branch has it."""
        found: dict[str, str] = {}
        others = sorted(
            (ref for ref in self.tips if ref != self.main and self.tips[ref] in self.commits),
            key=lambda ref: (self.commits[self.tips[ref]].committed, ref),
        )
        seen = set(self.on_main)
        for ref in others:
            new = self._reached((self.tips[ref],), seen)
            seen |= new
            found.update(dict.fromkeys(new, ref.removeprefix(_HEADS)))
        return found

    def reaches(self, later: str, earlier: str) -> bool:
        """Return whether a commit has another one in its past."""
        if later == earlier or earlier not in self.commits:
            return later == earlier
        oldest = self.commits[earlier].committed - _SLACK
        seen, left = {later}, [later]
        while left:
            commit = self.commits.get(left.pop())
            for parent in commit.parents if commit else ():
                if parent == earlier:
                    return True
                known = self.commits.get(parent)
                if known is not None and parent not in seen and known.committed >= oldest:
                    seen.add(parent)
                    left.append(parent)
        return False

    def past_of(self, sha: str, since: int) -> frozenset[str]:
        """Return what a commit has in its past and was committed since, itself too."""
        return frozenset(self._reached((sha,), since=since))

    def brought_by(self, merge: str, most: int = 200) -> tuple[str, ...]:
        """Return the commits, no merges, that a merge brought to its first parent's branch; none
        where they are more than ``most``."""
        commit = self.commits.get(merge)
        if commit is None or not commit.is_merge:
            return ()
        oldest = min(
            (self.commits[p].committed for p in commit.parents if p in self.commits), default=0
        )
        before = self._reached(commit.parents[:1], since=oldest - 365 * 86_400)
        brought = self._reached(commit.parents[1:], before, most=most)
        if len(brought) > most:
            return ()
        return tuple(sorted(sha for sha in brought if not self.commits[sha].is_merge))

    @cached_property
    def by_prefix(self) -> Mapping[str, Sequence[str]]:
        """The shas by their first seven digits."""
        found: dict[str, list[str]] = defaultdict(list)
        for sha in self.commits:
            found[sha[:7]].append(sha)
        return found

    def named(self, prefix: str) -> str | None:
        """Given seven digits of a sha or more, return the one commit that it names."""
        prefix = prefix.lower()
        found = [sha for sha in self.by_prefix.get(prefix[:7], ()) if sha.startswith(prefix)]
        return found[0] if len(found) == 1 else None

    def _reached(
        self,
        tips: Iterable[str],
        without: Iterable[str] = (),
        *,
        since: int | None = None,
        most: int | None = None,
    ) -> set[str]:
        stop = without if isinstance(without, (set, frozenset)) else set(without)
        left = [sha for sha in tips if sha in self.commits and sha not in stop]
        seen = set(left)
        while left and (most is None or len(seen) <= most):
            for parent in self.commits[left.pop()].parents:
                known = self.commits.get(parent)
                if known is None or parent in seen or parent in stop:
                    continue
                if since is None or known.committed >= since:
                    seen.add(parent)
                    left.append(parent)
        return seen
