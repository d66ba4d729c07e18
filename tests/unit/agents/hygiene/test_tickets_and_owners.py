"""What was so since when: tickets' states, areas' owners, and who is who."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from hermes.agents.hygiene import ownership, tickets
from hermes.agents.hygiene.identities import one_name_each
from hermes.memory.index import AuthorCount
from hermes.memory.records import Commit, FileChange, ItemChange, ItemKind, Mark
from hermes.tests.builders.items import BEGUN, thread, ticket
from hermes.tests.builders.records import commit_of

DAY = 86_400


def changes(*steps: tuple[int, str, str]) -> list[ItemChange]:
    return [ItemChange(BEGUN + day * DAY, name, value) for day, name, value in steps]


def told(*steps: tuple[int, str, str]) -> list[tuple[str, str, int, int | None]]:
    item = ticket("ENG-17", "Retry payments", changes=changes(*steps))
    return [
        (f.relation, f.value, (f.since - BEGUN) // DAY, f.until and (f.until - BEGUN) // DAY)
        for f in tickets.facts("", [item])
    ]


def test_each_state_and_assignee_ends_when_the_next_begins() -> None:
    assert told(
        (0, "state", "Todo"),
        (1, "assignee", "Sam"),
        (3, "state", "Done"),
        (4, "assignee", ""),
        (5, "state", "Todo"),
    ) == [
        ("state", "Todo", 0, 3),
        ("state", "Done", 3, 5),
        ("state", "Todo", 5, None),
        ("assignee", "Sam", 1, 4),
    ]


def test_a_state_that_is_given_twice_lasts_and_of_one_moment_the_last_word_counts() -> None:
    assert told(
        (0, "state", "Todo"), (1, "state", "Todo"), (2, "state", "Doing"), (2, "state", "Done")
    ) == [("state", "Todo", 0, 2), ("state", "Done", 2, None)]


def test_without_changes_what_is_so_counts_from_the_beginning() -> None:
    (fact,) = tickets.facts("", [ticket("ENG-17", "Retry payments", state="Todo")])
    assert (fact.subject, fact.value, fact.since, fact.until) == (
        "ticket:ENG-17",
        "Todo",
        BEGUN,
        None,
    )


CLOSED = ticket("ENG-17", "Retry payments", state="Done", closed=BEGUN + 9 * DAY)
OPEN = ticket("ENG-18", "Count retries")


def over(*, about: Sequence[str] = ("ENG-17",), day: int = 5) -> Mark | None:
    talk = thread(1, "about it", tickets=about, time=BEGUN + day * DAY)
    found = tickets.marks("", [talk], [CLOSED, OPEN])
    return found[0] if found else None


def test_a_closed_ticket_and_a_discussion_of_it_have_ended() -> None:
    (mark,) = tickets.marks("", [CLOSED, OPEN], [CLOSED, OPEN])
    assert (mark.ref, mark.ended, mark.why) == (CLOSED.ref, BEGUN + 9 * DAY, "closed")
    talked = over()
    assert talked is not None
    assert (talked.ended, talked.ended_by, talked.why) == (
        BEGUN + 9 * DAY,
        CLOSED.ref,
        "ENG-17 was closed",
    )


@pytest.mark.parametrize(
    ("about", "day"),
    [(["ENG-17", "ENG-18"], 5), (["ENG-17", "ENG-99"], 5), (["ENG-17"], 11)],
    ids=["another is open", "another is not known", "it went on afterwards"],
)
def test_a_discussion_goes_on_where(about: list[str], day: int) -> None:
    assert over(about=about, day=day) is None


def test_a_merged_pull_request_holds_and_one_that_was_given_up_does_not() -> None:
    pull = replace(CLOSED, kind=ItemKind.PULL, key="#4", state="merged")
    assert tickets.marks("", [pull], [pull]) == []
    assert len(tickets.marks("", [replace(pull, state="closed")], [])) == 1


def test_a_number_that_two_repositories_have_means_neither() -> None:
    one = replace(CLOSED, key="#4", repo="a", ref="github:a#4")
    two = replace(CLOSED, key="#4", repo="b", ref="github:b#4")
    talk = thread(1, "about #4", tickets=["#4"], time=BEGUN)
    assert tickets.marks("", [talk], [one, two]) == []
    (mark,) = tickets.marks("a", [replace(talk, repo="a")], [one, two])
    assert mark.ended_by == one.ref


def work(
    number: int, who: str, path: str, letter: str = "M", old: str | None = None, day: int = 0
) -> Commit:
    return commit_of(
        "r",
        number,
        author=who,
        email=f"{who}@example.org",
        files=[FileChange(path, letter, old_path=old)],
        time=BEGUN + day * DAY + number,
    )


def owners(commits: Sequence[Commit], area: str) -> list[tuple[str, bool]]:
    """Return who owned an area in turn, and whether they still do."""
    facts = ownership.facts("r", commits, {})
    return [(f.value, f.until is None) for f in facts if f.subject == f"path:{area}"]


SAM = [work(n, "Sam", "shop/pay/card.py", "A" if n == 0 else "M") for n in range(6)]


def test_whoever_made_most_changes_owns_an_area() -> None:
    assert owners(SAM, "shop/pay/") == owners(SAM, "shop/") == [("Sam", True)]


def test_a_few_changes_make_no_owner() -> None:
    assert owners(SAM[:4], "shop/pay/") == []


def test_another_takes_over_when_they_are_well_ahead() -> None:
    kim = [work(n, "Kim", "shop/pay/card.py") for n in range(6, 20)]
    assert owners([*SAM, *kim[:7]], "shop/pay/") == [("Sam", True)]
    assert owners([*SAM, *kim], "shop/pay/") == [("Sam", False), ("Kim", True)]


def test_one_late_change_makes_no_owner_where_the_old_ones_faded() -> None:
    late = [work(30, "Kim", "shop/pay/card.py", day=3_000)]
    assert owners([*SAM, *late], "shop/pay/") == [("Sam", True)]


def test_a_renamed_area_keeps_its_owner_and_the_old_one_has_none() -> None:
    moved = work(9, "Kim", "shop/billing/card.py", "R", "shop/pay/card.py")
    commits = [*SAM, moved]
    assert owners(commits, "shop/pay/") == [("Sam", False)]
    assert owners(commits, "shop/billing/") == [("Sam", True)]


def test_one_address_is_one_person_by_the_latest_name_and_mailmap_joins_addresses() -> None:
    authors = [
        AuthorCount("Sam", "sam@old.example", 3, 100),
        AuthorCount("Sam Ito", "SAM@old.example", 2, 200),
        AuthorCount("sito", "sam@home.example", 1, 300),
        AuthorCount("Kim", "", 1, 400),
    ]
    mapped = [(a.name, a.email) for a in authors]
    mapped[2] = ("Sam Ito", "sam@old.example")
    assert list(one_name_each(authors, mapped).values()) == ["Sam Ito"] * 3 + ["Kim"]
