"""What came in overnight from other sources than git stands in the brief by itself."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from hermes.agents.brief.records import Section
from hermes.ingest.items import take_in
from hermes.ingest.sources.transcript import turn
from hermes.memory.records import ItemChange, ItemKind
from hermes.tests.builders.items import KIM, ticket
from hermes.tests.builders.mornings import LAST_NIGHT, LONG_AGO, ME, Morning


@pytest.fixture
def morning(tmp_path: Path) -> Generator[Morning]:
    made = Morning(tmp_path / "sam")
    yield made
    made.close()


def test_a_review_and_a_ticket_of_the_night_are_told_with_their_references(
    morning: Morning,
) -> None:
    morning.shared()
    email = min(ME.emails)
    night = int(LAST_NIGHT)
    review = replace(
        ticket("#482", "Count in Redis", source="github", repo="shop", time=int(LONG_AGO)),
        kind=ItemKind.PULL,
        author="sam-gh",
        email=email,
        people=(("sam-gh", email), KIM),
        text=turn("Kim Noor", night, "Why a script?", "limits/window.lua:8"),
        changed=night,
    )
    name = min(ME.names)
    given = replace(
        ticket("ENG-17", "Retry queue grows", assignee=name, time=int(LONG_AGO)),
        author=KIM[0],
        email=KIM[1],
        people=(KIM,),
        changed=night,
        changes=(ItemChange(night, "assignee", name),),
    )
    take_in(morning.memory, [review, given])
    overnight = [fact for fact in morning.facts() if fact.section is Section.OVERNIGHT]
    told = {fact.references[0].text: fact for fact in overnight if fact.references}
    assert told["#482"].text == (
        "Kim Noor left 1 comment on your #482 “Count in Redis”: “Why a script?”"
    )
    assert told["ENG-17"].text == "ENG-17 “Retry queue grows” was assigned to you"
    assert any("#482" in fact.text for fact in morning.facts("first:"))
