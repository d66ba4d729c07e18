from __future__ import annotations

import pytest

from hermes.agents.commits.facts import facts_of
from hermes.agents.commits.records import Change, Draft, FileChange, Hunk, Sources, Style, Ticket
from hermes.agents.commits.validate import parse, problems
from hermes.tests.builders.secrets import Planted, planted

CHANGE = Change(
    files=(
        FileChange(
            path="shop/cart.py",
            kind="changed",
            added=2,
            removed=1,
            hunks=(
                Hunk(
                    "@@ -1,3 +1,4 @@ class Cart:",
                    (
                        " class Cart:",
                        '-    parser.add("--fast", timeout=10)',
                        '+    parser.add("--quick", timeout=30)',
                        "+    os.environ.get('SHOP_LEVEL').total()",
                    ),
                ),
            ),
        ),
    ),
    branch="fix/ENG-17-cart",
    head="a" * 40,
)
STYLE = Style(previous="Add a cart", seen=100, length=60)
SOURCES = Sources(ticket=Ticket("ENG-17"), allowed=frozenset({"shop"}))


def rules(text: str, style: Style = STYLE, sources: Sources = SOURCES) -> set[str]:
    subject, _, body = text.partition("\n\n")
    found = problems(Draft(subject, body), CHANGE, facts_of(CHANGE), style, sources)
    return {problem.rule for problem in found}


@pytest.mark.parametrize(
    "text",
    [
        "Rename --fast to --quick",
        "Raise the timeout from 10 to 30 in shop/cart.py",
        "Call `Cart.total` by SHOP_LEVEL",
        "Rename an option of the cart, refs ENG-17",
        "Wait 30 s and/or stop, on GitHub over HTTP/2 in UTF-8",
        "Say so\n\n- Changes cart.py\n- Leaves the rest, e.g. what was there",
    ],
)
def test_what_the_change_has_may_be_named(text: str) -> None:
    assert rules(text) == set()


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Raise the timeout to 31", "unknown_number"),
        ("Prepare for v9.1", "unknown_number"),
        ("Call Ledger.settle", "unknown_name"),
        ("Call settle_now", "unknown_name"),
        ("Call `settle`", "unknown_name"),
        ("Call settle()", "unknown_name"),
        ("Read SHOP_COLOUR", "unknown_name"),
        ("Update shop/ledger.py", "unknown_path"),
        ("Add --slow", "unknown_flag"),
        ("Fix the cart (#483)", "unknown_ticket"),
        ("Fix the cart, refs ENG-18", "unknown_ticket"),
        ("Restore what 1f2e3d4c did", "unknown_commit"),
        ("See https://example.com/a", "unknown_address"),
        ("Here is the commit message: fix", "preamble"),
        ("This commit fixes the cart", "preamble"),
        ("Commit message: fix the cart", "preamble"),
        ("Fix the cart\n\n```\ncart\n```", "fence"),
        ("## Fix the cart", "heading"),
        ("Fix the cart\n\n# lost", "comment"),
        ('"Fix the cart"', "quotes"),
        ("Fix the cart " * 6, "length"),
        ("feat: rename an option", "form"),
        ("rename an option", "case"),
        ("Renamed an option", "mood"),
        ("Rename an option.", "period"),
        ("✨ Rename an option", "emoji"),
        ("Add a cart", "previous"),
        ("Update files", "vague"),
        ("misc changes", "vague"),
        ("", "empty"),
        ("   ", "empty"),
        ("Fix \x1b[31mcart", "control"),
        ("Fix \u202ecart", "control"),
    ],
)
def test_what_may_not_stand_is_named_by_its_rule(text: str, rule: str) -> None:
    assert rule in rules(text)


@pytest.mark.parametrize("secret", planted()[:6])
def test_a_secret_is_refused(secret: Planted) -> None:
    assert "secret" in rules(f"Fix the cart\n\n{secret.line}")


def test_conventional_types_are_those_in_use() -> None:
    style = Style(form="conventional", types=("feat", "fix", "docs"), upper=False, seen=50)

    assert rules("fix(cart): rename --fast", style) == set()
    assert "type" in rules("chore: rename --fast", style)
    assert "form" in rules("rename --fast", style)


def test_a_ticket_that_the_repository_always_names_is_missed() -> None:
    style = Style(ticket="suffix", ticket_form="({key})", seen=50)

    assert "ticket_missing" in rules("Rename --fast", style)
    assert rules("Rename --fast (ENG-17)", style) == set()


def test_only_a_person_adds_a_sign_off() -> None:
    signed = Draft("Rename --fast", "", ("Signed-off-by: Sam Doe <sam@example.com>",))
    facts = facts_of(CHANGE)

    found = problems(signed, CHANGE, facts, STYLE, SOURCES)
    assert {one.rule for one in found} == {"trailer"}
    own = Style(seen=100, sign_off="Sam Doe <sam@example.com>")
    assert problems(signed, CHANGE, facts, own, SOURCES) == []


def test_a_message_is_taken_apart_as_git_does() -> None:
    draft = parse(
        "Fix it\n\nBecause.\n\nRefs: ENG-17\nCo-authored-by: A <a@b>\n# comment\n"
        "# ------------------------ >8 ------------------------\ndiff --git\n",
        Style(),
    )

    assert draft == Draft("Fix it", "Because.", ("Refs: ENG-17", "Co-authored-by: A <a@b>"))
    assert parse("Fix it\n", Style()) == Draft("Fix it")
    assert parse("Fix it\n\nNote: this\nis prose.\n", Style()).trailers == ()
    assert parse("; gone\nFix #1\n", Style(comment=";")).subject == "Fix #1"
