"""What happened in releases and upkeep: in a sentence or two, since nobody asks for more."""

from __future__ import annotations

from collections.abc import Iterator

from ..brief.wording import counted, cut, listed
from .group import Piece
from .noise import Sort, bumped, sort_of, version_of
from .records import Evidence, Line
from .title import begun, fitting, plain

MOST_VERSIONS = 4
LONGEST = 200
"""Characters of a sentence."""
_TITLE = 60
_NAMES = 6


def releases(piece: Piece) -> Iterator[Line]:
    """Tell of each version once, whatever was committed for it."""
    by_version: dict[str, list[Evidence]] = {}
    for each in piece.evidence:
        by_version.setdefault(version_of(each.title), []).append(each)
    others = by_version.pop("", [])
    brought = {ref for several in by_version.values() for each in several for ref in each.about}
    for version, several in list(by_version.items())[:MOST_VERSIONS]:
        pulls = dict.fromkeys(each.pull for each in several if each.pull)
        tail = f" ({', '.join(pulls)})" if pulls else ""
        yield Line(f"Released {version}{tail}", tuple(each.ref for each in several))
    left = list(by_version.items())[MOST_VERSIONS:]
    refs = [each.ref for _, several in left for each in several]
    titles = [f"released {version}" for version, _ in left]
    also = [each for each in others if each.ref not in brought or sort_of(each) is Sort.WORK]
    titles += [cut(plain(each.title), _TITLE) for each in also]
    refs += [each.ref for each in others]
    if titles or refs:
        said = fitting(list(dict.fromkeys(titles)), LONGEST) or counted(len(refs), "smaller step")
        yield Line(begun(f"With it: {said}"), tuple(dict.fromkeys(refs)))


def upkeep(piece: Piece) -> Iterator[Line]:
    """Tell of upkeep in a line or two: what was updated, and what else was done."""
    bumps = [each for each in piece.evidence if bumped(each.title)]
    names = list(dict.fromkeys(bumped(each.title) for each in bumps))
    if bumps:
        refs = tuple(dict.fromkeys(each.ref for each in bumps))
        yield Line(cut(f"Updated {listed(names, _NAMES)}", LONGEST), refs)
    others = [each for each in piece.evidence if each not in bumps]
    titles = list(dict.fromkeys(cut(plain(each.title), _TITLE) for each in others))
    if others:
        refs = tuple(dict.fromkeys(each.ref for each in others))
        yield Line(begun(fitting(titles, LONGEST)), refs)
