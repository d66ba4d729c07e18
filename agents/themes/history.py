"""When commits came to the main branch, with which pull request, and on which branch they wait."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ...memory.graph import Node
from ..brief.pulls import squashed

MAIN = ("main", "master", "trunk", "develop", "dev", "default")
"""What the main branch is called, the likeliest first."""
MOST_BROUGHT = 300
"""Commits of one merge that are counted as brought by it."""
MOST_STEPS = 20_000
"""Commits that are looked at for one merge."""

_LASTING = re.compile(
    r"^(?:stable|lts|maint(?:enance)?|releases?|(?:releases?|stable|maint)[-/].+|.+[-/]stable"
    r"|v?\d+(?:[._]\d+)*(?:[._-][xX])?(?:-maintenance)?)$"
)
"""Branches that releases are made from: what is on one of them is done."""
PUBLISHED = re.compile(r"^(?:gh-pages|pages|published)$")
"""A branch of what was made from others by a machine: nobody worked on it."""
_PULL = (
    re.compile(r"^Merge pull request (?P<key>#\d+) from (?P<branch>\S+)"),
    re.compile(r"^Merged in (?P<branch>\S+) \(pull request (?P<key>#\d+)\)"),
)
_BRANCH = re.compile(r"^Merge (?:remote-tracking )?branch '(?P<branch>[^']+)'")


@dataclass(frozen=True, slots=True)
class Merge:
    """A merge that brought work."""

    sha: str
    key: str
    """The pull request's, ``#482``; empty where it says of none."""
    branch: str
    brings: tuple[str, ...]
    """The commits that came with it, the first committed first."""


@dataclass(frozen=True, slots=True)
class History:
    """What the shape of history tells of commits, by sha."""

    nodes: Mapping[str, Node]
    landed: Mapping[str, int]
    """When they came to the main branch, or to one that releases are made from."""
    merges: Mapping[str, Merge]
    """By the merge's own sha."""
    pulls: Mapping[str, str] = field(default_factory=dict[str, str])
    """The key of the pull request that brought them."""
    branches: Mapping[str, str] = field(default_factory=dict[str, str])
    """The branch that they wait on."""


def read(nodes: Sequence[Node], tips: Mapping[str, str], since: int) -> History:
    """Given commits in the order of their committing and where branches stand, return what that
    tells; of merges only those committed ``since`` then."""
    by_sha = {node.sha: node for node in nodes}
    heads = {
        ref.removeprefix("refs/heads/"): sha
        for ref, sha in sorted(tips.items())
        if ref.startswith("refs/heads/") and sha in by_sha
    }
    lines = lines_of(heads, by_sha)
    landed = _landed(by_sha, [heads[name] for name in lines])
    merges = {
        node.sha: merge
        for node in nodes
        if len(node.parents) > 1 and node.committed >= since
        for merge in (_merge(node, by_sha, lines),)
        if merge is not None
    }
    pulls: dict[str, str] = {}
    for merge in merges.values():
        if merge.key:
            # Taken in is taken in, also on a branch that the main one has later.
            when = by_sha[merge.sha].committed
            for sha in (merge.sha, *merge.brings):
                pulls.setdefault(sha, merge.key)
                landed[sha] = min(when, landed.get(sha, when))
    return History(by_sha, landed, merges, pulls, _waiting(heads, lines, by_sha, landed))


def lines_of(heads: Mapping[str, str], nodes: Mapping[str, Node]) -> list[str]:
    """Return the names of the main branch and of those that releases are made from."""
    found = [name for name in MAIN if name in heads][:1]
    lasting = [name for name in heads if _LASTING.match(name)]
    if not found and heads:
        others = [name for name in heads if name not in lasting] or list(heads)
        found = [max(others, key=lambda name: (nodes[heads[name]].committed, name))]
    return found + [name for name in lasting if name not in found]


def _landed(nodes: Mapping[str, Node], tips: Sequence[str]) -> dict[str, int]:
    landed: dict[str, int] = {}
    for tip in tips:
        line: list[str] = []
        seen: set[str] = set()
        while tip in nodes and tip not in seen:
            seen.add(tip)
            line.append(tip)
            tip = next(iter(nodes[tip].parents), "")
        reached: set[str] = set()
        for sha in reversed(line):
            when = nodes[sha].committed
            waiting = [sha]
            while waiting:
                each = waiting.pop()
                if each in reached or each not in nodes:
                    continue
                reached.add(each)
                landed[each] = min(when, landed.get(each, when))
                waiting += [parent for parent in nodes[each].parents if parent not in seen]
    return landed


def _merge(node: Node, nodes: Mapping[str, Node], lines: Sequence[str]) -> Merge | None:
    key, branch = named(node.subject)
    plain = branch.removeprefix("origin/").removeprefix("upstream/")
    if not key and (not plain or plain in (*lines, *MAIN) or _LASTING.match(plain)):
        return None
    brings = tuple(brought(node, nodes))
    return Merge(node.sha, key, branch, brings) if brings else None


def named(subject: str) -> tuple[str, str]:
    """Given a merge's subject, return the pull request's key and the branch that it names."""
    for form in _PULL:
        match = form.match(subject)
        if match is not None:
            return match["key"], match["branch"]
    key = squashed(subject)
    match = _BRANCH.match(subject)
    return key, match["branch"] if match is not None else ""


def brought(merge: Node, nodes: Mapping[str, Node]) -> Iterator[str]:
    """Yield what a merge brought: commits that its other parents reach and its first does not.

    Both sides are walked together, the last committed first, until all that is left is reached by
    both, as git finds a merge base.
    """
    ours, theirs, both = 1, 2, 3
    flags: dict[str, int] = {}
    waiting: list[tuple[int, str]] = []

    def reach(sha: str, flag: int) -> None:
        if sha in nodes and flags.get(sha, 0) | flag != flags.get(sha, 0):
            flags[sha] = flags.get(sha, 0) | flag
            heapq.heappush(waiting, (-nodes[sha].committed, sha))

    for place, parent in enumerate(merge.parents):
        reach(parent, theirs if place else ours)
    found: list[str] = []
    steps = 0
    while waiting and steps < MOST_STEPS and any(flags[sha] == theirs for _, sha in waiting):
        steps += 1
        _, sha = heapq.heappop(waiting)
        if flags[sha] == theirs:
            found.append(sha)
        for parent in nodes[sha].parents:
            reach(parent, flags[sha])
    kept = [sha for sha in dict.fromkeys(found) if flags[sha] != both]
    return reversed(kept[:MOST_BROUGHT])


def _waiting(
    heads: Mapping[str, str],
    lines: Sequence[str],
    nodes: Mapping[str, Node],
    landed: Mapping[str, int],
) -> dict[str, str]:
    """Return the branch of each commit that has not landed; of several the smallest."""
    sets: list[tuple[int, str, list[str]]] = []
    for name, tip in heads.items():
        if name in lines:
            continue
        seen: set[str] = set()
        waiting = [tip]
        while waiting:
            sha = waiting.pop()
            if sha in nodes and sha not in landed and sha not in seen:
                seen.add(sha)
                waiting += nodes[sha].parents
        sets.append((len(seen), name, sorted(seen)))
    found: dict[str, str] = {}
    for _, name, shas in sorted(sets):
        for sha in shas:
            found.setdefault(sha, name)
    return found
