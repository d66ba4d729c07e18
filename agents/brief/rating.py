"""What "useful" and "not useful" do to a topic's weight."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from ...memory.briefs import Rating

DAY = 86_400.0
HALF_LIFE = 30 * DAY
"""Seconds after which what was said counts half."""
DOWN = -1.0
"""One "not useful" halves a weight: steps are powers of two."""
UP = 0.585
"""One "useful" makes it one and a half times as large."""
LEAST = -3.0
MOST = 2.0
"""However often it is said: an eighth, and four times."""


def factors(ratings: Iterable[Rating], now: float) -> dict[str, float]:
    """Given what was said, return what each topic's weight is multiplied by."""
    steps: defaultdict[str, float] = defaultdict(float)
    for rating in sorted(ratings, key=lambda one: one.at):
        age = max(0.0, now - rating.at)
        step = (UP if rating.useful else DOWN) * 0.5 ** (age / HALF_LIFE)
        steps[rating.topic] = min(MOST, max(LEAST, steps[rating.topic] + step))
    return {topic: 2.0**step for topic, step in steps.items()}
