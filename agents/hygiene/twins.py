"""Exact duplicates: one change that is in the history several times, picked onto release branches
or left behind by a rebase. Each is folded into the one that stands for it.

Who wrote it and when survives a cherry-pick and a rebase, and so does the subject; or the message
says what it was picked from; or the same was done to the same files again. Only what then changes
the same lines counts.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...memory.records import Commit, Mark
from .changes import Change, likeness
from .history import History

SAME = 0.8
"""How like two changes must be (Dice): a pick may meet other surroundings, and release notes have
a file of their own on each branch."""
EXACT = 0.98
"""The same for two that were made at different times, and don't say that one is from the other."""
CHERRY_PICK, COPY = "cherry-pick", "copy"

_PICKED = re.compile(
    r"^\W*(?:cherry[ -]picked from(?: commit)?|backport of|backported from)\W+([0-9a-f]{7,64})\b",
    re.IGNORECASE | re.MULTILINE,
)
_AROUND = re.compile(
    r"^(?:\[[^\]]{1,30}\]\s*)+"  # the branch it was picked onto: [7.4.x]
    r"|\s*\((?:#|GH-)\d+\)(?=\s*(?:\(|$))"  # the pull request it came by
    r"|\s*\(cherry[ -]picked from[^)]*\)?$",
    re.IGNORECASE,
)

Read = Callable[[Collection[Commit]], Mapping[str, Change]]
"""Given commits, returns what each changed, by sha."""


@dataclass(frozen=True, slots=True)
class Fold:
    """A commit, and the one that stands for it."""

    sha: str
    into: str
    picked: bool
    """Whether its message says that it was picked."""


def bare(subject: str) -> str:
    """Return a subject without what is put around it when it is picked or merged."""
    return " ".join(_AROUND.sub("", subject).casefold().split())


def picked_from(message: str) -> list[str]:
    """Return the shas, perhaps short, that a message says its change was picked from."""
    return _PICKED.findall(message)


def candidates(history: History, messages: Mapping[str, str]) -> list[list[str]]:
    """Return groups of commits that may be one change, by who, when and what, and by what they say
    they were picked from. ``messages`` by sha; only those that say so are needed."""
    joined: dict[str, str] = {}

    def root(sha: str) -> str:
        while (up := joined.get(sha, sha)) != sha:
            sha = up
        return sha

    same: dict[tuple[object, ...], str] = {}
    for sha in sorted(history.commits):
        commit = history.commits[sha]
        if not commit.is_merge:
            who = commit.email.casefold() or commit.author.casefold()
            subject = bare(commit.subject)
            paths = frozenset(file.path for file in commit.files)
            for key in ((who, subject, commit.time), (who, subject, paths)):
                joined[root(sha)] = root(same.setdefault(key, sha))
        for prefix in picked_from(messages.get(sha, "")):
            origin = history.named(prefix)
            if origin is not None and origin != sha:
                joined[root(sha)] = root(_meant(history, origin))
    groups: dict[str, list[str]] = defaultdict(list)
    for sha in sorted(joined):
        groups[root(sha)].append(sha)
    return [group for group in groups.values() if len(group) > 1]


def _meant(history: History, origin: str) -> str:
    """What a pick of a merge was picked from: where it brought one commit, that one."""
    brought = history.brought_by(origin)
    return brought[0] if len(brought) == 1 else origin


def folds(
    history: History, groups: Iterable[Sequence[str]], messages: Mapping[str, str], read: Read
) -> list[Fold]:
    """Given groups of candidates, return which are folded into which: those that change the same
    into the one on the main branch, the oldest where there are several."""
    found: list[Fold] = []
    for group in groups:
        left = sorted(group, key=lambda sha: _first(history, sha))
        changes = _changes(history, left, read)
        while len(left) > 1:
            stands, *others = left
            left = list[str]()
            for sha in others:
                picked = bool(picked_from(messages.get(sha, "")))
                if _same(history, changes, sha, stands, picked=picked):
                    found.append(Fold(sha, stands, picked))
                else:
                    left.append(sha)
    return found


def _same(
    history: History, changes: Mapping[str, Change], sha: str, stands: str, *, picked: bool
) -> bool:
    like = likeness(changes[sha], changes[stands])
    if picked or history.commits[sha].time == history.commits[stands].time:
        return like >= SAME
    # Made at another time: only lines can tell, an image that was changed twice can not.
    return like >= EXACT and bool(changes[sha].lines)


def _first(history: History, sha: str) -> tuple[bool, int, str]:
    return (sha not in history.on_main, history.commits[sha].committed, sha)


def _changes(history: History, group: Sequence[str], read: Read) -> dict[str, Change]:
    """What each commit of a group changed; a merge, all that it brought, as far as that is known."""
    brought = {
        sha: history.brought_by(sha) if history.commits[sha].is_merge else (sha,) for sha in group
    }
    changes = read([history.commits[sha] for shas in brought.values() for sha in shas])
    found: dict[str, Change] = {}
    for sha, parts in brought.items():
        found[sha] = Change(unread=set() if parts else {(sha, "")})
        for part in parts:
            found[sha].add(changes[part])
    return found


def marks(repo: str, history: History, found: Iterable[Fold]) -> list[Mark]:
    """Return the marks of folded commits."""
    return [
        Mark(
            repo,
            fold.sha,
            folded_into=fold.into,
            why=CHERRY_PICK if fold.picked or fold.sha in history.branch_of else COPY,
            branch=history.branch_of.get(fold.sha, ""),
        )
        for fold in found
    ]
