"""What others wrote to somebody, read from items as sources bring them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from hermes.agents.brief.heard import facts_of, names_in, turns_of
from hermes.agents.brief.records import Person
from hermes.ingest.sources.transcript import transcript, turn
from hermes.memory.records import Item, ItemChange, ItemKind
from hermes.tests.builders.items import KIM, SAM, thread, ticket

SINCE = int(datetime(2026, 3, 12, 18, 0, tzinfo=UTC).timestamp())
UNTIL = SINCE + 15 * 3600
NIGHT = SINCE + 3600
MINE = frozenset([SAM[0]])


def pull(*turns: str, author: tuple[str, str] = SAM, changes: tuple[ItemChange, ...] = ()) -> Item:
    return replace(
        ticket("#482", "Count in Redis", source="github", time=SINCE - 86_400),
        kind=ItemKind.PULL,
        text=transcript("Sliding windows.", list(turns)),
        author=author[0],
        email=author[1],
        people=(author, KIM),
        changed=NIGHT,
        changes=changes,
    )


def said(who: str, text: str, at: int = NIGHT, where: str = "") -> str:
    return turn(who, at, text, where)


def told(item: Item) -> list[str]:
    return [fact.text for fact in facts_of(item, MINE, SINCE, UNTIL)]


@pytest.mark.parametrize(
    ("item", "facts"),
    [
        (
            pull(said("Kim Noor", "Why a script?", where="limits/window.lua:8")),
            ["Kim Noor left 1 comment on your #482 “Count in Redis”: “Why a script?”"],
        ),
        (
            pull(said("Kim Noor", "Why?"), said("Lea Brandt", "asked for changes.")),
            ["Kim Noor and Lea Brandt asked for changes on your #482 “Count in Redis”: “Why?”"],
        ),
        (
            pull(said("Kim Noor", "approved.")),
            ["Kim Noor approved your #482 “Count in Redis”"],
        ),
        (pull(said("Kim Noor", "Why?", at=SINCE - 7200), said("Sam Ito", "so.")), []),
        (
            pull(said("Kim Noor", "@sam what do you think?"), author=KIM),
            ["Kim Noor mentioned you in #482 “Count in Redis”: “@sam what do you think?”"],
        ),
        (pull(said("Lea Brandt", "Sampling is slow"), author=KIM), []),
        (
            pull(author=KIM, changes=(ItemChange(NIGHT, "reviewer", "Sam Ito"),)),
            ["your review of #482 “Count in Redis” is asked for"],
        ),
        (
            pull(changes=(ItemChange(NIGHT, "state", "merged"),)),
            ["#482 “Count in Redis” is now merged"],
        ),
    ],
)
def test_what_came_in_on_a_pull_request_is_told(item: Item, facts: list[str]) -> None:
    assert told(item) == facts


@pytest.mark.parametrize(
    ("item", "facts"),
    [
        (
            replace(
                ticket("ENG-17", "Retry", assignee="Sam Ito", time=SINCE - 9),
                author=KIM[0],
                changes=(ItemChange(NIGHT, "assignee", "Sam Ito"),),
            ),
            ["ENG-17 “Retry” was assigned to you"],
        ),
        (
            replace(
                ticket("ENG-17", "Retry", assignee="Sam Ito", time=SINCE - 9),
                changes=(ItemChange(NIGHT, "state", "In Review"),),
            ),
            ["ENG-17 “Retry” is now In Review"],
        ),
        (
            replace(
                ticket("ENG-17", "Retry", assignee="Kim Noor", time=SINCE - 9),
                changes=(ItemChange(NIGHT, "state", "Done"),),
            ),
            [],
        ),
        (
            replace(
                thread(1, said("Kim Noor", "ask Sam Ito about it"), people=(KIM,)),
                title="#eng: limits",
            ),
            ["Kim Noor mentioned you in #eng “limits”: “ask Sam Ito about it”"],
        ),
        (
            replace(thread(1, said("Kim Noor", "it is the lock")), title="#eng: limits"),
            ["Kim Noor answered in #eng “limits”: “it is the lock”"],
        ),
        (replace(thread(1, said("Kim Noor", "it is the lock"), people=(KIM,))), []),
    ],
)
def test_what_came_in_by_tickets_and_chat_is_told(item: Item, facts: list[str]) -> None:
    assert told(item) == facts


def test_somebody_is_known_in_an_item_by_their_address() -> None:
    person = Person(frozenset(["S. Ito"]), frozenset([SAM[1]]))
    assert names_in(thread(1), person) == {"S. Ito", "Sam Ito"}


def test_words_that_only_look_like_a_turn_are_none() -> None:
    text = "Kim (31 February 2026 10:00): x\nKim (12 Foo 2026 10:00): x\nKim: hello"
    assert turns_of(text) == []
