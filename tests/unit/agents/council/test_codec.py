"""Records as text: the same to the byte, and a clear word about what is none."""

from __future__ import annotations

import pytest

from hermes.agents.council.codec import NotARecord, from_json, to_json
from hermes.agents.council.records import (
    DependencyChange,
    Kind,
    Opinion,
    Packet,
    Piece,
    Prior,
    Touched,
    Vote,
)
from hermes.tests.builders.council import finding, opinion

PACKET = Packet(
    "Ist das sicher? „ja“",
    Kind.JUDGMENT,
    topic="security",
    constraints=("no downtime",),
    pieces=(Piece("log", "log:1", "line\n\u2028\t\x1b[0m", "a.log"),),
    touched=(Touched("a.py", "renamed", 1, 2, "b.py"),),
    dependencies=(DependencyChange("httpx", "1", "2", "pyproject.toml", "changed"),),
    prior=(Prior("verdict", "7", "2026-11-30", "Postgres", ("a.py",)),),
)


def test_a_packet_comes_back_as_it_was() -> None:
    text = to_json(PACKET)
    assert from_json(Packet, text) == PACKET
    assert to_json(from_json(Packet, text)) == text
    assert "\n" not in text


def test_an_opinion_comes_back_as_it_was() -> None:
    said = opinion("a", Vote.FAIL, "Postgres", 0.9, findings=(finding(),), missing=("load",))
    assert from_json(Opinion, to_json(said)) == said


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", to_json(PACKET).replace("judgment", "guess"), to_json(opinion())]
)
def test_a_text_that_is_no_such_record_is_said_so(text: str) -> None:
    with pytest.raises(NotARecord, match="this is no Packet: "):
        from_json(Packet, text)
