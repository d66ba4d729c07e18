"""What outcomes say about verdicts: how often those with as much support were right.

A logistic curve over the logit of the support (Platt 1999), fitted with a weak Gaussian prior at
"support is what it seems", so that few outcomes move it little. It has two numbers, which a couple of
hundred outcomes can fix; bins would need thousands. Under ``ENOUGH`` outcomes there is no probability.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .records import Curve

ENOUGH = 20
"""Outcomes under which a verdict is uncalibrated."""
BINS = 5
"""Rows of the reliability table, over probabilities 0.5..1 and one for those below."""
_SLOPE_SPREAD = 1.0
_INTERCEPT_SPREAD = 1.0
"""Standard deviations of the prior."""
_STEPS = 50
_NEAR = 1e-10


@dataclass(frozen=True, slots=True)
class Known:
    """A verdict whose outcome is known."""

    support: float
    """As the verdict has it, between 0 and 1."""
    right: float
    """1 right, 0 wrong, 0.5 mixed."""
    topic: str = ""


@dataclass(frozen=True, slots=True)
class Bin:
    """One row of a reliability table."""

    low: float
    high: float
    n: int
    said: float
    """Mean of what was said, 0..1."""
    came: float
    """Share that came true, 0..1."""


def fit(known: Sequence[Known], topic: str = "") -> Curve | None:
    """Return the curve of a topic if it has enough outcomes, else of all topics; None if those
    are too few as well: uncalibrated."""
    mine = [one for one in known if one.topic == topic]
    if topic and len(mine) >= ENOUGH:
        return _fitted(mine, topic)
    return _fitted(known, "") if len(known) >= ENOUGH else None


def _fitted(known: Sequence[Known], topic: str) -> Curve:
    """Newton's method on the penalised likelihood; it is concave, so there is one answer."""
    points = sorted((_logit(one.support), one.right) for one in known)
    slope, intercept = 1.0, 0.0
    for _ in range(_STEPS):
        by_slope = (1.0 - slope) / _SLOPE_SPREAD**2
        by_intercept = -intercept / _INTERCEPT_SPREAD**2
        a, b, c = 1 / _SLOPE_SPREAD**2, 0.0, 1 / _INTERCEPT_SPREAD**2
        for x, y in points:
            p = _sigmoid(slope * x + intercept)
            by_slope += (y - p) * x
            by_intercept += y - p
            w = p * (1 - p)
            a, b, c = a + w * x * x, b + w * x, c + w
        determinant = a * c - b * b
        step_slope = (c * by_slope - b * by_intercept) / determinant
        step_intercept = (a * by_intercept - b * by_slope) / determinant
        slope, intercept = slope + step_slope, intercept + step_intercept
        if abs(step_slope) + abs(step_intercept) < _NEAR:
            break
    return Curve(round(slope, 6), round(intercept, 6), len(known), topic)


def reliability(pairs: Iterable[tuple[float, float]]) -> tuple[Bin, ...]:
    """Given what was said (0..1) and what came true (0..1), return a row for each bin that has
    any."""
    bins: dict[int, list[tuple[float, float]]] = {}
    for said, came in pairs:
        place = -1 if said < 0.5 else min(BINS - 1, int((said - 0.5) * 2 * BINS))
        bins.setdefault(place, []).append((said, came))
    rows: list[Bin] = []
    for place, mine in sorted(bins.items()):
        low, high = (
            (0.0, 0.5) if place < 0 else (0.5 + place / 2 / BINS, 0.5 + (place + 1) / 2 / BINS)
        )
        count = len(mine)
        rows.append(
            Bin(
                round(low, 4),
                round(high, 4),
                count,
                math.fsum(said for said, _ in mine) / count,
                math.fsum(came for _, came in mine) / count,
            )
        )
    return tuple(rows)


def calibration_error(rows: Sequence[Bin]) -> float:
    """Expected calibration error (Naeini et al. 2015): the mean distance of said and came, by n."""
    total = sum(row.n for row in rows)
    return math.fsum(row.n * abs(row.said - row.came) for row in rows) / total if total else 0.0


def brier(pairs: Sequence[tuple[float, float]]) -> float:
    """Mean squared error of what was said (Brier 1950): 0 is perfect, 0.25 is a coin."""
    return math.fsum((said - came) ** 2 for said, came in pairs) / len(pairs) if pairs else 0.0


def _logit(value: float) -> float:
    return math.log(value / (1 - value))


def _sigmoid(value: float) -> float:
    if value >= 0:
        return 1 / (1 + math.exp(-value))
    grown = math.exp(value)
    return grown / (1 + grown)
