"""Which commits came with which pull request, by the merges that brought them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .look import Done

_MERGES = (
    re.compile(r"^Merge pull request (?P<key>#\d+) from (?P<branch>\S+)"),
    re.compile(r"^Merged in (?P<branch>\S+) \(pull request (?P<key>#\d+)\)"),
    re.compile(r"^Merge branch '(?P<branch>[^']+)' into '(?:main|master|develop|trunk)'"),
)
_GITLAB = re.compile(r"^See merge request \S*?(?P<key>!\d+)\s*$", re.MULTILINE)
_SQUASHED = re.compile(r"\((?P<key>[#!]\d+)\)$")


@dataclass(frozen=True, slots=True)
class Pull:
    """A pull request that was merged."""

    key: str
    """``#482``; a merge request's is ``!482``."""
    title: str
    """Empty if the merge does not say it."""
    merge: Done | None = None


def pulls_of(
    merges: Iterable[Done], graph: Mapping[str, tuple[str, ...]], main: Sequence[str]
) -> dict[str, Pull]:
    """Return, by the sha of each commit they brought, the pull requests that were merged into the
    main branch."""
    line: set[str] = set()
    for tip in main:
        while tip in graph and tip not in line:
            line.add(tip)
            tip = graph[tip][0] if graph[tip] else ""
    found: dict[str, Pull] = {}
    for merge in sorted(merges, key=lambda done: done.committed):
        pull = pull_of(merge)
        if pull is None or merge.sha not in line:
            continue
        found[merge.sha] = pull
        waiting = [parent for parent in merge.parents[1:] if parent in graph]
        while waiting:
            sha = waiting.pop()
            if sha not in line and sha not in found:
                found[sha] = pull
                waiting += [parent for parent in graph[sha] if parent in graph]
    return found


def pull_of(merge: Done) -> Pull | None:
    """Return the pull request that a merge says it merges; None if it says of none."""
    paragraph = merge.body.partition("\n")[0].strip()
    for form in _MERGES:
        match = form.match(merge.subject)
        if match is None:
            continue
        key = match.groupdict().get("key")
        if key is None:
            gitlab = _GITLAB.search(merge.body)
            if gitlab is None:
                return None
            key = gitlab["key"]
        return Pull(key, "" if _GITLAB.match(paragraph) else paragraph, merge)
    return None


def squashed(subject: str) -> str:
    """Return the pull request that a subject ends with, as ``(#482)``; empty if it does not."""
    match = _SQUASHED.search(subject)
    return match["key"] if match else ""
