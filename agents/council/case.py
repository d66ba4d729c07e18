"""From what jurors said to the case that a verdict is made of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from .cluster import place
from .records import Absent, Case, Curve, Opinion, Packet, Weight
from .shifts import find_shifts
from .verdict import severest_first


def make_case(
    packet: Packet,
    opinions: Sequence[Opinion],
    *,
    absent: Iterable[Absent] = (),
    weights: Iterable[Weight] = (),
    curve: Curve | None = None,
) -> Case:
    """Given a packet and the opinions of every round, return the case, the same in any order."""
    ordered, repeated = _once(opinions)
    placements = place(ordered, packet.kind, packet.options)
    return Case(
        kind=packet.kind,
        opinions=ordered,
        repeated=repeated,
        placements=placements,
        shifts=find_shifts(ordered, placements),
        weights=tuple(sorted(weights, key=lambda one: one.name)),
        absent=tuple(sorted(absent, key=lambda one: (one.juror.seat, one.why))),
        critical=packet.critical,
        curve=curve,
    )


def _once(opinions: Sequence[Opinion]) -> tuple[tuple[Opinion, ...], tuple[str, ...]]:
    """Return one opinion for each seat and round, and the seats that gave several different ones."""
    said: defaultdict[tuple[int, str], list[Opinion]] = defaultdict(list)
    for one in opinions:
        said[one.round, one.juror.seat].append(one)
    repeated: set[str] = set()
    kept: list[Opinion] = []
    for (_, seat), mine in sorted(said.items()):
        if len(mine) > 1:
            mine.sort(key=lambda one: (severest_first(one), repr(one)))
            if any(one != mine[0] for one in mine):
                repeated.add(seat)
        kept.append(mine[0])
    return tuple(kept), tuple(sorted(repeated))
