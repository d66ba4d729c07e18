"""Commits that say little by themselves: automatic ones (bumps and the like), of which the next one of
the same series tells more, and those that differ from others in numbers alone, as releases do. They
count for less, automatic ones that were followed by another least."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping

from ...memory.audit import VARYING
from ...memory.records import Commit, Mark
from .changes import Change

LAST, FOLLOWED = 0.8, 0.5
"""Share of the score that is left to the last of a series, and to those before it."""
WHY = "automatic commit"
LIKE_OTHERS = 0.8
"""Share of the score that is left to one that differs from others in numbers alone: it is found by
its numbers, and does not fill a list."""
SAME = "the same but for numbers"

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


def same_but_for_numbers(
    repo: str,
    commits: Mapping[str, Commit],
    messages: Mapping[str, str],
    read: Callable[[Collection[Commit]], Mapping[str, Change]],
) -> list[Mark]:
    """Return the marks of commits whose message and changed lines are those of another one, but for
    numbers. ``read`` returns what commits changed, by sha."""
    forms: dict[str, list[Commit]] = defaultdict(list)
    for sha, text in messages.items():
        commit = commits.get(sha)
        if commit is not None and commit.files and not commit.is_merge:
            forms[VARYING.sub("0", text.strip())].append(commit)
    alike = [commit for each in forms.values() if len(each) > 1 for commit in each]
    changes = read(alike)
    several: dict[object, list[str]] = defaultdict(list)
    for commit in alike:
        message = VARYING.sub("0", messages[commit.sha].strip())
        several[message, _form(changes[commit.sha])].append(commit.sha)
    return [
        Mark(repo, sha, weight=LIKE_OTHERS, why=SAME)
        for sha in sorted(sha for shas in several.values() if len(shas) > 1 for sha in shas)
    ]


def _form(change: Change) -> tuple[tuple[str, str, int], ...]:
    lines: Counter[tuple[str, str]] = Counter()
    for (sign, line), number in change.lines.items():
        lines[sign, VARYING.sub("0", line)] += number
    return tuple(sorted((sign, line, number) for (sign, line), number in lines.items()))
