"""Which of what was found is shown, and how high, given what is marked; and how that is said."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Collection, Mapping, Sequence

from .marks import Key
from .records import Mark

_AT_ONCE = 16
"""References whose marks are looked up together, or as many as are shown: a question finds hundreds,
and to look them all up would take a millisecond instead of a tenth."""

Order = tuple[int, float]
"""Whether, and by what, it is matched to the letter; and the score."""
MarksOf = Callable[[Sequence[str]], Mapping[str, Mark]]
"""Given references, returns the marks that some of them have."""


def stand(
    ranked: Sequence[tuple[Order, str]], k: int, marks_of: MarksOf, named: Collection[str] = ()
) -> list[tuple[str, Mark | None]]:
    """Given what was found, best first, return the best ``k`` with their marks.

    A mark takes away from the score. What is folded gives way to the one that stands for it; where
    that was not found, only the best of those that say the same is shown. What is ``named`` by the
    question is shown in any case.
    """
    found = {ref for _, ref in ranked}
    best: list[tuple[Order, int, str, Mark | None]] = []
    said: set[Key] = set()
    at_once = max(k, _AT_ONCE)
    for start in range(0, len(ranked), at_once):
        # Marks only lower: once k are as good as all that are left can be, they are the best.
        if len(best) == k and (not k or best[0][0] >= ranked[start][0]):
            break
        block = ranked[start : start + at_once]
        marks = marks_of([ref for _, ref in block])
        for place, (order, ref) in enumerate(block, start):
            mark = marks.get(ref)
            if mark is not None:
                if mark.folded_into and ref not in named:
                    same = (mark.repo, mark.folded_into)
                    if mark.folded_into in found or same in said:
                        continue
                    said.add(same)
                order = (order[0], order[1] * mark.weight)
            entry = (order, -place, ref, mark)
            if len(best) < k:
                heapq.heappush(best, entry)
            elif k:
                heapq.heappushpop(best, entry)
    return [(ref, mark) for _, _, ref, mark in sorted(best, reverse=True)]


def said_of(mark: Mark | None, twins: Sequence[Mark] = ()) -> str:
    """Return what is to be said of a commit or an item, in a few words: "taken back by 3f2a9c1e0d
    on 2025-05-12", "also on release-1.2 as 8d1c2e3f4a". Empty where there is nothing."""
    parts: list[str] = []
    if mark is not None and mark.folded_into:
        parts.append(f"{mark.why} of {short(mark.folded_into)}")
    elif mark is not None and mark.ended is not None:
        day = time.strftime("%Y-%m-%d", time.gmtime(mark.ended))
        by = f" by {short(mark.ended_by)}" if _is_sha(mark.ended_by) else ""
        parts.append(f"{mark.why}{by} on {day}")
    named = [
        f"on {twin.branch} as {short(twin.ref)}" if twin.branch else f"as {short(twin.ref)}"
        for twin in twins
    ]
    if len(named) > _NAMED:
        named = [*named[:_NAMED], f"{len(named) - _NAMED} more times"]
    if named:
        parts.append(f"also {', '.join(named)}")
    return "; ".join(parts)


_NAMED = 3
_SHORT = 10


def short(ref: str) -> str:
    """Return a reference as people see it: ten digits of a sha, an item's whole."""
    return ref[:_SHORT] if _is_sha(ref) else ref


def _is_sha(ref: str) -> bool:
    return len(ref) >= 40 and set(ref) <= set("0123456789abcdef")
