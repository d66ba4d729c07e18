"""Puts commits together that are one piece of work: by pull request, branch, ticket, scope, file and
words, in this order."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ...ingest.git.classify import by_path
from ...memory.records import Content
from ..commits.paths import is_changelog, role_of
from ..commits.tickets import of_branch
from ..joining import Joined
from ..subjects import without_verbs
from ..words import word_list
from .look import Branch, Done
from .pulls import Pull, squashed

MOST_COMPARED = 200
"""Pieces of work whose words are compared, each with each."""

_SCOPED = re.compile(r"^(?P<kind>[a-z]{2,10})\((?P<scope>[^)]{1,40})\)!?:")
_SCOPE = re.compile(r"^(?P<scope>[\w./-]{2,30}): ")
_KINDS = frozenset(
    {
        *("feat", "fix", "docs", "doc", "test", "tests", "refactor", "build", "ci", "style"),
        *("chore", "perf", "revert", "wip", "bugfix", "feature", "deps", "misc"),
    }
)
_COMMON_TEXT = """
    add added adds fix fixed fixes update updated updates remove removed use used make made support
    improve improved change changed bump new more some the for from with and not into when that
    test tests docs doc code file files
"""
_COMMON = frozenset(_COMMON_TEXT.split())
_ORDER = ("code", "test", "docs", "config", "manifest", "ci", "asset", "aside")


@dataclass(frozen=True, slots=True)
class Group:
    """One piece of work."""

    commits: tuple[Done, ...]
    """Newest first; without merges."""
    pull: Pull | None = None
    branch: str = ""
    """The branch that it is on, where it is not on the main one yet."""
    tickets: tuple[str, ...] = ()

    @property
    def added(self) -> int:
        """Lines."""
        return sum(file.added or 0 for done in self.commits for file in done.files)

    @property
    def removed(self) -> int:
        """Lines."""
        return sum(file.removed or 0 for done in self.commits for file in done.files)

    @property
    def paths(self) -> list[str]:
        """The files that it is about, the one that changed most first; code before its tests."""
        return ranked(self.commits)

    @property
    def key(self) -> str:
        """The same from day to day while the work goes on."""
        if self.pull is not None:
            return self.pull.key
        if self.branch:
            return self.branch
        return self.tickets[0] if self.tickets else self.commits[-1].short


def group(
    commits: Sequence[Done], pulls: Mapping[str, Pull], branches: Collection[Branch]
) -> list[Group]:
    """Given commits counted once, newest first, return them as pieces of work, in the order of
    their newest commit."""
    on = {
        done.sha: branch.name
        for branch in branches
        for done in branch.commits
        if done.sha not in pulls
    }
    joined = Joined(len(commits))
    for keys in (
        [_pull(done, pulls) for done in commits],
        [f"branch {on[d.sha]}" if d.sha in on else "" for d in commits],
        [_ticket(done) for done in commits],
    ):
        joined.by_key(keys)
    loose = [
        place
        for place, done in enumerate(commits)
        if not _pull(done, pulls) and done.sha not in on and not _ticket(done)
    ]
    joined.by_key(
        _only(
            loose,
            [
                f"{d.email} scope {scope_in(d.subject)}" if scope_in(d.subject) else ""
                for d in commits
            ],
        )
    )
    joined.by_key(_only(loose, [_own_file(done) for done in commits]))
    joined.by_words(loose[:MOST_COMPARED], [words_of(done.subject) for done in commits])
    found = [_group([commits[place] for place in places], pulls, on) for places in joined.sets()]
    return sorted(found, key=lambda each: -max(done.at for done in each.commits))


def _group(commits: Sequence[Done], pulls: Mapping[str, Pull], on: Mapping[str, str]) -> Group:
    pull = next((pulls[done.sha] for done in commits if done.sha in pulls), None)
    if pull is None:
        keys = [squashed(done.subject) for done in commits]
        key = next((key for key in keys if key), "")
        pull = Pull(key, "") if key else None
    names = [on[done.sha] for done in commits if done.sha in on]
    branch = Counter(names).most_common(1)[0][0] if names else ""
    tickets = dict.fromkeys(t for done in commits for t in _own_tickets(done))
    told = of_branch(branch) if branch else None
    if told is not None:
        tickets = {told.key: None, **tickets}
    if pull is not None:
        tickets.pop(pull.key, None)
    return Group(tuple(commits), pull, branch, tuple(tickets)[:3])


def _pull(done: Done, pulls: Mapping[str, Pull]) -> str:
    if done.sha in pulls:
        return f"pull {pulls[done.sha].key}"
    key = squashed(done.subject)
    return f"pull {key}" if key else ""


def _own_tickets(done: Done) -> list[str]:
    # A commit that names many is a release, a changelog or a merge of all.
    return list(done.tickets) if len(done.tickets) <= 3 else []


def _ticket(done: Done) -> str:
    key = squashed(done.subject)
    found = [ticket for ticket in _own_tickets(done) if ticket != key]
    return f"ticket {found[0]}" if found else ""


def _own_file(done: Done) -> str:
    """Return the file that a commit is about, if it is about one."""
    paths = [path for path in ranked([done]) if role_of(path) in ("code", "docs")]
    if not paths or len(done.files) > 12 or is_changelog(paths[0]):
        return ""
    return f"{done.email} file {paths[0]}"


def _only(places: Sequence[int], keys: Sequence[str]) -> list[str]:
    wanted = set(places)
    return [key if place in wanted else "" for place, key in enumerate(keys)]


def scope_in(subject: str) -> str:
    """Return the scope that a subject begins with: of ``feat(queue): …`` and ``queue: …``."""
    match = _SCOPED.match(subject) or _SCOPE.match(subject)
    scope = match["scope"].lower() if match else ""
    return "" if scope in _KINDS else scope


def words_of(subject: str) -> frozenset[str]:
    """Return the telling words of a subject; what was done to a thing does not tell which it is."""
    words = (word.lower() for word in word_list(without_verbs(subject)))
    return frozenset(word for word in words if len(word) > 2 and word not in _COMMON)


def ranked(commits: Sequence[Done]) -> list[str]:
    """Return the files that commits touch, by their part in the project, then by lines."""
    lines: defaultdict[str, int] = defaultdict(int)
    for done in commits:
        for file in done.files:
            lines[file.path] += 1 + (file.added or 0) + (file.removed or 0)
    return sorted(lines, key=lambda path: (_place(path), -lines[path], path))


def _place(path: str) -> int:
    if is_changelog(path) or by_path(path) is not Content.TEXT:
        return len(_ORDER)
    return _ORDER.index(role_of(path))
