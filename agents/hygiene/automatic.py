"""Automatic commits: version bumps and the like, of which the next one of the same series tells
more. They count for less, the ones that were followed by another least."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from ...memory.records import Commit, Mark

LAST, FOLLOWED = 0.8, 0.5
"""Share of the score that is left to the last of a series, and to those before it."""
WHY = "automatic commit"

_MACHINE = re.compile(
    r"\[bot\]|^(?:dependabot|renovate|pre-commit-ci|pyup-bot|greenkeeper)\b", re.IGNORECASE
)
_SERIES = re.compile(
    r"^(?:\w+(?:\([^)]*\))?!?: )?(?:\[[^\]]*\] ?)*"
    r"(?:bump \S+ from \S+ to \S+|bump the \S+ group|bump \S+ and \S+"
    r"|update dependency \S+ to|lock file maintenance|pre-commit autoupdate"
    r"|auto(?:matic)? fixes from pre-commit)",
    re.IGNORECASE,
)
_VERSION = re.compile(r"\bv?\d+(?:\.\d+)*\S*|\(#\d+\)|#\d+")


def is_automatic(commit: Commit) -> bool:
    """Return whether a program made a commit, by its author or by its subject."""
    by = f"{commit.author} {commit.email.partition('@')[0]}"
    return bool(_MACHINE.search(by) or _SERIES.match(commit.subject))


def marks(repo: str, commits: Iterable[Commit]) -> list[Mark]:
    """Return the marks of automatic commits."""
    series: dict[str, list[Commit]] = defaultdict(list)
    for commit in commits:
        if not commit.is_merge and is_automatic(commit):
            series[_VERSION.sub("0", commit.subject.casefold())].append(commit)
    found: list[Mark] = []
    for each in series.values():
        each.sort(key=lambda commit: (commit.committed, commit.sha))
        weights = [FOLLOWED] * (len(each) - 1) + [LAST]
        found += [Mark(repo, c.sha, weight=w, why=WHY) for c, w in zip(each, weights, strict=True)]
    return sorted(found, key=lambda mark: mark.ref)
