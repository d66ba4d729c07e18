"""Who sits on a jury, out of a pool: trust on the topic first, then whoever agrees least with those who
sit already, of different families where that can be had."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from .perspectives import Perspective
from .records import Case, Juror, Vote, Weight

EXPECTED_AGREEMENT = 0.7
"""How often two jurors that nothing is known of are held to agree."""
STRENGTH = 4.0
"""Cases that this expectation is worth."""
TRUST_COUNTS = 0.25
"""How much a weight of one counts against agreement when later seats are filled."""

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Seated:
    """A jury, and what could not be had."""

    jurors: tuple[Juror, ...]
    families: int
    """Different ones, unknown ones as one."""
    repeated: bool
    """Whether a juror sits on several seats, from different perspectives."""


def agreements(cases: Iterable[Case]) -> dict[Pair, float]:
    """Return how often two jurors took the same side in their first, independent votes, drawn
    towards the expectation where they met seldom."""
    same: defaultdict[Pair, float] = defaultdict(float)
    met: defaultdict[Pair, int] = defaultdict(int)
    for case in cases:
        sides = {
            one.juror.name: side.side
            for one in case.opinions
            for side in case.placements
            if one.round == 1 == side.round
            and side.seat == one.juror.seat
            and side.side
            and one.vote is not Vote.ABSTAIN
        }
        names = sorted(sides)
        for place, first in enumerate(names):
            for second in names[place + 1 :]:
                met[first, second] += 1
                same[first, second] += sides[first] == sides[second]
    return {
        pair: (same[pair] + EXPECTED_AGREEMENT * STRENGTH) / (count + STRENGTH)
        for pair, count in met.items()
    }


def choose(
    pool: Sequence[Juror],
    count: int,
    weights: Iterable[Weight] = (),
    agreement: Mapping[Pair, float] | None = None,
    *,
    families: int = 2,
    last_seated: Mapping[str, float] | None = None,
) -> tuple[Juror, ...]:
    """Return at most ``count`` jurors of a pool, best first; the same whatever its order.

    The first seat goes to the most trusted one. While fewer families sit than are wanted, a juror of
    a new one goes before; then the least agreement with those who sit, less a little for trust.
    Ties rotate: who sat longest ago (``last_seated``, seconds), then by name.
    """
    trust = {one.name: one.value for one in weights}
    known = agreement or {}
    sat = last_seated or {}
    left = sorted(pool, key=lambda one: one.seat)
    chosen: list[Juror] = []

    def tie(juror: Juror) -> tuple[float, str]:
        return (sat.get(juror.name, 0.0), juror.seat)

    def nearness(juror: Juror) -> float:
        pairs = [known.get(_pair(juror.name, other.name), EXPECTED_AGREEMENT) for other in chosen]
        return round(sum(pairs) / len(pairs) - TRUST_COUNTS * trust.get(juror.name, 1.0), 9)

    while left and len(chosen) < count:
        if not chosen:
            best = min(left, key=lambda one: (-trust.get(one.name, 1.0), *tie(one)))
        else:
            here = {one.family for one in chosen}
            wanting = len(here) < families
            best = min(
                left,
                key=lambda one: (wanting and one.family in here, nearness(one), *tie(one)),
            )
        chosen.append(best)
        left.remove(best)
    return tuple(chosen)


def seat(jurors: Sequence[Juror], perspectives: Sequence[Perspective]) -> Seated:
    """Give every perspective a juror; where there are fewer jurors, they sit again."""
    if not jurors:
        return Seated((), 0, repeated=False)
    seated = tuple(
        replace(jurors[place % len(jurors)], perspective=perspective.name)
        for place, perspective in enumerate(perspectives)
    )
    return Seated(
        seated, len({one.family for one in seated}), repeated=len(jurors) < len(perspectives)
    )


def _pair(one: str, other: str) -> Pair:
    return (one, other) if one <= other else (other, one)
