"""How much a juror counts, from who was right and from what a person set."""

from __future__ import annotations

import random

import pytest

from hermes.agents.council.case import make_case
from hermes.agents.council.records import Kind, Opinion, Packet, Vote
from hermes.agents.council.verdict import decide
from hermes.agents.council.weights import (
    ANY,
    LEAST,
    MOST,
    NotALesson,
    read_lesson,
    record_of,
    score,
    told_factor,
    weigh,
)
from hermes.memory.council_records import Result, Score, Told
from hermes.tests.builders.council import finding, opinion

P, W, F, D, A = Vote.PASS, Vote.WARN, Vote.FAIL, Vote.DISAGREE, Vote.ABSTAIN
RIGHT, WRONG, MIXED = Result.RIGHT, Result.WRONG, Result.MIXED


def _scored(
    result: Result, *opinions: Opinion, kind: Kind = Kind.JUDGMENT, options: tuple[str, ...] = ()
) -> dict[str, float]:
    case = make_case(Packet("?", kind, options), opinions)
    scores = score(case, decide(case), result, "storage")
    assert all(one.topic == "storage" for one in scores)
    return {one.juror.removeprefix("ollama:"): one.value for one in scores}


@pytest.mark.parametrize(
    ("votes", "result", "scores"),
    [
        ((P, P, P), RIGHT, (1.0, 1.0, 1.0)),
        ((P, P, P), WRONG, (0.0, 0.0, 0.0)),
        ((P, P, P), MIXED, ()),
        ((P, W, P), RIGHT, (0.5, 1.0, 0.5)),
        ((P, W, P), WRONG, (None, 0.0, None)),
        ((P, F, F), RIGHT, (0.0, 1.0, 1.0)),
        ((P, F, F), WRONG, (1.0, 0.0, 0.0)),
        ((W, F, F), WRONG, (0.5, 0.0, 0.0)),
        ((P, P, A), RIGHT, (1.0, 1.0, None)),
        ((P, P, P, D), RIGHT, (0.5, 0.5, 0.5, None)),
        ((P, F), RIGHT, ()),
    ],
)
def test_a_judgment_scores_each_vote_against_how_it_turned_out(
    votes: tuple[Vote, ...], result: Result, scores: tuple[float | None, ...]
) -> None:
    said = [opinion(f"m{n}", vote) for n, vote in enumerate(votes)]
    expected = {f"m{n}": value for n, value in enumerate(scores) if value is not None}
    assert _scored(result, *said) == expected


@pytest.mark.parametrize(
    ("positions", "result", "scores"),
    [
        (("A1", "A1", "B2"), RIGHT, (1.0, 1.0, 0.0)),
        (("A1", "A1", "B2"), WRONG, (0.0, 0.0, 1.0)),
        (("A1", "A1", "B2", "C3"), RIGHT, (1.0, 1.0, 0.0, 0.0)),
        (("A1", "A1", "B2", "C3"), WRONG, (0.0, 0.0, None, None)),
        (("A1", "A1", "it depends"), RIGHT, (1.0, 1.0, None)),
        (("A1", "B2"), RIGHT, ()),
    ],
)
def test_a_choice_scores_who_chose_what_turned_out_right(
    positions: tuple[str, ...], result: Result, scores: tuple[float | None, ...]
) -> None:
    said = [opinion(f"m{n}", position=text) for n, text in enumerate(positions)]
    expected = {f"m{n}": value for n, value in enumerate(scores) if value is not None}
    assert _scored(result, *said, kind=Kind.CHOICE, options=("A1", "B2", "C3")) == expected


def test_a_juror_is_scored_by_its_first_vote_not_by_whom_it_followed() -> None:
    said = [opinion("a", P), opinion("b", P), opinion("c", F, findings=(finding(),))]
    gave_in = opinion("c", P, round=2, insight="I agree with the others")
    assert _scored(RIGHT, *said, gave_in) == {"a": 0.5, "b": 0.5, "c": 0.5}
    assert _scored(WRONG, *said, gave_in) == {}
    persuaded = opinion("c", P, round=2, insight="the timeout is two seconds")
    assert _scored(WRONG, *said, persuaded) == {"a": 0.0, "b": 0.0, "c": 1.0}


def _history(name: str, right: int, of: int, topic: str = "storage") -> list[Score]:
    return [Score(name, topic, float(n < right)) for n in range(of)]


def _weight(scores: list[Score], *told: Told, name: str = "a", topic: str = "storage") -> float:
    return weigh([name], topic, scores, told)[0].value


def test_one_that_nothing_is_known_of_weighs_one() -> None:
    (weight,) = weigh(["a"], "storage", [])
    assert (weight.value, weight.basis) == (1.0, "no outcome yet")


def test_weight_rises_with_who_was_right_and_falls_with_who_was_not() -> None:
    series = [_weight(_history("a", right, 20)) for right in (4, 10, 14, 18, 20)]
    assert series == sorted(series)
    assert series[0] < series[2] < series[-1]
    assert series[2] == pytest.approx(1.0)


@pytest.mark.parametrize(("right", "bound"), [(0, LEAST), (1_000, MOST)])
def test_weight_is_bounded(right: int, bound: float) -> None:
    assert _weight(_history("a", right, 1_000)) == bound


def test_weight_does_not_depend_on_the_order_of_outcomes() -> None:
    scores = _history("a", 7, 12) + _history("a", 3, 9, "security") + _history("b", 1, 5)
    expected = weigh(["a", "b"], "storage", scores)
    for seed in range(10):
        assert (
            weigh(["b", "a"], "storage", random.Random(seed).sample(scores, len(scores)))
            == expected
        )


def test_leaving_an_outcome_out_undoes_it() -> None:
    before = _history("a", 7, 12)
    assert _weight([*before, Score("a", "storage", 0.0)]) < _weight(before)
    assert _weight(before) == _weight(list(before))


def test_what_a_juror_did_on_other_topics_counts_until_there_is_better() -> None:
    elsewhere = _history("a", 5, 5, "security")
    (weight,) = weigh(["a"], "storage", elsewhere)
    assert 1.0 < weight.value < _weight(_history("a", 10, 10))
    assert weight.basis == "right 5 of 5 on other topics"
    assert _weight([*elsewhere, *_history("a", 0, 30)]) == LEAST


def test_the_reason_can_be_checked() -> None:
    (weight,) = weigh(["a"], "storage", [*_history("a", 12, 15), Score("a", "storage", 0.5)])
    assert weight.basis == "right 12.5 of 16"


def test_a_record_over_all_topics_counts_every_outcome_once() -> None:
    scores = [*_history("a", 3, 4), *_history("a", 1, 4, "security")]
    record = record_of("a", ANY, scores)
    assert (record.right, record.of) == (4, 8)
    assert record.chance == pytest.approx((0.7 * 8 + 4) / 16)


def test_what_a_person_set_multiplies_what_was_earned() -> None:
    scores = _history("a", 14, 20)
    (weight,) = weigh(["a"], "storage", scores, [Told("a", "storage", 1.5)])
    assert weight.value == pytest.approx(1.5 * _weight(scores))
    assert weight.basis == "right 14 of 20, set to ×1.5"


@pytest.mark.parametrize(
    ("told", "factor"),
    [
        ([], 1.0),
        ([Told("ollama:m:8b", "storage", 2.0)], 2.0),
        ([Told("m:8b", "storage", 2.0)], 2.0),
        ([Told("m:8b", ANY, 2.0)], 2.0),
        ([Told("m:8b", "storage", 2.0), Told("m:8b", ANY, 0.5)], 2.0),
        ([Told("m:8b", "storage", 2.0), Told("ollama:m:8b", "storage", 0.5)], 0.5),
        ([Told("m:8b", "security", 2.0), Told("other", "storage", 2.0)], 1.0),
    ],
)
def test_the_last_word_on_the_topic_holds(told: list[Told], factor: float) -> None:
    assert told_factor("ollama:m:8b", "storage", told) == factor


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("hermes3:8b | security | 1.5", Told("hermes3:8b", "security", 1.5)),
        ("ollama:hermes3:8b|Security|x2", Told("ollama:hermes3:8b", "security", 2.0)),
        ("qwen | any | 0.5", Told("qwen", ANY, 0.5)),
    ],
)
def test_a_lesson_is_read(text: str, told: Told) -> None:
    assert read_lesson(text) == told


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "needs a juror"),
        ("hermes3 security 1.5", "needs a juror"),
        ("hermes3 | | 1.5", "needs a juror"),
        ("a | b | c | d", "needs a juror"),
        ("hermes3 | security | much", "is no number"),
        ("hermes3 | security | 0", "from 0.1 to 5"),
        ("hermes3 | security | nan", "from 0.1 to 5"),
        ("hermes3 | security | 1e9", "from 0.1 to 5"),
    ],
)
def test_a_lesson_that_cannot_be_read_says_why(text: str, reason: str) -> None:
    with pytest.raises(NotALesson, match=reason):
        read_lesson(text)
