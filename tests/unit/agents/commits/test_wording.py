from __future__ import annotations

from dataclasses import replace

import pytest

from hermes.agents.commits.records import Change, Facts, FileChange, Sources, Style, Ticket
from hermes.agents.commits.wording import drafts

CHANGE = Change(files=(FileChange(path="shop/cart.py", kind="changed", added=3, removed=1),))
FACTS = Facts(
    kind="feat",
    main="Cart.total",
    main_path="shop/cart.py",
    statements=("adds Cart.total", "renames --fast to --quick", "updates cart.py"),
    scope="cart",
    reason="adds Cart.total",
)
TICKET = Sources(ticket=Ticket("ENG-17", source="branch"))
PLAIN = Style(seen=100)
TYPED = Style(form="conventional", types=("feat", "fix"), upper=False, seen=100)


@pytest.mark.parametrize(
    ("style", "subject"),
    [
        (PLAIN, "Add Cart.total"),
        (replace(PLAIN, upper=False), "add Cart.total"),
        (replace(PLAIN, mood="past"), "Added Cart.total"),
        (replace(PLAIN, mood="third"), "Adds Cart.total"),
        (replace(PLAIN, period=True), "Add Cart.total."),
        (replace(PLAIN, ticks=True), "Add `Cart.total`"),
        (replace(PLAIN, emoji=True), "✨ Add Cart.total"),
        (replace(PLAIN, emoji=True, examples=(":bug: Fix",)), ":sparkles: Add Cart.total"),
        (replace(PLAIN, language="other"), "cart.py: Cart.total"),
        (TYPED, "feat: add Cart.total"),
        (replace(TYPED, scoped=True, scopes=("cart",)), "feat(cart): add Cart.total"),
        (replace(TYPED, scoped=True, scopes=("shop",)), "feat(shop): add Cart.total"),
        (Style(form="scoped", upper=False, seen=9), "cart: add Cart.total"),
        (replace(PLAIN, ticket="prefix", ticket_form="[{key}]"), "[ENG-17] Add Cart.total"),
        (replace(PLAIN, ticket="suffix", ticket_form="({key})"), "Add Cart.total (ENG-17)"),
        (replace(PLAIN, ticket="suffix", ticket_form=", refs {key}"), "Add Cart.total, refs ENG-17"),
        (replace(PLAIN, length=12), "Add total"),
    ],
)  # fmt: skip
def test_a_draft_is_written_as_the_repository_writes(style: Style, subject: str) -> None:
    assert drafts(CHANGE, FACTS, style, TICKET, 1)[0].subject == subject


def test_alternatives_stress_other_things() -> None:
    subjects = [draft.subject for draft in drafts(CHANGE, FACTS, PLAIN, Sources(), 3)]

    assert subjects == ["Add Cart.total", "Rename --fast to --quick", "Update cart.py"]


def test_a_body_tells_the_rest_where_bodies_are_usual() -> None:
    (with_body,) = drafts(CHANGE, FACTS, replace(PLAIN, body=True), Sources(), 1)
    (without,) = drafts(CHANGE, FACTS, PLAIN, Sources(), 1)

    assert with_body.body == "- Rename --fast to --quick"
    assert without.body == ""


def test_trailers_come_last() -> None:
    style = replace(PLAIN, ticket="trailer", ticket_form="Refs: {key}", sign_off="S <s@e>")

    (draft,) = drafts(CHANGE, FACTS, style, TICKET, 1)

    assert draft.text == "Add Cart.total\n\nRefs: ENG-17\nSigned-off-by: S <s@e>\n"


def test_the_previous_subject_is_not_proposed_again() -> None:
    (draft,) = drafts(CHANGE, FACTS, replace(PLAIN, previous="Add Cart.total"), Sources(), 1)

    assert draft.subject == "Rename --fast to --quick"


def test_nothing_staged_has_no_draft() -> None:
    assert drafts(Change(files=()), FACTS, PLAIN, Sources(), 3) == []


def test_a_draft_says_what_it_rests_on() -> None:
    (draft,) = drafts(CHANGE, FACTS, TYPED, Sources(), 1)

    assert draft.why[:2] == ("what: adds Cart.total", "type feat: adds Cart.total")
