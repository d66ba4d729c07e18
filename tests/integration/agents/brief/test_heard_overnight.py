"""What came in overnight from other sources than git stands in the brief by itself."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from hermes.agents.brief.heard import heard
from hermes.agents.brief.records import Section
from hermes.ingest.git.command import Git
from hermes.ingest.git.ingest import ingest
from hermes.ingest.items import take_in
from hermes.ingest.sources.transcript import turn
from hermes.memory.records import Item, ItemChange, ItemKind, Link, LinkKind
from hermes.memory.sources import Fault
from hermes.tests.builders.items import KIM, ticket
from hermes.tests.builders.mornings import HOUR, LAST_NIGHT, LONG_AGO, ME, NOW, Morning

NIGHT = int(LAST_NIGHT)
EMAIL = min(ME.emails)
NAME = min(ME.names)


@pytest.fixture
def morning(tmp_path: Path) -> Generator[Morning]:
    made = Morning(tmp_path / "sam")
    made.shared()
    yield made
    made.close()


def with_sources(morning: Morning, *kinds: str) -> None:
    for kind in kinds:
        morning.memory.index.sources.add(kind, kind, {}, int(LONG_AGO))
        morning.memory.index.sources.succeed(kind, NOW - HOUR, "", ())


def review() -> Item:
    """A pull request of Sam's, whom its source knows by a login and an address."""
    return replace(
        ticket("#482", "Count in Redis", source="github", repo="shop", time=int(LONG_AGO)),
        kind=ItemKind.PULL,
        author="sam-gh",
        email=EMAIL,
        people=(("sam-gh", EMAIL), KIM),
        text=turn("Kim Noor", NIGHT, "Why a script?", "queue/retry.py:8"),
        changed=NIGHT,
    )


def given() -> Item:
    return replace(
        ticket("ENG-17", "Retry queue grows", assignee=NAME, time=int(LONG_AGO)),
        author=KIM[0],
        email=KIM[1],
        people=(KIM,),
        changed=NIGHT,
        changes=(ItemChange(NIGHT, "assignee", NAME),),
    )


def told(morning: Morning, section: Section) -> dict[str, str]:
    facts = [fact for fact in morning.facts() if fact.section is section]
    return {fact.references[0].text: fact.text for fact in facts if fact.references}


def test_a_review_and_a_ticket_of_the_night_are_told_with_their_references(
    morning: Morning,
) -> None:
    with_sources(morning, "github", "linear")
    take_in(morning.memory, [review(), given()])
    news = told(morning, Section.OVERNIGHT)
    assert news["#482"] == (
        "Kim Noor left 1 comment on your #482 “Count in Redis”, in queue/retry.py: “Why a script?”"
    )
    assert news["ENG-17"] == "ENG-17 “Retry queue grows” was assigned to you"
    (first, *_) = morning.texts("first:")
    assert first.startswith("answer Kim Noor on #482 “Count in Redis”: 1 comment in queue/retry.py")


def test_without_a_source_nothing_of_it_is_there(morning: Morning) -> None:
    before = morning.found()
    take_in(morning.memory, [review(), given()])
    assert morning.found() == before
    with_sources(morning, "slack")
    assert morning.found() == before


def test_what_was_merged_is_told_once(morning: Morning) -> None:
    with_sources(morning, "github")
    merged = replace(
        review(),
        text="",
        state="merged",
        closed=NIGHT,
        changes=(ItemChange(NIGHT, "state", "merged"),),
    )
    take_in(morning.memory, [merged])
    assert told(morning, Section.OVERNIGHT)["#482"] == "your #482 “Count in Redis” was merged"
    sam = morning.builders[0]
    sam.commit({"queue/retry.py": "a = 2\n"}, "Count in Redis (#482)", when=NIGHT)
    assert "#482" not in told(morning, Section.OVERNIGHT)
    assert "#482" in told(morning, Section.FINISHED)


def test_sources_that_could_not_be_read_are_named(morning: Morning) -> None:
    with_sources(morning, "github", "slack")
    sources = morning.memory.index.sources
    assert morning.found().unreadable == ()
    sources.fail("github", Fault("source_refused", "the token was refused", ""), "")
    sources.pause("slack", True)
    assert morning.found().unreadable == (
        "github: failed, last read today",
        "slack: paused, last read today",
    )


def test_a_team_is_told_what_was_finished_and_reviewed(morning: Morning) -> None:
    with_sources(morning, "github")
    verdict = ItemChange(NIGHT, "review", "approved by Kim Noor")
    take_in(morning.memory, [replace(review(), changes=(verdict,))])
    found = [fact for fact in morning.found(everybody=True).facts if "#482" in fact.text]
    assert [(fact.section, fact.text) for fact in found] == [
        (Section.FINISHED, "Kim Noor reviewed #482")
    ]


def test_a_commit_after_a_review_answers_it(morning: Morning) -> None:
    with_sources(morning, "github")
    sam = morning.builders[0]
    sha = sam.commit({"queue/retry.py": "a = 2\n"}, "Answer Kim", when=NIGHT + HOUR)
    repo = morning.memory.index.add_repo("shop", str(sam.path / ".git"), str(sam.path), None)
    ingest(Git.open(sam.path), morning.memory, repo)
    asked = replace(review(), repo=repo.id, links=(Link(LinkKind.COMMIT, sha),))
    take_in(morning.memory, [asked])
    scope = morning.scope()
    scope = replace(scope, repos=[(repo, git) for _, git in scope.repos])
    (fact,) = [each for each in heard(scope).facts if "#482" in each.text]
    assert fact.text == "#482 “Count in Redis” waits for a review since yesterday"


def test_the_first_move_names_the_earlier_discussion_that_bears_on_it(morning: Morning) -> None:
    with_sources(morning, "github", "slack")
    thread = replace(
        ticket("", "#payments: count in redis or in memory?", source="slack", time=int(LONG_AGO)),
        ref="slack:C024/1700000000.000100",
        kind=ItemKind.THREAD,
        text=turn("Kim Noor", int(LONG_AGO), "Count in Redis with retry.py, two workers share it."),
        author=KIM[0],
        email=KIM[1],
        people=(KIM,),
    )
    take_in(morning.memory, [review(), thread])
    (first, *_) = morning.facts("first:")
    assert first.text.endswith("; see “count in redis or in memory?” in #payments")
    assert first.references[-1].target == "slack:C024/1700000000.000100"
