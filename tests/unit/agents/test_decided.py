"""What a council decided, told first where a question is about that and nowhere else."""

from __future__ import annotations

import pytest

from hermes.agents.decided import decided_first, what_was_decided
from hermes.memory.council_records import SOURCE
from hermes.memory.records import Chunk, Kind, Passage, Recollection

VERDICT = (
    "The council decided on 2026-12-01, asked “sessions or JWT for auth?”: sessions (PASS). Take them.\n"
    "3 of 3 agreed (hermes3:8b).\nIt turned out right: no incident in a year."
)


def passage(source: str, title: str, text: str = "") -> Passage:
    chunk = Chunk("i", "r", source, Kind.MESSAGE, title, "", 0, "", "", 0, title, text, text)
    return Passage(chunk, 1.0, {})


FOUND = Recollection(
    (
        passage("git", "Add a login form"),
        passage(SOURCE, "Council: tabs or spaces?"),
        passage(SOURCE, "Council: sessions or JWT for auth?", VERDICT),
    ),
    0.2,
    False,
    {},
)


@pytest.mark.parametrize(
    "question",
    [
        "what did the council decide about auth?",
        "what was decided about sessions?",
        "was hat der Rat über auth entschieden?",
    ],
)
def test_a_verdict_on_the_topic_comes_first_and_counts_as_an_answer(question: str) -> None:
    found = decided_first(question, FOUND)
    assert found.relevant
    assert found.passages[0].chunk.title == "Council: sessions or JWT for auth?"
    assert len(found.passages) == 3


@pytest.mark.parametrize(
    "question",
    ["how does auth work?", "what did the council decide about payments?", "who wrote the login?"],
)
def test_of_another_topic_or_asked_for_something_else_nothing_changes(question: str) -> None:
    assert decided_first(question, FOUND) is FOUND


def test_it_is_told_with_how_it_turned_out() -> None:
    assert what_was_decided(VERDICT) == (
        "The council decided on 2026-12-01, asked “sessions or JWT for auth?”: sessions (PASS). Take"
        " them. It turned out right: no incident in a year."
    )
    assert what_was_decided("something else") == ""
