"""What is open in a company, for whom, and what somebody said about something."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from datetime import datetime

import pytest

from hermes.agents.brief.records import Person
from hermes.agents.foresight.asked import read
from hermes.agents.foresight.direct import tell
from hermes.agents.foresight.ground import Ground, Told
from hermes.ingest.items import take_in
from hermes.memory.records import Filters, ItemChange
from hermes.tests.builders.company.build import company, refs_of
from hermes.tests.builders.company.people import PRIYA
from hermes.tests.builders.ingested import Ingested
from hermes.tests.builders.library import Library, open_library

NOW = datetime(2025, 10, 1, 12)


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Generator[Ingested]:
    with company(tmp_path_factory.mktemp("harbor")) as built:
        yield built


def ground_of(harbor: Ingested, asker: Person | None = None) -> Ground:
    person = asker or Person()
    return Ground(
        harbor.memory,
        None,
        [harbor.repo],
        Filters((harbor.repo.id,)),
        {},
        pages=lambda repo, first, last: (),
        now=NOW,
        asker=lambda: person,
    )


def answered(ground: Ground, question: str) -> Told | None:
    asked = read(question, NOW)
    assert asked is not None
    return tell(question, asked, ground)


def texts(ground: Ground, question: str) -> list[str]:
    told = answered(ground, question)
    assert told is not None
    return [text.text for text in told.texts]


def test_open_tickets_are_listed_newest_first_with_what_hermes_show_finds(
    harbor: Ingested,
) -> None:
    ground = ground_of(harbor)
    lines = texts(ground, "which tickets are open?")
    assert lines[0] == "3 open tickets:"
    assert [line.split()[1] for line in lines[1:]] == ["ENG-71", "ENG-60", "ENG-52"]
    assert lines[3] == (
        "- ENG-52 “Phones of returning users get no notices” is In Progress since 2025-07-15,"
        " assigned to Priya Raman [3]."
    )
    refs = refs_of(harbor.memory)
    assert [ref.sha for ref in ground.cited(lines)] == [
        refs["ENG-71"],
        refs["ENG-60"],
        refs["ENG-52"],
    ]


@pytest.mark.parametrize(
    ("question", "keys"),
    [
        ("which pull requests are open?", ["#275", "#288"]),
        ("what is open for priya", ["#275", "ENG-52"]),
        ("what is assigned to Sam Ito?", ["ENG-60"]),
        ("what is Sam working on", ["#288", "ENG-60"]),
        ("what is assigned to me", ["ENG-52"]),
        ("my open tickets", ["ENG-52"]),
        ("which pull requests wait for review", ["#275", "#288"]),
    ],
)
def test_what_is_open_is_told_for_whom_it_is_asked(
    harbor: Ingested, question: str, keys: list[str]
) -> None:
    me = Person(frozenset(), frozenset([PRIYA[1]]))
    lines = texts(ground_of(harbor, me), question)
    assert sorted(line.split()[1] for line in lines[1:]) == keys


def test_accents_of_a_name_need_not_be_typed_and_nothing_open_is_said_plainly(
    harbor: Ingested,
) -> None:
    told = answered(ground_of(harbor), "what is open for Tomas?")
    assert told is not None
    assert not told.relevant
    assert told.texts[0].text == "Memory knows no open ticket or pull request of Tomás Rey."


def test_one_whom_nobody_knows_is_left_to_search_and_an_asker_unknown_is_told_so(
    harbor: Ingested,
) -> None:
    assert answered(ground_of(harbor), "what is the scheduler working on") is None
    (said,) = texts(ground_of(harbor), "what is assigned to me")
    assert said.startswith("Hermes does not know who you are")


def test_a_review_asked_for_waits_for_the_one_until_they_gave_it(harbor: Ingested) -> None:
    pull = harbor.memory.index.items.by_key("#288")[0]
    asked = ItemChange(pull.time + 60, "reviewer", "Lea Brandt")
    given = ItemChange(pull.time + 900, "review", "approved by Lea Brandt")
    question = "which pull requests wait for Lea?"
    try:
        take_in(harbor.memory, [replace(pull, changes=(asked,))])
        lines = texts(ground_of(harbor), question)
        assert lines[0] == "1 open pull request that waits for a review by Lea Brandt:"
        assert "waits for a review by Lea Brandt" in lines[1]
        take_in(harbor.memory, [replace(pull, changes=(asked, given))])
        assert texts(ground_of(harbor), question)[0].startswith("Memory knows no open pull request")
    finally:
        take_in(harbor.memory, [pull])


def test_what_somebody_said_about_a_topic_is_quoted_with_its_day(harbor: Ingested) -> None:
    ground = ground_of(harbor)
    lines = texts(ground, "what did Jonas say about memcached?")
    assert lines[0] == (
        "Jonas Falk said on 2025-03-03 in #212 “Limit requests for each API key”: "
        '"Worse: memcached throws keys away when it is full. I filled it and got a new budget." [1].'
    )
    assert any("redis. one script, atomic" in line for line in lines)
    assert all(line.startswith("Jonas Falk said on 2025-") for line in lines)
    assert refs_of(harbor.memory)["chat:limiter"] in {ref.sha for ref in ground.cited(lines)}
    assert answered(ground_of(harbor), "what did Jonas say about kubernetes?") is None


def test_where_no_source_brings_tickets_it_says_how_one_is_added(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    with open_library(tmp_path_factory.mktemp("bare")) as library:
        assert_says_how(library)


def assert_says_how(library: Library) -> None:
    repo = library.memory.index.repos()[0]
    ground = Ground(
        library.memory,
        None,
        [repo],
        Filters((repo.id,)),
        {},
        pages=lambda name, first, last: (),
        now=NOW,
    )
    assert texts(ground, "which tickets are open?") == [
        "Memory knows no open ticket.",
        "No source of tickets is added: hermes sources add linear or github.",
    ]
