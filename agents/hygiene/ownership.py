"""Who owns a part of the code, and since when: whoever made most of its changes, the later ones
counting more."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ...memory.records import Commit, DatedFact
from .automatic import is_automatic

OWNER = "owner"
HALF_LIFE = 365 * 86_400
"""Seconds after which a change counts half, as where people are asked who knows (agents/people)."""
FEWEST = 5
"""Commits of an area before anybody owns it."""
OWN = 3
"""Of them, commits that an owner must have made."""
SHARE = 0.4
"""Share of its changes that whoever becomes its owner must have made."""
AHEAD = 1.25
"""How far ahead another one must be to take over, so that it does not go to and fro."""
DEPTH = 2
"""Folders of a path that make an area: ``shop/payments/``."""

Who = Mapping[tuple[str, str], str]
"""Name and address, as a commit has them, to the person's one name."""


@dataclass(slots=True)
class _Area:
    """An area while its history is gone through."""

    weights: dict[str, float] = field(default_factory=dict[str, float])
    """By person, as of the first commit of all: later changes weigh more instead of earlier less."""
    commits: Counter[str] = field(default_factory=Counter[str])
    """How many each person made."""
    files: set[str] = field(default_factory=set[str])
    """Those that are there."""
    owner: str = ""
    since: int = 0
    ref: str = ""


def subject_of(area: str) -> str:
    """Return what facts about an area are of: ``path:shop/payments/``."""
    return f"path:{area}"


def areas_of(path: str) -> list[str]:
    """Return the areas that a file is in, the widest first; none for one at the top."""
    folders = path.split("/")[:-1]
    return ["/".join(folders[:depth]) + "/" for depth in range(1, min(len(folders), DEPTH) + 1)]


def facts(repo: str, commits: Iterable[Commit], who: Who) -> list[DatedFact]:
    """Return who owned each area from when to when. Commits that programs made don't count, a
    renamed area keeps its owner, and one without files has none any more."""
    in_order = sorted(
        (c for c in commits if not c.is_merge and not is_automatic(c)),
        key=lambda commit: (commit.committed, commit.sha),
    )
    areas: dict[str, _Area] = defaultdict(_Area)
    found: dict[tuple[str, int, str], DatedFact] = {}
    start = in_order[0].committed if in_order else 0
    for commit in in_order:
        _follow_renames(areas, commit)
        worth = 2.0 ** min((commit.committed - start) / HALF_LIFE, 1_000.0)
        person = who.get((commit.author, commit.email), commit.author)
        for name in sorted({area for file in commit.files for area in areas_of(file.path)}):
            area = areas[name]
            area.weights[person] = area.weights.get(person, 0.0) + worth
            area.commits[person] += 1
        for name in _follow_files(areas, commit):
            area = areas[name]
            owner = _owner(area)
            if owner != area.owner:
                _close(found, repo, name, area, commit)
                area.owner, area.since, area.ref = owner, commit.committed, commit.sha
    for name, area in areas.items():
        _close(found, repo, name, area, None)
    return [found[key] for key in sorted(found)]


def _owner(area: _Area) -> str:
    if not area.files:
        return ""
    able = sorted(person for person, commits in area.commits.items() if commits >= OWN)
    if area.commits.total() < FEWEST or not able:
        return ""
    best = max(able, key=lambda person: area.weights[person])
    if area.weights[best] < SHARE * sum(area.weights.values()):
        return area.owner
    return best if area.weights[best] > AHEAD * area.weights.get(area.owner, 0.0) else area.owner


def _follow_files(areas: dict[str, _Area], commit: Commit) -> list[str]:
    """Keep which files are there, and return the areas in which a commit did anything."""
    done: set[str] = set()
    for file in commit.files:
        gone = file.path if file.change == "D" else file.old_path if file.change == "R" else None
        if gone:
            for name in areas_of(gone):
                areas[name].files.discard(gone)
                done.add(name)
        if file.change != "D":
            for name in areas_of(file.path):
                areas[name].files.add(file.path)
                done.add(name)
    return sorted(done)


def _close(
    found: dict[tuple[str, int, str], DatedFact],
    repo: str,
    name: str,
    area: _Area,
    by: Commit | None,
) -> None:
    if not area.owner or (by is not None and by.committed == area.since):
        return
    subject = subject_of(name)
    found[subject.casefold(), area.since, area.owner] = DatedFact(
        repo,
        subject,
        OWNER,
        area.owner,
        area.since,
        area.ref,
        until=None if by is None else by.committed,
        ended_by="" if by is None else by.sha,
    )


def _follow_renames(areas: dict[str, _Area], commit: Commit) -> None:
    """Where files go from one area to one that was not there, what was done to the one counts for
    the other."""
    moved: Counter[tuple[str, str]] = Counter()
    for file in commit.files:
        if file.change == "R" and file.old_path:
            pairs = zip(areas_of(file.old_path), areas_of(file.path), strict=False)
            moved.update(pair for pair in pairs if pair[0] != pair[1])
    for (old, new), _ in sorted(moved.items(), key=lambda pair: (-pair[1], pair[0])):
        if old in areas and new not in areas:
            before = areas[old]
            areas[new] = _Area(dict(before.weights), before.commits.copy())
