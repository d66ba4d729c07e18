"""What jurors answer: what can be read is read, and of the rest it is said what is wrong with it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from hermes.agents.council.answers import Unread, read_answer
from hermes.agents.council.packet import Given, make_packet
from hermes.agents.council.perspectives import preset_of
from hermes.agents.council.records import Opinion, Piece, Prior, Severity, Vote
from hermes.agents.council.wish import read_wish
from hermes.tests.builders.council import juror

LONG = (
    "The queue holds a lock for the whole batch and gives it back only after all rows are written. "
)
PACKET = replace(
    make_packet(read_wish("is it safe to merge?"), Given(), preset=preset_of("")),
    pieces=(
        Piece("commit", "abc123", LONG * 4),
        Piece("file", "docs/plan.md", "x", "docs/plan.md"),
    ),
    prior=(Prior("revert", "fff999", "2026-11-01", "Revert it"),),
)
FULL = {
    "reasons": ["the lock is held"],
    "findings": [
        {"title": "lock", "severity": "critical", "evidence": ["E1"], "recommendation": "free it"}
    ],
    "missing": ["a load test"],
    "insight": "the lock is held for the batch",
    "position": "no",
    "decision": "wait",
    "vote": "FAIL",
    "confidence": 0.8,
}


def read(text: str) -> Opinion:
    return read_answer(text, juror(), PACKET, LONG * 4, 1)


def answer(**changed: object) -> str:
    return json.dumps(FULL | changed)


def test_a_whole_answer_is_taken_over() -> None:
    found = read(answer())
    assert (found.vote, found.position, found.confidence) == (Vote.FAIL, "no", 0.8)
    assert found.findings[0].severity is Severity.CRITICAL
    assert found.findings[0].evidence == ("abc123",)
    assert found.missing == ("a load test",)


@pytest.mark.parametrize(
    "text",
    [
        f"Sure, here it is:\n```json\n{answer()}\n```\nI hope that helps!",
        f"<think>Maybe {{PASS}}?</think>\n{answer()}",
        f'The form was {{"vote": "PASS", "confidence": 0.1}}, so: {answer()}',
        answer()[:-1],
        answer().replace('"FAIL"', "'FAIL'").replace(": 0.8}", ": 0.8,}"),
        answer(vote="fail"),
        answer(confidence="80 %"),
        answer(confidence=80),
        json.dumps({key.upper(): value for key, value in FULL.items()}),
    ],
)
def test_prose_fences_and_slips_of_form_do_not_matter(text: str) -> None:
    found = read(text)
    assert (found.vote, found.confidence, found.position) == (Vote.FAIL, 0.8, "no")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ("I think it is fine.", "prose"),
        ("I'm sorry, but I can't help with that.", "refused"),
        (LONG * 2, "repeats the packet"),
        (answer(insight=LONG * 2), "repeats the packet"),
        (answer(position=LONG * 2), "repeats the packet"),
        (json.dumps({"type": "object", "properties": {"vote": {}}}), "repeats the form"),
        (answer(vote="MAYBE"), "'MAYBE'"),
        (answer(vote=None), "says nothing"),
        (answer(confidence="very"), "confidence"),
        (answer(confidence=True), "confidence"),
        (answer(confidence=-1), "confidence"),
        (answer(position="", decision=""), "position"),
        (answer(insight="", reasons=[]), "no reason"),
        ("[]", "prose"),
        ("{" * 500, "prose"),
    ],
)
def test_what_can_not_be_counted_is_said_in_a_line(text: str, why: str) -> None:
    with pytest.raises(Unread) as told:
        read(text)
    assert why in str(told.value)
    assert "\n" not in str(told.value)


def test_a_finding_cites_only_what_the_packet_has() -> None:
    finding = {"title": "t", "severity": "minor", "recommendation": ""}
    cited = ["E2", "E77", "src/invented.py", "see docs/plan.md line 3", "P1", "diff"]
    found = read(answer(findings=[finding | {"evidence": cited}]))
    assert found.findings[0].evidence == ("docs/plan.md", "fff999")


def test_a_form_filled_with_numbers_says_nothing() -> None:
    numbers = [{"problem": "1.1.2", "severity": "critical", "recommendation": "1.1"}]
    found = read(answer(findings=numbers, missing=["1.2.3", "the load at peak"], insight="1"))
    assert (found.findings, found.missing, found.insight) == ((), ("the load at peak",), "")
    with pytest.raises(Unread, match="no reason"):
        read(answer(insight="1.1.1", reasons=["1", "E2"]))


def test_a_severity_that_is_none_stops_nothing() -> None:
    findings = [{"title": "a", "severity": "apocalyptic"}, {"title": "b", "severity": "High"}, "c"]
    found = read(answer(findings=findings))
    assert [one.severity for one in found.findings] == [
        Severity.MINOR,
        Severity.SIGNIFICANT,
        Severity.MINOR,
    ]


def test_an_answer_is_kept_within_bounds() -> None:
    found = read(answer(reasons=["word " * 900] * 50, findings=[{"title": "x" * 9_000}] * 50))
    assert len(found.reasons) == 1
    assert len(found.reasons[0]) <= 600
    assert len(found.findings) <= 6


def test_who_abstains_needs_no_reason() -> None:
    assert read(answer(vote="ABSTAIN", position="", insight="", reasons=[])).vote is Vote.ABSTAIN


def test_a_text_that_its_form_cut_ends_at_a_word() -> None:
    whole = "the lock is held for the batch and " * 9
    found = read(answer(insight=whole[:240], problems=[{"problem": "a lock", "severity": "minor"}]))
    assert found.insight == f"{whole[:240].rpartition(' ')[0]} …"
    assert [one.title for one in found.findings] == ["a lock"]
