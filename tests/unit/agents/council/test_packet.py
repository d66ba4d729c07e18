"""One packet for all: whole where it fits, cut by rank where it does not, and never with a secret."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hermes.agents.council.packet import Document, Given, make_packet, trim
from hermes.agents.council.perspectives import preset_of
from hermes.agents.council.records import Packet, Piece
from hermes.agents.council.wish import read_wish
from hermes.agents.models.budget import estimate_tokens

GENERAL = preset_of("general")
TOKEN = "ghp_" + "k3J9xQ2mW8vT4rY7pL1sD6fG0hB5nC" + "aZ8uE2"


def diff_of(path: str, lines: int) -> str:
    added = "\n".join(f"+value_{number} = compute({number})" for number in range(lines))
    return f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -0,0 +1,{lines} @@\n{added}\n"


def packet(question: str = "is it safe to merge?", **given: object) -> Packet:
    handed = replace(Given(), **given)  # type: ignore[arg-type]
    wish = read_wish(question, diff=bool(handed.diff), texts=bool(handed.files or handed.logs))
    return make_packet(wish, handed, preset=GENERAL)


def size(found: Packet) -> int:
    return estimate_tokens(found.diff) + sum(estimate_tokens(one.text) for one in found.pieces)


def test_secrets_are_out_of_every_part() -> None:
    found = packet(
        f"is token {TOKEN} safe?",
        diff=diff_of("a.py", 1).replace("value_0", f'token = "{TOKEN}"'),
        files=(Document("conf.py", f'KEY = "{TOKEN}"'),),
        logs=(Document("ci.log", f"using {TOKEN}"),),
        constraints=(f"keep {TOKEN}",),
    )
    assert TOKEN not in repr(found)


def test_a_pull_request_is_handed_in_once_with_what_was_said_on_it() -> None:
    pull = Document("github:acme/shop#482", f"Pull request #482\n\nuses {TOKEN}")
    found = make_packet(
        read_wish("is it safe to merge?", diff=True, texts=False),
        Given(diff=diff_of("a.py", 1), pull=pull),
        preset=GENERAL,
        recalled=[
            Piece("discussion", "github:acme/shop#482", "Pull request #482"),
            Piece("discussion", "github:acme/shop#17", "Requests pile up"),
        ],
    )
    assert [(one.kind, one.ref) for one in found.pieces] == [
        ("pull", "github:acme/shop#482"),
        ("discussion", "github:acme/shop#17"),
    ]
    assert TOKEN not in repr(found)


def test_what_fits_is_whole_and_nothing_is_said_to_be_left_out() -> None:
    found = packet(diff=diff_of("a.py", 5), logs=(Document("ci.log", "ok\n"),))
    assert trim(found, 8_000) == found
    assert found.left_out == ()


def test_what_is_cut_fits_and_is_said_and_counts_stay_those_of_the_whole() -> None:
    found = packet(
        diff=diff_of("big.py", 2_000) + diff_of("small.py", 3),
        files=(Document("plan.md", "a plan\n" * 3_000),),
        logs=(Document("ci.log", "".join(f"step {n}\n" for n in range(4_000))),),
    )
    cut = trim(found, 2_000)
    assert size(cut) <= 2_000
    assert cut.touched == found.touched
    assert cut.touched[0].added == 2_000
    said = " ".join(cut.left_out)
    assert "big.py" in said
    assert "plan.md" in said
    assert "ci.log" in said
    assert "small.py" not in said
    assert "compute(2)" in cut.diff.partition("small.py")[2]


def test_of_a_log_the_end_is_kept() -> None:
    log = "".join(f"step {number}\n" for number in range(4_000)) + "FAILED test_login\n"
    cut = trim(packet("can we ship it?", logs=(Document("ci.log", log),)), 500)
    assert cut.pieces[0].text.endswith("FAILED test_login\n")
    assert "step 0\n" not in cut.pieces[0].text


def test_generated_files_give_way_to_code() -> None:
    found = packet(diff=diff_of("package-lock.json", 60) + diff_of("src/pay.py", 60))
    cut = trim(found, 900)
    assert cut.diff.index("src/pay.py") < cut.diff.index("package-lock.json")


def test_of_recalled_passages_the_best_stay() -> None:
    pieces = tuple(Piece("commit", f"c{number}", f"passage {number} " * 60) for number in range(20))
    cut = trim(replace(packet("should we drop redis?"), pieces=pieces), 700)
    assert 1 <= len(cut.pieces) < 20
    assert [one.ref for one in cut.pieces] == [f"c{number}" for number in range(len(cut.pieces))]


def test_cutting_twice_says_it_once() -> None:
    found = packet(diff=diff_of("big.py", 2_000))
    once = trim(found, 500)
    assert trim(replace(found, left_out=once.left_out), 500).left_out == once.left_out


@pytest.mark.parametrize(
    ("globs", "why"),
    [
        (("migrations/",), "migrations/7.sql is a critical path (migrations/)"),
        (("*.sql",), "migrations/7.sql is a critical path (*.sql)"),
        (("billing/",), ""),
        ((), ""),
    ],
)
def test_a_critical_path_of_the_settings_is_found_in_the_diff(
    globs: tuple[str, ...], why: str
) -> None:
    given = Given(diff=diff_of("migrations/7.sql", 1))
    wish = read_wish("", diff=True)
    assert make_packet(wish, given, preset=GENERAL, critical=globs).critical == why


def test_the_security_preset_is_critical_by_itself() -> None:
    found = make_packet(read_wish("is it safe?"), Given(), preset=preset_of("security"))
    assert found.critical == "the security preset"
