"""What concerns somebody in tickets, pull requests and chat, read as sources bring them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from hermes.agents.brief.heard import facts_of
from hermes.agents.brief.item_done import done_by_all
from hermes.agents.brief.mine import Names, calls, logins_of, names_in
from hermes.agents.brief.reading import read
from hermes.agents.brief.records import Fact, Period, Person, Section
from hermes.agents.brief.unread import unread
from hermes.ingest.sources.transcript import transcript, turn
from hermes.memory.records import Item, ItemChange, ItemKind
from hermes.memory.sources import Fault, SourceRow
from hermes.tests.builders.items import KIM, SAM, thread, ticket

SINCE = int(datetime(2026, 3, 12, 18, 0, tzinfo=UTC).timestamp())
UNTIL = SINCE + 15 * 3600
NIGHT = SINCE + 3600
DAY = 86_400
BEFORE = SINCE - 2 * DAY
"""On Tuesday evening."""
PERIOD = Period(date(2026, 3, 13), SINCE, UNTIL, "since yesterday", UTC)
LEA = ("Lea Brandt", "lea@example.org")
ME = Person(frozenset([SAM[0]]), frozenset([SAM[1]]))


def pull(
    *turns: str,
    by: tuple[str, str] = SAM,
    state: str = "open",
    closed: int | None = None,
    changes: Iterable[tuple[int, str, str]] = (),
    opening: str = "Sliding windows.",
) -> Item:
    history = [ItemChange(BEFORE, "state", "open"), *(ItemChange(*each) for each in changes)]
    return replace(
        ticket("#482", "Count requests in Redis", source="github", time=BEFORE, state=state),
        kind=ItemKind.PULL,
        text=transcript(opening, list(turns)),
        author=by[0],
        email=by[1],
        people=(by, SAM, KIM, LEA),
        changed=NIGHT,
        closed=closed,
        changes=tuple(history),
    )


def issue(
    *turns: str,
    by: tuple[str, str] = KIM,
    to: str = "Sam Ito",
    state: str = "In Progress",
    closed: int | None = None,
    changes: Iterable[tuple[int, str, str]] = (),
    opening: str = "It grows.",
    opened: int = BEFORE,
) -> Item:
    return replace(
        ticket("ENG-17", "Retry queue grows", time=opened, state=state, assignee=to, closed=closed),
        text=transcript(opening, list(turns)),
        author=by[0],
        email=by[1],
        people=(by, (to, "")) if to else (by,),
        changed=NIGHT,
        changes=tuple(ItemChange(*each) for each in changes),
    )


def talk(*turns: str, people: tuple[tuple[str, str], ...] = (SAM, KIM)) -> Item:
    begun = thread(1, transcript("", list(turns)), people=people, time=SINCE - 3600)
    return replace(begun, title="#payments: which cache for the limiter?")


def said(who: str, text: str, at: int = NIGHT, where: str = "") -> str:
    return turn(who, at, text, where)


def facts(item: Item) -> list[Fact]:
    return list(facts_of([read(item, names_in(item, ME), PERIOD)]))


def told(item: Item, section: Section) -> list[str]:
    return [fact.text for fact in facts(item) if fact.section is section]


REQUESTED = (NIGHT, "review", "changes requested by Kim Noor")
APPROVED = (NIGHT + 60, "review", "approved by Lea Brandt")
SCRIPT = said("Kim Noor", "Why a script?", where="shop/limiter.py:8")
TTL = said("Lea Brandt", "And the TTL", NIGHT + 60, where="shop/pool.py:2-4")


@pytest.mark.parametrize(
    ("item", "text"),
    [
        (
            pull(SCRIPT, TTL, said("Kim Noor", "asked for changes."), changes=[REQUESTED]),
            (
                "Kim Noor asked for changes on your #482 “Count requests in Redis”;"
                " 2 comments, first in shop/limiter.py"
            ),
        ),
        (
            pull(SCRIPT, changes=[REQUESTED, APPROVED]),
            (
                "Kim Noor asked for changes on your #482 “Count requests in Redis”;"
                " Lea Brandt approved; 1 comment in shop/limiter.py"
            ),
        ),
        (
            pull(said("Lea Brandt", "approved."), changes=[APPROVED]),
            "Lea Brandt approved your #482 “Count requests in Redis”",
        ),
        (
            pull(SCRIPT),
            (
                "Kim Noor left 1 comment on your #482 “Count requests in Redis”, in shop/limiter.py:"
                " “Why a script?”"
            ),
        ),
        (
            pull(SCRIPT, TTL, said("Kim Noor", "Nice.", NIGHT + 120)),
            (
                "Kim Noor and Lea Brandt left 3 comments on your #482 “Count requests in Redis”,"
                " first in shop/limiter.py"
            ),
        ),
        (
            pull(changes=[(NIGHT, "checks", "failed: lint, tests")]),
            "checks of your #482 “Count requests in Redis” failed: lint, tests",
        ),
        (
            pull(changes=[APPROVED, (NIGHT + 90, "state", "merged")], state="merged", closed=NIGHT),
            "your #482 “Count requests in Redis” was merged; Lea Brandt approved it",
        ),
        (
            pull(by=KIM, changes=[(NIGHT, "reviewer", "Sam Ito")]),
            "Kim Noor asks for your review of #482 “Count requests in Redis”",
        ),
        (
            pull(said("Lea Brandt", "@Sam Ito what do you think?"), by=KIM),
            "Lea Brandt asks you in #482 “Count requests in Redis”: “@Sam Ito what do you think?”",
        ),
        (
            issue(changes=[(NIGHT, "assignee", "Sam Ito")]),
            "ENG-17 “Retry queue grows” was assigned to you",
        ),
        (
            issue(opened=NIGHT, opening="@Sam Ito can you look?"),
            (
                "ENG-17 “Retry queue grows” was assigned to you; Kim Noor asks you in it:"
                " “@Sam Ito can you look?”"
            ),
        ),
        (
            issue(
                changes=[(BEFORE, "state", "In Progress"), (NIGHT, "state", "In Review")],
                state="In Review",
            ),
            "ENG-17 “Retry queue grows” was moved from In Progress to In Review",
        ),
        (
            issue(said("Kim Noor", "It is the lock.")),
            "Kim Noor commented on ENG-17 “Retry queue grows”: “It is the lock”",
        ),
        (
            talk(said("Sam Ito", "why redis", SINCE - 60), said("Kim Noor", "It has TTLs.")),
            "Kim Noor answered in #payments “which cache for the limiter?”: “It has TTLs”",
        ),
        (
            talk(said("Kim Noor", "that is for Sam Ito to say"), people=(KIM,)),
            (
                "Kim Noor mentioned you in #payments “which cache for the limiter?”:"
                " “that is for Sam Ito to say”"
            ),
        ),
    ],
)
def test_what_came_in_is_told_in_one_sentence(item: Item, text: str) -> None:
    assert told(item, Section.OVERNIGHT) == [text]
    (fact,) = [each for each in facts(item) if each.section is Section.OVERNIGHT]
    assert fact.references[0].target == item.ref


@pytest.mark.parametrize(
    "item",
    [
        pull(said("Kim Noor", "Why?", BEFORE), said("Sam Ito", "So.", BEFORE + 60)),
        pull(SCRIPT, said("Sam Ito", "It is atomic.", NIGHT + 60)),
        pull(said("Lea Brandt", "Sampling is slow"), by=KIM),
        pull(by=KIM, changes=[(NIGHT, "reviewer", "Lea Brandt")]),
        pull(by=KIM, changes=[(NIGHT, "reviewer", "Sam Ito")], state="closed", closed=NIGHT),
        issue(to="Kim Noor", changes=[(NIGHT, "state", "Done")]),
        issue(by=SAM, opened=NIGHT),
        talk(said("Kim Noor", "it is the lock"), people=(KIM,)),
        talk(said("Kim Noor", "> ask Sam Ito\n`@Sam Ito`"), people=(KIM,)),
    ],
)
def test_what_concerns_others_or_was_answered_is_not_told(item: Item) -> None:
    assert told(item, Section.OVERNIGHT) == []


@pytest.mark.parametrize(
    ("item", "text"),
    [
        (
            pull(changes=[(BEFORE + 60, "review", "changes requested by Kim Noor")]),
            (
                "#482 “Count requests in Redis” waits for you: Kim Noor asked for changes on Tuesday at"
                " 18:01"
            ),
        ),
        (
            pull(said("Kim Noor", "Why?", BEFORE + 60)),
            "#482 “Count requests in Redis” waits for you: Kim Noor wrote on Tuesday at 18:01",
        ),
        (
            pull(changes=[(BEFORE + 60, "checks", "failed: lint")]),
            "#482 “Count requests in Redis” waits for you: checks failed: lint",
        ),
        (
            pull(changes=[(BEFORE + 60, "review", "approved by Lea Brandt")]),
            "#482 “Count requests in Redis” is approved by Lea Brandt and not merged",
        ),
        (
            pull(changes=[(BEFORE + 60, "state", "draft")], state="draft"),
            "#482 “Count requests in Redis” is a draft since Tuesday",
        ),
        (
            pull(changes=[(BEFORE + 60, "reviewer", "Kim Noor")]),
            "#482 “Count requests in Redis” waits for a review by Kim Noor since Tuesday",
        ),
        (
            pull(by=KIM, changes=[(BEFORE + 60, "reviewer", "Sam Ito")]),
            "#482 “Count requests in Redis” by Kim Noor waits for your review since Tuesday",
        ),
        (
            issue(changes=[(BEFORE + 60, "state", "In Progress")]),
            "ENG-17 “Retry queue grows” is In Progress since Tuesday",
        ),
    ],
)
def test_what_waits_is_told_among_what_is_half_done(item: Item, text: str) -> None:
    assert told(item, Section.HALF_DONE) == [text]


@pytest.mark.parametrize(
    "item",
    [
        pull(state="merged", closed=BEFORE),
        pull(by=KIM),
        issue(state="Backlog"),
        issue(to="Kim Noor"),
    ],
)
def test_what_is_over_or_not_ones_own_waits_not(item: Item) -> None:
    assert told(item, Section.HALF_DONE) == []


@pytest.mark.parametrize(
    ("item", "text"),
    [
        (
            issue(state="Done", closed=NIGHT, changes=[(NIGHT, "state", "Done")]),
            "ENG-17 “Retry queue grows” is Done",
        ),
        (
            pull(by=KIM, changes=[(NIGHT, "review", "approved by Sam Ito")]),
            "reviewed #482 “Count requests in Redis”: approved",
        ),
        (
            pull(said("Sam Ito", "Why?", where="a.py:1"), by=KIM),
            "left 1 comment on #482 “Count requests in Redis”",
        ),
    ],
)
def test_what_one_did_there_is_told_among_what_is_finished(item: Item, text: str) -> None:
    assert told(item, Section.FINISHED) == [text]


def test_a_ticket_that_somebody_gave_up_is_news_and_nothing_finished() -> None:
    states = [(BEFORE, "state", "In Progress"), (NIGHT, "state", "Canceled")]
    item = issue(state="Canceled", closed=NIGHT, changes=states)
    assert told(item, Section.FINISHED) == []
    (news,) = told(item, Section.OVERNIGHT)
    assert news == "ENG-17 “Retry queue grows” was moved from In Progress to Canceled"


def test_who_has_committed_since_a_review_waits_for_the_next_one() -> None:
    item = pull(changes=[(BEFORE + 60, "review", "changes requested by Kim Noor")])
    (fact,) = facts_of([read(item, names_in(item, ME), PERIOD, pushed=BEFORE + DAY)])
    assert fact.text == (
        "#482 “Count requests in Redis” waits for a review by Kim Noor since Wednesday"
    )


def test_a_team_is_told_who_finished_and_reviewed_what() -> None:
    done = issue(to="Sam Ito", state="Done", closed=NIGHT)
    dropped = replace(issue(state="Canceled", closed=NIGHT), ref="linear:ENG-18", key="ENG-18")
    reviewed = pull(changes=[REQUESTED, APPROVED, (NIGHT + 90, *APPROVED[1:])])
    told = [fact.text for fact in done_by_all([done, dropped, reviewed], PERIOD)]
    assert told == ["Kim Noor reviewed #482", "Lea Brandt reviewed #482", "Sam Ito finished ENG-17"]


def test_changes_and_questions_weigh_more_than_praise() -> None:
    weights = [
        facts(item)[0].weight
        for item in (
            pull(changes=[REQUESTED]),
            pull(SCRIPT),
            issue(changes=[(NIGHT, "assignee", "Sam Ito")]),
            pull(changes=[APPROVED]),
            issue(said("Kim Noor", "It is the lock.")),
        )
    ]
    assert weights == sorted(weights, reverse=True)


def test_what_to_do_about_a_review_says_whose_and_where() -> None:
    fact, _ = facts(pull(SCRIPT, changes=[REQUESTED]))
    assert fact.move == (
        "answer Kim Noor's review of #482 “Count requests in Redis”:"
        " changes requested in shop/limiter.py"
    )
    assert [ref.text for ref in fact.references] == ["#482", "shop/limiter.py"]


def test_what_waits_stands_behind_the_news_of_it() -> None:
    news, waits = facts(pull(SCRIPT, changes=[REQUESTED]))
    assert (news.section, waits.section) == (Section.OVERNIGHT, Section.HALF_DONE)
    assert waits.behind == news.key


def test_it_is_told_again_only_when_more_was_said() -> None:
    one = facts(pull(SCRIPT))[0]
    labelled = facts(replace(pull(SCRIPT), changed=NIGHT + 600))[0]
    more = facts(pull(SCRIPT, TTL))[0]
    assert one.digest == labelled.digest
    assert one.digest != more.digest


# Whose is what


def test_somebody_is_known_in_an_item_by_their_address_and_by_logins() -> None:
    person = Person(frozenset(["S. Ito"]), frozenset([SAM[1], "7+sam-gh@users.noreply.github.com"]))
    assert logins_of(person) == {"sam-gh"}
    assert names_in(thread(1), person, ["sammy"]).all == {"s. ito", "sam ito", "sammy"}


@pytest.mark.parametrize(
    ("said", "calling"),
    [
        ("@Sam Ito please", True),
        ("@sam can you?", True),
        ("@sam-ito: x", True),
        ("ask Sam Ito", True),
        ("@Sam Doe please", False),
        ("@sam-other x", False),
        ("sam is away", False),
        ("same thing", False),
        ("mail a@sam.example", False),
        ("> @Sam Ito x", False),
        ("```\n@Sam Ito\n```", False),
    ],
)
def test_who_is_called(said: str, calling: bool) -> None:
    assert calls(said, Names(frozenset(["sam ito", "sam-ito"])), ["Kim Noor"]) is calling


def test_a_first_name_of_two_calls_neither() -> None:
    assert not calls("@sam can you?", Names(frozenset(["sam ito"])), ["Sam Doe"])


# Sources that are behind


def row(
    name: str,
    code: str = "",
    said: str = "",
    *,
    paused: bool = False,
    synced: int | None = SINCE - 3 * DAY,
) -> SourceRow:
    fault = Fault(code, said, "") if code else None
    return SourceRow(name, name, {}, paused=paused, synced=synced, fault=fault)


def test_sources_that_could_not_be_read_are_named_with_since_when() -> None:
    rows = [
        row("docs"),
        row("slack", paused=True),
        row("github", "source_refused", "the token was refused"),
        row("linear", "source_broken", "it ends in row 3.", synced=None),
        row("late", "source_away", "asked to wait", synced=UNTIL - 3600),
    ]
    assert list(unread(rows, PERIOD)) == [
        "slack: paused, not read since Monday",
        "github: failed, not read since Monday",
        "linear: failed, never read",
    ]
