"""The verdict card on a terminal: what carries first, dissent with its reasons, nothing that steers."""

from __future__ import annotations

from typing import Any

import pytest

from hermes.agents.council.case import make_case
from hermes.agents.council.records import Absent, Finding, Juror, Kind, Packet, Severity, Vote
from hermes.agents.council.verdict import decide
from hermes.daemon.council_fields import plain
from hermes.surfaces.cli.council_lines import card_lines, list_lines, seat_of
from hermes.tests.builders.council import juror, opinion

from .conftest import MakeStream

PACKET = Packet("is it safe to merge?", Kind.JUDGMENT, target="main..HEAD")


def council(*opinions: Any, absent: tuple[Absent, ...] = ()) -> dict[str, Any]:
    """A council as the API has it."""
    case = make_case(PACKET, opinions, absent=absent)
    verdict = decide(case)
    return {
        "id": 7, "question": PACKET.question, "mode": "standard", "preset": "general",
        "target": PACKET.target, "outcome": None, "note": "",
        "opinions": [plain(one) | {"seat": one.juror.seat} for one in opinions],
        "verdict": plain(verdict)
        | {"words": verdict.state.words, "probability_words": "uncalibrated", "weights": {}},
        "cost": {"models": ["ollama:a"], "tokens_in": 1_200, "tokens_out": 30, "seconds": 2.0},
    }  # fmt: skip


HOLE = Finding("no limit on the upload", Severity.CRITICAL, ("api.py",), "limit it")
SPLIT = council(
    opinion(juror("a", perspective="Red"), Vote.FAIL, "no", 0.9, insight="it fills the disk", findings=(HOLE,)),
    opinion(juror("b", perspective="Blue"), Vote.PASS, "yes", 0.7, insight="it is behind a login"),
    absent=(Absent(juror("c", perspective="Auditor"), "no answer within 180 s", "ollama:d/Auditor"),),
)  # fmt: skip


def test_the_card_says_what_carries_then_the_numbers_then_why(make_stream: MakeStream) -> None:
    lines = card_lines(SPLIT, make_stream())
    text = "\n".join(lines)
    assert lines[1] == "FAIL"
    assert "about main..HEAD" in lines[2:4]
    assert "agreement    1 of 2 (50% of the weight)" in lines
    assert "confidence   90% sure, as they say themselves" in lines
    assert "probability  uncalibrated" in lines
    assert "- PASS (b/Blue, 50%): it is behind a login" in lines
    assert "- critical: no limit on the upload [api.py]" in lines
    assert "    → limit it" in lines
    assert "no answer within 180 s; d/Auditor took the seat" in text
    assert lines[-1] == "council 7 · standard · general · a · 1,200 tokens in, 30 out · 2 s"


def test_a_change_of_mind_is_marked_and_one_without_a_reason_says_that_it_counts_less(
    make_stream: MakeStream,
) -> None:
    seat = juror("a", perspective="Red")
    found = council(
        opinion(seat, Vote.FAIL, "no", insight="it fills the disk"),
        opinion(seat, Vote.PASS, "yes", insight="I agree with the others", round=2),
        opinion(juror("b"), Vote.PASS, "yes", insight="it is small"),
    )
    lines = card_lines(found, make_stream())
    assert "- ⇄ a/Red: FAIL → PASS: without a new reason: counts half from then on" in lines
    said = [line for line in lines if line.startswith("⇄  PASS") or "⇄  PASS" in line]
    assert len(said) == 1
    assert "I agree with the others" in said[0]
    assert "it fills the disk" not in "\n".join(lines).partition("Changed minds")[0]


@pytest.mark.parametrize("columns", [24, 40, 80])
def test_a_narrow_terminal_shows_all_of_it_and_no_line_is_too_long(
    make_stream: MakeStream, columns: int
) -> None:
    lines = card_lines(SPLIT, make_stream(columns=columns))
    assert max(map(len, lines)) <= columns
    assert "critical" in " ".join(lines)


def test_what_a_juror_says_can_not_steer_the_terminal(make_stream: MakeStream) -> None:
    evil = "\x1b[2J\x1b]0;owned\x07"
    found = council(
        opinion("a", Vote.PASS, evil, insight=evil, decision=evil, missing=(evil,)),
        opinion("b", Vote.FAIL, "no", findings=(Finding(evil, Severity.MINOR, (evil,), evil),)),
    )
    found["question"] = found["target"] = evil
    row = {"state": "PASS", "progress": "done", "side": evil, "asked": 1.0} | found
    text = "\n".join([*card_lines(found, make_stream()), *list_lines([row], 2.0, make_stream())])
    assert "\x1b" not in text
    assert "\x07" not in text


@pytest.mark.parametrize(
    ("seat", "shown"),
    [
        (juror("hermes3:8b", perspective="Red").seat, "hermes3:8b/Red"),
        ("ollama:hf.co/org/model:q4/Red", "hf.co/org/model:q4/Red"),
        ("command:/opt/bin/claude -p/Red", "claude -p/Red"),
        ("command:claude --dir /a/b", "claude --dir /a/b"),
        (Juror("rule", "checks", "rule").seat, "rule:checks"),
    ],
)
def test_a_seat_is_shown_by_what_tells_it_apart(seat: str, shown: str) -> None:
    assert seat_of(seat) == shown
