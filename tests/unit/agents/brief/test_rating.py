"""What a word on a line does to the next brief."""

from __future__ import annotations

import pytest

from hermes.agents.brief.rating import DAY, factors
from hermes.memory.briefs import Rating

NOW = 1_000 * DAY


def _said(*words: tuple[str, float]) -> list[Rating]:
    return [
        Rating(str(number), "k", "stash", useful=sign == "+", at=NOW - days * DAY)
        for number, (sign, days) in enumerate(words)
    ]


@pytest.mark.parametrize(
    ("words", "factor"),
    [
        ([("-", 0)], 0.5),
        ([("+", 0)], 1.5),
        ([("-", 0), ("-", 0)], 0.25),
        ([("-", 0)] * 9, 0.125),
        ([("+", 0)] * 9, 4.0),
        ([("-", 30)], 0.5**0.5),
        ([("-", 300)], 1.0),
        ([("+", 1), ("-", 0)], 0.74),
        ([("-", -5)], 0.5),
    ],
    ids=[
        *("one no halves", "one yes raises", "two", "bounded below", "bounded above"),
        *("half after a month", "forgotten", "a change of mind", "a clock that was set back"),
    ],
)
def test_ratings_weigh_their_topic(words: list[tuple[str, float]], factor: float) -> None:
    assert factors(_said(*words), NOW) == {"stash": pytest.approx(factor, abs=0.01)}


def test_after_many_noes_a_yes_counts_at_once() -> None:
    before = factors(_said(*[("-", 2)] * 20), NOW)["stash"]
    after = factors(_said(*[("-", 2)] * 20, ("+", 0)), NOW)["stash"]
    assert after == pytest.approx(1.5 * before, rel=0.01)


def test_what_nobody_spoke_of_has_no_factor() -> None:
    assert factors([], NOW) == {}
