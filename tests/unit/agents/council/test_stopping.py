"""Stopping early never changes who wins: every council of up to five jurors."""

from __future__ import annotations

from itertools import product

import pytest

from hermes.agents.council.case import make_case
from hermes.agents.council.records import Kind, Opinion, Packet, Severity, Vote, Weight
from hermes.agents.council.stopping import settled
from hermes.agents.council.verdict import decide
from hermes.tests.builders.council import finding, opinion

JUDGMENT = Packet("Is it safe?", Kind.JUDGMENT)
CHOICE = Packet("Postgres, Mongo or Redis?", Kind.CHOICE, ("Postgres", "Mongo", "Redis"))
SERIOUS, MINOR = (finding(),), (finding(severity=Severity.MINOR),)


def _votes(name: str) -> list[Opinion]:
    """What one juror may say to a judgment, as far as the rules tell it apart."""
    return [
        opinion(name, Vote.PASS, confidence=0.9),
        opinion(name, Vote.WARN),
        opinion(name, Vote.FAIL, confidence=0.9, findings=MINOR),
        opinion(name, Vote.FAIL, findings=SERIOUS),
        opinion(name, Vote.DISAGREE),
        opinion(name, Vote.ABSTAIN),
    ]


def _positions(name: str) -> list[Opinion]:
    """What one juror may say to a choice."""
    return [
        opinion(name, Vote.PASS, "Postgres"),
        opinion(name, Vote.PASS, "Mongo", 0.9),
        opinion(name, Vote.FAIL, "Redis", findings=SERIOUS),
        opinion(name, Vote.WARN, "it depends"),
        opinion(name, Vote.ABSTAIN),
    ]


@pytest.mark.parametrize(
    ("packet", "weighing"),
    [
        (JUDGMENT, (3.0, 1.3, 1.0, 0.7, 0.25)),
        (CHOICE, (1.0, 1.0, 1.0, 1.0, 1.0)),
        (CHOICE, (3.0, 1.3, 1.0, 0.7, 0.25)),
    ],
    ids=["judgment", "choice", "weighted choice"],
)
def test_stopping_early_never_changes_the_winner(
    packet: Packet, weighing: tuple[float, ...]
) -> None:
    said_by = [(_votes if packet is JUDGMENT else _positions)(f"m{n}") for n in range(5)]
    weights = [Weight(f"ollama:m{n}", value) for n, value in enumerate(weighing)]
    stopped = 0
    for count in range(1, 6):
        early: dict[tuple[int, ...], str | None] = {}
        for answer in product(range(len(said_by[0])), repeat=count):
            said = [said_by[place][kind] for place, kind in enumerate(answer)]
            winner = decide(make_case(packet, said, weights=weights)).side
            for heard in range(count):
                if answer[:heard] not in early:
                    case = make_case(packet, said[:heard], weights=weights)
                    stop = settled(case, weighing[heard:count])
                    early[answer[:heard]] = decide(case).side if stop else None
                if (stood := early[answer[:heard]]) is not None:
                    stopped += 1
                    assert stood == winner, answer
    assert stopped > 50


@pytest.mark.parametrize(
    ("said", "pending", "stop"),
    [
        (["Postgres", "Postgres"], [1.0], True),
        (["Postgres", "Postgres"], [1.0, 1.0], False),
        (["Postgres", "Postgres", "Mongo"], [1.0], False),
        (["Postgres", "Postgres", "Postgres", "Mongo"], [1.0], True),
        (["Postgres"], [0.25, 0.25], True),
        ([], [1.0], False),
        (["Postgres", "Mongo"], [], True),
    ],
)
def test_a_choice_is_settled_when_the_lead_is_larger_than_all_that_is_to_come(
    said: list[str], pending: list[float], stop: bool
) -> None:
    opinions = [opinion(f"m{n}", position=text) for n, text in enumerate(said)]
    assert settled(make_case(CHOICE, opinions), pending) is stop


def test_a_judgment_is_settled_by_a_serious_fail_and_by_nothing_else() -> None:
    stop = [opinion("a", Vote.FAIL, findings=SERIOUS)]
    go = [opinion(name, confidence=1.0) for name in "abcd"]
    assert settled(make_case(JUDGMENT, stop), [3.0, 3.0])
    assert not settled(make_case(JUDGMENT, go), [0.25])


def test_an_open_question_hears_everybody() -> None:
    said = [opinion(name, position="cookies") for name in "abcd"]
    assert not settled(make_case(Packet("How?", Kind.OPEN), said), [0.25])
