"""From outcomes to a probability, or to none."""

from __future__ import annotations

import random

import pytest

from hermes.agents.council.calibration import (
    ENOUGH,
    Known,
    as_of_today,
    brier,
    calibration_error,
    fit,
    reliability,
)
from hermes.agents.council.case import make_case
from hermes.agents.council.records import Case, Kind, Packet, Verdict, Weight
from hermes.agents.council.verdict import decide
from hermes.tests.builders.council import opinion


def _known(count: int, right: int, support: float = 0.875, topic: str = "t") -> list[Known]:
    return [Known(support, float(n < right), topic) for n in range(count)]


def test_few_outcomes_give_no_probability() -> None:
    assert fit([]) is None
    assert fit(_known(ENOUGH - 1, 10)) is None


def test_a_topic_with_enough_outcomes_has_a_curve_of_its_own() -> None:
    known = [*_known(ENOUGH, 5, topic="security"), *_known(60, 60, topic="storage")]
    mine, rest = fit(known, "security"), fit(known, "product")
    assert mine is not None
    assert rest is not None
    assert (mine.topic, mine.n) == ("security", ENOUGH)
    assert (rest.topic, rest.n) == ("", ENOUGH + 60)
    assert mine.at(0.875)[0] < rest.at(0.875)[0]


@pytest.mark.parametrize("share", [0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
def test_verdicts_of_one_support_get_the_share_that_was_right(share: float) -> None:
    curve = fit(_known(400, round(400 * share)))
    assert curve is not None
    assert curve.at(0.875)[0] == pytest.approx(share, abs=0.02)


def test_nothing_is_quite_certain() -> None:
    curve = fit(_known(ENOUGH, 0))
    assert curve is not None
    assert 0.02 < curve.at(0.875)[0] < 0.1


def test_more_support_is_never_less_probable_where_outcomes_say_so() -> None:
    curve = fit([*_known(50, 30, 0.625), *_known(50, 45, 0.875)])
    assert curve is not None
    values = [curve.at(support)[0] for support in (0.1, 0.5, 0.625, 0.875)]
    assert values == sorted(values)


def test_a_curve_does_not_depend_on_the_order_of_outcomes() -> None:
    known = [Known(support, float(n % 3 > 0)) for n, support in enumerate([0.4, 0.6, 0.9] * 20)]
    expected = fit(known)
    for seed in range(5):
        assert fit(random.Random(seed).sample(known, len(known))) == expected


def test_the_sample_is_the_outcomes_with_about_as_much_support() -> None:
    curve = fit([*_known(50, 30, 0.625), *_known(30, 25, 0.875)])
    assert curve is not None
    near = [curve.at(support)[1] for support in (0.625, 0.875, 0.2)]
    assert near == pytest.approx([50, 30, 0], abs=2)


def test_beyond_the_ends_it_says_what_it_says_at_the_ends() -> None:
    curve = fit(_known(40, 30))
    assert curve is not None
    assert curve.at(1e-9) == (curve.values[0], curve.near[0])
    assert curve.at(1 - 1e-9) == (curve.values[-1], curve.near[-1])


def test_what_jurors_that_err_together_do_is_seen_where_it_happens() -> None:
    narrow, wide = _known(60, 6, 0.55), _known(140, 130, 0.9)
    curve = fit([*narrow, *wide])
    assert curve is not None
    assert curve.at(0.55)[0] == pytest.approx(0.1, abs=0.05)
    assert curve.at(0.9)[0] == pytest.approx(0.93, abs=0.03)


def _judged(positions: tuple[str, ...], right: float) -> tuple[Case, Verdict, float, str]:
    said = [opinion(f"m{n}", position=text) for n, text in enumerate(positions)]
    case = make_case(Packet("?", Kind.CHOICE, ("A1", "B2", "C3")), said)
    return case, decide(case), right, "t"


@pytest.mark.parametrize(
    ("positions", "right", "known"),
    [
        (("A1", "A1", "A1"), 1.0, [(0.929, 1.0)]),  # (6 + 0.5) / (6 + 1)
        (("B2", "A1", "A1"), 1.0, [(0.583, 0.0)]),  # the first outweighs them now: it was wrong
        (("B2", "A1", "A1"), 0.0, [(0.583, 1.0)]),
        (("B2", "A1", "A1", "C3"), 0.0, []),  # it is not known whether B2 was right
        (("A1", "B2"), 1.0, []),  # nothing carried
    ],
)
def test_past_verdicts_count_with_the_support_that_they_would_have_today(
    positions: tuple[str, ...], right: float, known: list[tuple[float, float]]
) -> None:
    weights = [Weight("ollama:m0", 3.0 if len(set(positions)) > 1 else 4.0)]
    found = as_of_today([_judged(positions, right)], lambda topic: weights)
    assert [(round(one.support, 3), one.right) for one in found] == known


def test_mixed_outcomes_count_half() -> None:
    curve = fit([Known(0.875, 0.5)] * 200)
    assert curve is not None
    assert curve.at(0.875)[0] == pytest.approx(0.5, abs=0.02)


def test_a_reliability_table_has_a_row_for_each_bin_that_has_any() -> None:
    rows = reliability([(0.3, 0.0), (0.55, 1.0), (0.58, 0.0), (0.95, 1.0), (1.0, 1.0)])
    assert [(row.low, row.high, row.n) for row in rows] == [
        (0.0, 0.5, 1),
        (0.5, 0.6, 2),
        (0.9, 1.0, 2),
    ]
    assert [row.came for row in rows] == [0.0, 0.5, 1.0]
    assert rows[1].said == pytest.approx(0.565)


def test_the_calibration_error_is_the_mean_distance_by_number() -> None:
    rows = reliability([(0.9, 1.0)] * 3 + [(0.9, 0.0)] + [(0.55, 0.0)] * 4)
    assert calibration_error(rows) == pytest.approx(0.5 * 0.15 + 0.5 * 0.55)
    assert calibration_error(()) == 0.0


@pytest.mark.parametrize(
    ("pairs", "value"),
    [([], 0.0), ([(1.0, 1.0)], 0.0), ([(0.5, 1.0), (0.5, 0.0)], 0.25), ([(1.0, 0.0)], 1.0)],
)
def test_the_brier_score_is_the_mean_squared_error(
    pairs: list[tuple[float, float]], value: float
) -> None:
    assert brier(pairs) == value
