"""Which side each opinion is counted for, and by what."""

from __future__ import annotations

import random

import pytest

from hermes.agents.council.cluster import LONGEST_LABEL, place
from hermes.agents.council.leaning import BOTH, NEITHER, UNCLEAR
from hermes.agents.council.records import Kind, Opinion, Vote
from hermes.tests.builders.council import opinion

STORES = ("Postgres", "Mongo")


def _side(one: Opinion) -> tuple[str, str]:
    (placed,) = place([one], Kind.CHOICE, STORES)
    return placed.side, placed.how


@pytest.mark.parametrize(
    ("said", "side", "how"),
    [
        (opinion(position="Postgres"), "Postgres", "position"),
        (opinion(position="Postgres over Mongo"), "Postgres", "position"),
        (opinion(position="both"), BOTH, "position"),
        (opinion(position="neither"), NEITHER, "position"),
        # a clear position is not outvoted by its reasons
        (
            opinion(position="Postgres", reasons=("Mongo scales out", "Mongo is what we know")),
            "Postgres",
            "position",
        ),
        # a vague position with clear reasons
        (opinion(position="It depends", decision="Go with Postgres"), "Postgres", "reasons"),
        (
            opinion(position="a relational store", insight="Postgres has transactions"),
            "Postgres",
            "reasons",
        ),
        (
            opinion(
                position="It depends",
                insight="Mongo loses writes on failover",
                reasons=("Postgres has transactions", "the team knows Mongo"),
            ),
            "Postgres",
            "reasons",
        ),
        (
            opinion(
                position="schwer zu sagen",
                reasons=("Postgres kann Transaktionen", "Mongo ist zu langsam"),
            ),
            "Postgres",
            "reasons",
        ),
        # reasons that pull both ways, or name nothing
        (
            opinion(
                position="It depends", reasons=("Postgres has transactions", "Mongo scales out")
            ),
            UNCLEAR,
            "unclear",
        ),
        (opinion(position="It depends", reasons=("it is late",)), UNCLEAR, "unclear"),
        (opinion(position=""), UNCLEAR, "unclear"),
    ],
)
def test_an_opinion_is_counted_for_the_option_it_is_for(said: Opinion, side: str, how: str) -> None:
    assert _side(said) == (side, how)


def test_of_a_judgment_the_vote_is_the_side_whatever_the_words() -> None:
    placed = place([opinion(vote=Vote.WARN, position="it depends")], Kind.JUDGMENT)
    assert [(one.side, one.how) for one in placed] == [("WARN", "vote")]


def test_who_abstains_takes_no_side() -> None:
    assert place([opinion(vote=Vote.ABSTAIN, position="Postgres")], Kind.CHOICE, STORES) == ()


def _open(*positions: str) -> list[str]:
    said = [opinion(f"m{n}", position=text) for n, text in enumerate(positions)]
    sides = {one.seat: one.side for one in place(said, Kind.OPEN)}
    return [sides[f"ollama:m{n}"] for n in range(len(positions))]


@pytest.mark.parametrize(
    ("positions", "sides"),
    [
        (["Use Redis", "Redis."], ["Redis", "Redis"]),
        (["Redis", "Memcached"], ["Redis", "Memcached"]),
        (
            ["Redis", "Postgres", "Redis with Postgres as fallback"],
            ["Redis", "Postgres", "Redis"],
        ),
        (
            ["Split the service", "Don't split the service"],
            ["Split the service", "Don't split the service"],
        ),
        (["Wir sollten Redis nehmen", "Redis"], ["Redis", "Redis"]),
        (["signed cookies", "cookies that are signed"], ["signed cookies", "signed cookies"]),
        (["It depends", "Redis"], ["", "Redis"]),
        (["REDIS", "redis"], ["REDIS", "REDIS"]),
    ],
)
def test_positions_that_say_the_same_are_one_side(positions: list[str], sides: list[str]) -> None:
    assert _open(*positions) == sides


def test_a_vague_position_is_read_by_its_decision() -> None:
    said = [
        opinion("a", position="it depends", decision="Start with Redis"),
        opinion("b", position="Redis"),
        opinion("c", position="hard to say", insight="It depends on the load"),
    ]
    placed = {one.seat: (one.side, one.how) for one in place(said, Kind.OPEN)}
    assert placed["ollama:b"] == ("Redis", "position")
    assert placed["ollama:c"] == ("", "unclear")
    assert placed["ollama:a"][1] == "reasons"


def test_a_long_position_gives_its_side_a_short_name() -> None:
    (side,) = _open("Keep sessions in signed cookies and " + "rotate the keys very often " * 10)
    assert side.startswith("Keep sessions in signed cookies and rotate")
    assert side.endswith("…")
    assert len(side) <= LONGEST_LABEL


def test_the_order_of_open_positions_does_not_matter() -> None:
    texts = [
        "Use Redis",
        "Redis",
        "Memcached",
        "Redis with Postgres",
        "Postgres",
        "no Redis",
        "it depends",
    ]
    said = [opinion(f"m{n}", position=text) for n, text in enumerate(texts)]
    expected = place(said, Kind.OPEN)
    for seed in range(30):
        assert place(random.Random(seed).sample(said, len(said)), Kind.OPEN) == expected
