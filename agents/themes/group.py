"""Evidence into themes: first pieces of work, by pull request, ticket, branch, scope and what belongs
together; then the pieces that are alike."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ..brief.grouping import scope_in, words_of
from ..brief.wording import says_little
from ..commits.paths import is_changelog, role_of
from ..joining import Joined
from .likeness import area_in, cluster, features
from .noise import Sort, sort_of
from .records import Evidence, EvidenceKind

MOST = 8
"""Themes of a page."""
ALIKE = 0.3
"""How alike pieces of work are that are told as one."""
HARDLY_ALIKE = 0.14
"""The same where there are more than a page holds."""
AREA_WEIGHT = 3.0
"""What the part of the project counts then, beside a word of a title."""
MANY_PARTS = 4
IN_AREA = 0.8
"""Share of a theme's parts, by size, that must be in a part of the project for it to be named."""
EVERYWHERE = 0.6
"""Share of a page from which on a part of the project is nothing special."""
MANY_PIECES = 32
"""Pieces of work from which on the part of the project counts from the first."""
LARGEST = 0.45
"""Share of a page with much work that one theme, put together by likeness, may take."""
MOST_COMPARED = 120
"""Pieces of work that are compared each with each: the largest; the others stay apart."""
MOST_LEFT_OVER = 12
"""Pieces of work that are told together since there is no room for them; what is left then is only
counted."""
LITTLE = 0.3
"""Size of upkeep below which it is little."""
MOST_LITTLE = 4
FEW = 3
"""Themes from which on little upkeep is only counted."""
MANY = 5
"""Themes from which on those that only concern documents are one."""

_FACTORS = {Sort.RELEASE: 0.3, Sort.DEPENDENCY: 0.08, Sort.UPKEEP: 0.25, Sort.WORK: 1.0}
_SIZES = {
    EvidenceKind.TICKET: 0.5,
    EvidenceKind.THREAD: 1.0,
    EvidenceKind.PULL: 0.5,
    EvidenceKind.TEST: 0.4,
    EvidenceKind.DRIFT: 0.4,
    EvidenceKind.VERDICT: 1.5,
}
_MOST_LINES = 2_000
"""Lines of one commit that count: what is more is a move, or made by a machine."""


@dataclass(frozen=True)
class Piece:
    """One piece of work, or several that are told as one."""

    evidence: tuple[Evidence, ...]
    """Oldest first."""
    parts: tuple[tuple[Evidence, ...], ...]
    """The pieces of work that it is made of, the largest first."""
    sort: Sort = Sort.WORK
    left_over: bool = False
    """It is what there was no other room for."""
    area: str = ""
    """The part of the project that nearly all of its many parts are in, where others are not."""
    stalled: bool = False
    """Nothing happened in it, and that is what there is to tell."""

    @cached_property
    def size(self) -> float:
        """How much of somebody's time it took, roughly."""
        return sum(size_of(part) for part in self.parts)


def size_of(evidence: Sequence[Evidence]) -> float:
    """Return how much time a piece of work took, roughly, in ordinary commits: what a merge brought,
    or a squash, counts once."""
    there = {each.ref for each in evidence}
    return sum(_size(each, there) for each in evidence)


def _size(each: Evidence, there: set[str]) -> float:
    if each.kind is not EvidenceKind.COMMIT:
        return _SIZES[each.kind]
    if each.state == "merged" and there.intersection(each.about):
        return 0.0
    size = 0.3 + 0.35 * math.pow(math.log10(1 + min(each.lines, _MOST_LINES)), 1.5)
    roles = {role_of(path) for path in each.paths}
    aside = bool(roles) and "code" not in roles
    return round(size * _FACTORS[sort_of(each)] * (0.6 if aside else 1.0), 6)


def group(evidence: Sequence[Evidence]) -> tuple[list[Piece], list[Evidence]]:
    """Given one page's evidence, oldest first, return its themes, and what is too little to be one.

    The largest come first; then releases, what is left over of much work, and upkeep.
    """
    pieces = [Piece(part, (part,), _sort(part)) for part in parts_of(evidence)]
    release = _one([piece for piece in pieces if piece.sort is Sort.RELEASE])
    upkeep = _one([piece for piece in pieces if piece.sort in (Sort.DEPENDENCY, Sort.UPKEEP)])
    work = [piece for piece in pieces if piece.sort is Sort.WORK]
    still = [piece for piece in work if all(e.state == "stalled" for e in piece.evidence)]
    stalled = [replace(piece, stalled=True) for piece in _one(still)]
    work = _placed(_documents(_alike([piece for piece in work if piece not in still])))
    little: list[Evidence] = []
    if upkeep and len(work) >= FEW and _is_little(upkeep[0]):
        little = list(upkeep.pop().evidence)
    room = MOST - len(release) - len(stalled) - len(upkeep)
    if len(work) <= room:
        return [*work, *release, *stalled, *upkeep], little
    told, left = work[: room - 1], work[room - 1 :]
    parts = sorted((part for piece in left for part in piece.parts), key=_order)
    rest = [each for part in parts[MOST_LEFT_OVER:] for each in part]
    over = _merged([Piece(part, (part,)) for part in parts[:MOST_LEFT_OVER]])
    return [*told, *release, replace(over, left_over=True), *stalled, *upkeep], [*rest, *little]


def _is_little(piece: Piece) -> bool:
    return piece.size < LITTLE and len(piece.evidence) <= MOST_LITTLE


def _sort(part: Sequence[Evidence]) -> Sort:
    sorts = [sort_of(each) for each in part]
    # What else is in the pull request of a release was done for it.
    whole = [sort_of(each) for each in part if each.state == "merged" or each.about]
    if Sort.RELEASE in whole:
        return Sort.RELEASE
    for sort in (Sort.WORK, Sort.RELEASE, Sort.UPKEEP):
        if sort in sorts:
            return sort
    return Sort.DEPENDENCY


def parts_of(evidence: Sequence[Evidence]) -> list[tuple[Evidence, ...]]:
    """Return the pieces of work that evidence is about, each oldest first."""
    joined = Joined(len(evidence))
    places: dict[str, int] = {}
    for place, each in enumerate(evidence):
        if each.ref in places:
            joined.join(places[each.ref], place)
        places.setdefault(each.ref, place)
    for place, each in enumerate(evidence):
        for ref in (*each.about, each.undoes):
            if ref in places:
                joined.join(places[ref], place)
    joined.by_key([f"pull {each.pull}" if each.pull else "" for each in evidence])
    joined.by_key([_ticket(each) for each in evidence])
    _pulls_and_tickets(evidence, joined)
    joined.by_key([f"branch {each.branch}" if _waits(each) else "" for each in evidence])
    loose = [_is_loose(each) for each in evidence]
    joined.by_key(
        [
            f"{each.email} scope {scope_in(each.title)}" if free and scope_in(each.title) else ""
            for each, free in zip(evidence, loose, strict=True)
        ]
    )
    _saying_little(evidence, loose, joined)
    _tests(evidence, joined)
    few = [place for place, free in enumerate(loose) if free][:MOST_COMPARED]
    joined.by_words(few, [words_of(each.title) for each in evidence])
    found = [tuple(evidence[place] for place in sorted(each)) for each in joined.sets()]
    return sorted(found, key=_order)


def _order(evidence: Sequence[Evidence]) -> tuple[float, int, str]:
    """The largest first; of the same size the oldest."""
    return -round(size_of(evidence), 6), evidence[0].at, evidence[0].ref


def _ticket(each: Evidence) -> str:
    # A release names what it brings, and belongs with none of it.
    if not each.tickets or sort_of(each) is Sort.RELEASE:
        return ""
    return f"ticket {each.tickets[0]}"


def _pulls_and_tickets(evidence: Sequence[Evidence], joined: Joined) -> None:
    """On one platform pull requests and tickets share their numbers: ``fixes #482`` may name
    either."""
    pulls = {each.pull: place for place, each in enumerate(evidence) if each.pull}
    for place, each in enumerate(evidence):
        for ticket in each.tickets[:1]:
            if ticket in pulls and _ticket(each):
                joined.join(pulls[ticket], place)


def _waits(each: Evidence) -> bool:
    return bool(each.branch) and each.state != "merged"


def _is_loose(each: Evidence) -> bool:
    return each.kind is EvidenceKind.COMMIT and not (each.pull or each.tickets or _waits(each))


def _saying_little(evidence: Sequence[Evidence], loose: Sequence[bool], joined: Joined) -> None:
    """Put ``wip`` and its like with the same person's nearest work on the same file."""
    by_file: dict[tuple[str, str], list[int]] = {}
    for place, each in enumerate(evidence):
        if loose[place] and each.paths:
            by_file.setdefault((each.email, each.paths[0]), []).append(place)
    for places in by_file.values():
        for place in places if len(places) > 1 else ():
            if says_little(evidence[place].title):
                at = evidence[place].at
                others = [other for other in places if other != place]
                joined.join(place, min(others, key=lambda o: (abs(evidence[o].at - at), o)))


def _tests(evidence: Sequence[Evidence], joined: Joined) -> None:
    """Put a test that turned with the work on its file, the nearest in time; else with the others
    of that file."""
    commits = [
        (place, each)
        for place, each in enumerate(evidence)
        if each.kind is EvidenceKind.COMMIT and each.state != "merged"
    ]
    by_file: dict[str, int] = {}
    for place, each in enumerate(evidence):
        if each.kind is not EvidenceKind.TEST:
            continue
        file = each.paths[0] if each.paths else each.title
        joined.join(by_file.setdefault(file, place), place)
        touching = [
            (abs(other.at - each.at), at)
            for at, other in commits
            if set(each.paths) & set(other.paths)
        ]
        if touching:
            joined.join(min(touching)[1], place)


def _alike(pieces: Sequence[Piece]) -> list[Piece]:
    """Put pieces of work together that are alike; where many are left, also those that are less so."""
    many = len(pieces) > MANY_PIECES
    for least, area_weight in ((ALIKE, 1.0 if many else 0.0), (HARDLY_ALIKE, AREA_WEIGHT)):
        compared, others = pieces[:MOST_COMPARED], pieces[MOST_COMPARED:]
        sets = cluster(
            [features(piece.evidence, area_weight) for piece in compared],
            [piece.size for piece in compared],
            least,
            LARGEST if len(compared) > MOST else 1.0,
        )
        merged = [_merged([compared[place] for place in places]) for places in sets]
        pieces = sorted([*merged, *others], key=lambda piece: _order(piece.evidence))
        if len(pieces) <= MOST:
            break
    return list(pieces)


def _documents(pieces: Sequence[Piece]) -> list[Piece]:
    """Put together what only concerns documents, where there is much else."""
    alone: list[Piece] = []
    rest: list[Piece] = []
    for piece in pieces:
        (alone if roles_of(piece.evidence) == {"docs"} else rest).append(piece)
    if len(pieces) <= MANY or len(alone) < 2:
        return list(pieces)
    return sorted([*rest, _merged(alone)], key=lambda piece: _order(piece.evidence))


def _placed(pieces: Sequence[Piece]) -> list[Piece]:
    """Say of what was put together which part of the project it is in, if it is a part of several."""
    everywhere = _areas(pieces)
    total = sum(everywhere.values())
    found: list[Piece] = []
    for piece in pieces:
        own = _areas([piece]) if len(piece.parts) >= MANY_PARTS else {}
        area = max(sorted(own), key=lambda name: round(own[name], 6), default="")
        apart = area and everywhere[area] <= EVERYWHERE * total
        found.append(
            replace(piece, area=area) if apart and own[area] >= IN_AREA * piece.size else piece
        )
    return found


def _areas(pieces: Sequence[Piece]) -> dict[str, float]:
    sizes: dict[str, float] = {}
    for piece in pieces:
        for part in piece.parts:
            area = area_in(part)
            sizes[area] = sizes.get(area, 0.0) + size_of(part)
    return sizes


def roles_of(evidence: Sequence[Evidence]) -> set[str]:
    """Return the parts in the project of the files that are touched; changelogs are none."""
    return {role_of(path) for each in evidence for path in each.paths if not is_changelog(path)}


def _one(pieces: Sequence[Piece]) -> list[Piece]:
    return [_merged(pieces)] if pieces else []


def _merged(pieces: Sequence[Piece]) -> Piece:
    if len(pieces) == 1:
        return pieces[0]
    evidence = sorted(
        (each for piece in pieces for each in piece.evidence),
        key=lambda each: (each.at, each.kind.value, each.ref, each.note),
    )
    parts = sorted((part for piece in pieces for part in piece.parts), key=_order)
    return Piece(tuple(evidence), tuple(parts), pieces[0].sort)
