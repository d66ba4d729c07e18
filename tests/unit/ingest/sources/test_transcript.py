"""What people said, as it is written down and found again by who said it."""

from __future__ import annotations

import pytest

from hermes.ingest.sources.transcript import Turn, spoken, transcript, turn, turns
from hermes.memory.forgetting_rules import RuleKind, person_rule, read_rule
from hermes.memory.records import Item, ItemKind
from hermes.memory.sieve import Sieve

AT = 1_773_309_840
SALT = b"salt"


@pytest.mark.parametrize(
    ("name", "at", "text", "where", "written"),
    [
        ("Kim Noor", AT, " Yes. ", "", "Kim Noor (12 March 2026 10:04): Yes."),
        ("Kim Noor", None, "Yes.", "", "Kim Noor: Yes."),
        ("Kim", AT, "Why?", "src/a.py:4", "Kim (12 March 2026 10:04, src/a.py:4): Why?"),
        ("Kim", None, "Why?", "on f(x)", "Kim (on f[x]): Why?"),
        ("Kim (she): <x>\nB", None, "a\n\nb", "", "Kim she x B: a\n\nb"),
        ("", None, "Yes.", "", "somebody: Yes."),
    ],
)
def test_a_turn(name: str, at: int | None, text: str, where: str, written: str) -> None:
    assert turn(name, at, text, where) == written


def test_what_a_forgotten_person_said_goes_and_the_rest_stays() -> None:
    text = transcript(
        "Which cache?",
        [turn("Kim Noor", AT, "Redis.\n\nIt has TTLs."), turn("Sam Ito", AT + 60, "Agreed.")],
    )
    item = Item(
        *("slack", "slack:C/1", ItemKind.THREAD, "", "Which cache?", text, "Sam Ito", ""),
        *(AT, AT + 60),
        people=(("Kim Noor", ""), ("Sam Ito", "")),
    )
    rule = read_rule(RuleKind.PERSON, person_rule(["Kim Noor"], [], [], SALT), SALT)
    (left,) = Sieve([(1, rule)]).discussions([item], []).items
    assert "TTLs" not in left.text
    assert "Which cache?" in left.text
    assert "Sam Ito (12 March 2026 10:05): Agreed." in left.text


def test_what_was_said_is_had_without_who_said_it_and_when() -> None:
    said = ["Yes: it is.", "```\nx = 1\n```", "no (12 March 2026): not a turn"]
    told = transcript(
        "It fails (often).",
        [
            turn("Kim Noor", AT, said[0], "src/a.py:3"),
            turn("", AT, said[1]),
            turn("A", AT, said[2]),
        ],
    )
    assert spoken(told) == "\n\n".join(["It fails (often).", *said])


@pytest.mark.parametrize(
    "said",
    [
        [Turn("Kim Noor", AT, "Why a script?", "src/pool.py:40")],
        [Turn("Kim Noor", AT, "approved."), Turn("Sam Ito", AT + 60, "thanks")],
        [Turn("Kim Noor", None, "of no time"), Turn("Sam Ito", AT, "one\n\nNote: two")],
        [Turn("somebody", AT, "```\ncode\n```")],
        [Turn("Kim Noor", None, "where", "src/pool.py:40")],
    ],
)
def test_turns_are_read_as_they_were_written(said: list[Turn]) -> None:
    text = transcript("What it is.", [turn(t.who, t.at, t.text, t.where) for t in said])
    assert turns(text, ["Kim Noor", "Sam Ito"]) == ("What it is.", said)


def test_what_a_program_says_in_between_is_nobodys() -> None:
    text = transcript("", [turn("Kim Noor", AT, "x"), turn("deploy-bot", AT, "y")])
    assert turns(text, ["Kim Noor"]) == ("", [Turn("Kim Noor", AT, "x")])


@pytest.mark.parametrize(
    "text",
    [
        "Kim Noor (31 February 2026 10:00): x",
        "Kim Noor\n\nNote (see below): x",
        "He: Kim Noor (12 March 2026 10:04): said\nSam Ito: x",
        "",
    ],
)
def test_words_that_only_look_like_a_turn_are_none(text: str) -> None:
    assert turns(text, ["Sam Ito"]) == (text, [])
