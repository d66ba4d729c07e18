"""What outcomes say about verdicts: how often those with as much support were right.

Two steps. A logistic curve over the logit of the support (Platt 1999), with a weak Gaussian prior at
"support is what it seems", says roughly what to expect. A kernel mean of the outcomes nearby (Nadaraya
and Watson 1964) takes over where there are any; the curve counts as ``EXPECTATION`` outcomes there.
The curve alone misses what jurors that err together do: a verdict by a narrow lead over the best juror
may be wrong more often than not, which no smooth rise can say. Under ``ENOUGH`` outcomes there is no
probability.

Weights move while outcomes come in, and support with them; so past verdicts are counted with the support
that they would have today (``as_of_today``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from .records import Case, Curve, Verdict, Weight
from .verdict import decide

ENOUGH = 20
"""Outcomes under which a verdict is uncalibrated."""
EXPECTATION = 2.0
"""Outcomes that the logistic curve is worth at any one support."""
DOUBT = 1.0
"""Outcomes of a coin that are added, so that nothing is quite certain."""
WIDTH = 0.15
"""Of the kernel, in logits: 0.70 and 0.73 are about the same support, 0.70 and 0.80 are not."""
FIRST = -3.0
STEP = 0.1
KNOTS = 66
"""The curve reaches from 0.05 to 0.97 of support, which is one vote to fifteen of one mind."""
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


def as_of_today(
    judged: Iterable[tuple[Case, Verdict, float, str]], weights: Callable[[str], Iterable[Weight]]
) -> tuple[Known, ...]:
    """Given cases with their verdicts, how right these were (0..1) and their topics, return what is
    known of them under the weights that jurors of a topic have now.

    Where another side carries now, it was right as far as the verdict was wrong, if there were two
    sides; of more it is not known.
    """
    held: dict[str, tuple[Weight, ...]] = {}
    found: list[Known] = []
    for case, verdict, right, topic in judged:
        if not verdict.side:
            continue
        if topic not in held:
            held[topic] = tuple(weights(topic))
        now = decide(replace(case, weights=held[topic], curve=None))
        if now.side == verdict.side:
            found.append(Known(now.support, right, topic))
        elif now.side and len(now.sides) == 2:
            found.append(Known(now.support, 1.0 - right, topic))
    return tuple(found)


def _fitted(known: Sequence[Known], topic: str) -> Curve:
    points = sorted((_logit(one.support), one.right) for one in known)
    slope, intercept = _logistic(points)
    values: list[float] = []
    near: list[float] = []
    for place in range(KNOTS):
        at = FIRST + place * STEP
        kernel = [math.exp(-(((x - at) / WIDTH) ** 2) / 2) for x, _ in points]
        count = math.fsum(kernel)
        right = math.fsum(weight * y for weight, (_, y) in zip(kernel, points, strict=True))
        expected = EXPECTATION * _sigmoid(slope * at + intercept) + DOUBT / 2
        values.append(round((expected + right) / (EXPECTATION + DOUBT + count), 5))
        near.append(round(count, 2))
    return Curve(FIRST, STEP, tuple(values), tuple(near), len(known), topic)


def _logistic(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Newton's method on the penalised likelihood, each step halved until it gains: the likelihood
    is concave, so there is one answer."""
    slope, intercept = 1.0, 0.0
    likelihood = _likelihood(points, slope, intercept)
    for _ in range(_STEPS):
        step_slope, step_intercept = _step(points, slope, intercept)
        while (gained := _likelihood(points, slope + step_slope, intercept + step_intercept)) < (
            likelihood
        ) and abs(step_slope) + abs(step_intercept) > _NEAR:
            step_slope, step_intercept = step_slope / 2, step_intercept / 2
        if abs(step_slope) + abs(step_intercept) <= _NEAR:
            break
        slope, intercept, likelihood = slope + step_slope, intercept + step_intercept, gained
    return slope, intercept


def _likelihood(points: Sequence[tuple[float, float]], slope: float, intercept: float) -> float:
    """Logarithm of the posterior density, up to a constant."""
    prior = -(((slope - 1) / _SLOPE_SPREAD) ** 2 + (intercept / _INTERCEPT_SPREAD) ** 2) / 2
    return prior + math.fsum(
        y * z - max(z, 0.0) - math.log1p(math.exp(-abs(z)))
        for z, y in ((slope * x + intercept, y) for x, y in points)
    )


def _step(
    points: Sequence[tuple[float, float]], slope: float, intercept: float
) -> tuple[float, float]:
    by_slope, by_intercept = (1.0 - slope) / _SLOPE_SPREAD**2, -intercept / _INTERCEPT_SPREAD**2
    a, b, c = 1 / _SLOPE_SPREAD**2, 0.0, 1 / _INTERCEPT_SPREAD**2
    for x, y in points:
        p = _sigmoid(slope * x + intercept)
        by_slope += (y - p) * x
        by_intercept += y - p
        w = p * (1 - p)
        a, b, c = a + w * x * x, b + w * x, c + w
    determinant = a * c - b * b
    return (
        (c * by_slope - b * by_intercept) / determinant,
        (a * by_intercept - b * by_slope) / determinant,
    )


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
