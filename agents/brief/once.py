"""Counts work once: what was rebased, cherry-picked, squashed, fixed up or taken back again."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from .look import Done

_FIXUP = re.compile(r"^(?:fixup|squash|amend)! ")
_REVERT = re.compile(r'^Revert "(?P<what>.+)"$')
_REAPPLY = re.compile(r'^Reapply "(?P<what>.+)"$')
_REVERTED = re.compile(r"This reverts commit (?P<sha>[0-9a-f]{7,64})")
_SQUASHED = re.compile(r"\s*\((?:#|!)\d+\)$")
_BULLET = re.compile(r"^\s*[*-]\s+(?P<subject>.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Counted:
    """Commits without those that say the same again."""

    commits: tuple[Done, ...]
    """Newest first."""
    back: tuple[tuple[Done, Done], ...] = ()
    """What was done and taken back within the period: the commit and its revert."""


def count_once(commits: Iterable[Done]) -> Counted:
    """Given commits, newest first, return them counted once; merges are not among them."""
    plain = [done for done in commits if not done.is_merge]
    copies: dict[tuple[str, int, str], Done] = {}
    for done in plain:
        copies.setdefault((done.subject, done.at, done.email), done)
    left = _without_squashed(list(copies.values()))
    left, back = _without_reverted(left)
    return Counted(tuple(_with_fixups(left)), tuple(back))


def _without_squashed(commits: Sequence[Done]) -> list[Done]:
    """Leave out the commits of a branch that were merged as one: its message lists them, or it has
    the title of the only one."""
    by_subject: defaultdict[tuple[str, str], list[Done]] = defaultdict(list)
    squashed: list[Done] = []
    for done in commits:
        if _SQUASHED.search(done.subject):
            squashed.append(done)
        else:
            by_subject[done.email, done.subject].append(done)
    gone: set[str] = set()
    for one in squashed:
        title = _SQUASHED.sub("", one.subject)
        files = {file.path for file in one.files}
        for bullet in _BULLET.finditer(one.body):
            listed = by_subject.get((one.email, bullet["subject"].strip()), ())
            gone.update(other.sha for other in listed if other.at <= one.at)
        for other in by_subject.get((one.email, title), ()):
            if other.at <= one.at and {file.path for file in other.files} <= files:
                gone.add(other.sha)
    return [done for done in commits if done.sha not in gone]


def _without_reverted(commits: Sequence[Done]) -> tuple[list[Done], list[tuple[Done, Done]]]:
    alive: dict[str, Done] = {}
    back: list[tuple[Done, Done]] = []
    for done in sorted(commits, key=lambda done: (done.at, done.committed)):
        again = _REAPPLY.match(done.subject)
        revert = _REVERT.match(done.subject)
        what = again["what"] if again else revert["what"] if revert else ""
        twice = _REVERT.match(what) if revert else None
        if again or twice:
            # What was taken back is there again.
            title = twice["what"] if twice else what
            pair = next((pair for pair in back if pair[0].subject == title), None)
            if pair is not None:
                back.remove(pair)
                alive[pair[0].sha] = pair[0]
                continue
        elif revert:
            named = _REVERTED.search(done.body)
            target = next(
                (
                    one
                    for one in reversed(alive.values())
                    if (named and one.sha.startswith(named["sha"])) or one.subject == what
                ),
                None,
            )
            if target is not None:
                back.append((alive.pop(target.sha), done))
                continue
        alive[done.sha] = done
    return [done for done in commits if done.sha in alive], back


def _with_fixups(commits: Sequence[Done]) -> list[Done]:
    """Give a fixup the subject of what it fixes, so that both are one piece of work."""
    found: list[Done] = []
    for done in commits:
        title = done.subject
        while _FIXUP.match(title):
            title = _FIXUP.sub("", title)
        found.append(done if title == done.subject else replace(done, subject=title))
    return found
