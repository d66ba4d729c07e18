"""Answers that rest on what people wrote outside of git: found, quoted, cited and checked."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from hermes.agents.answer_events import Done, Sources, Text, to_object
from hermes.agents.evidence import Evidence
from hermes.agents.fence import fenced
from hermes.agents.models.scripted import ScriptedModel
from hermes.agents.tools.registry import CallRefused
from hermes.agents.tools.toolbox import TOOLBOX
from hermes.ingest.items import chunks_of, take_in
from hermes.memory.recall import recall
from hermes.memory.records import Filters
from hermes.tests.builders.items import KIM, thread, ticket
from hermes.tests.builders.library import DAY, MARCH_2, NOW, Library, of, open_library
from hermes.tests.integration.agents.test_tools import workshop_of

TALK = thread(
    1,
    "Should invoices be numbered per country?\n\n"
    "Kim Noor: Yes, because the tax office in Lisbon refuses gaps in a series.\n\n"
    "Sam Ito: Then a series per country it is.",
    people=(("Sam Ito", "sam@example.org"), KIM),
    time=MARCH_2 + 5 * DAY,
)
ABOUT = thread(
    2, "ENG-17 is back since the last deploy", tickets=("ENG-17",), time=MARCH_2 + 6 * DAY
)
TICKET = ticket(
    "ENG-17",
    "Card payments time out",
    "Payments wait 30 seconds for the bank, since the pool of connections is used up.",
    time=MARCH_2 + 4 * DAY,
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Generator[Library]:
    """The shop, what its people wrote, and a ticket."""
    with open_library(tmp_path_factory.mktemp("talked")) as library:
        take_in(library.memory, [TALK, ABOUT, TICKET])
        yield library


def found(library: Library, question: str, filters: Filters | None = None) -> list[str]:
    """The references of what a question brings back, best first."""
    filters = filters or Filters(repos=(library.repo,))
    return [p.chunk.ref for p in recall(library.memory, question, filters, now=NOW).passages]


def test_words_of_a_discussion_find_it_whatever_repositories_are_searched(library: Library) -> None:
    question = "invoices numbered per country"
    assert found(library, question)[0] == TALK.ref
    assert found(library, question, Filters())[0] == TALK.ref
    assert found(library, question, Filters(source="slack"))[0] == TALK.ref
    assert TALK.ref not in found(library, question, Filters(source="git"))
    assert TALK.ref not in found(library, question, Filters(path="worker/"))


def test_a_tickets_key_finds_the_ticket_and_what_is_said_about_it(library: Library) -> None:
    answer = recall(library.memory, "ENG-17", Filters(repos=(library.repo,)), now=NOW)
    assert [p.chunk.ref for p in answer.passages if p.exact == "ENG-17"] == [TICKET.ref, ABOUT.ref]
    assert answer.notes == ()


def test_a_name_of_somebody_who_only_writes_narrows_a_search(library: Library) -> None:
    answer = recall(library.memory, "invoices by Sam Ito", Filters(), now=NOW)
    assert answer.hints["author"] == "Sam Ito"
    assert [p.chunk.ref for p in answer.passages] == [TALK.ref]


def test_what_somebody_did_who_has_no_commits_is_what_they_wrote(library: Library) -> None:
    assert found(library, "what did Sam Ito do lately?") == [ABOUT.ref, TALK.ref, TICKET.ref]


def test_when_something_was_said_narrows_a_search(library: Library) -> None:
    day = MARCH_2 + 5 * DAY
    within = Filters(since=day - 60, until=day + 60)
    assert found(library, "invoices per country", within) == [TALK.ref]
    assert found(library, "invoices per country", Filters(until=day - 60))[:1] != [TALK.ref]


async def test_the_answer_by_rule_says_who_wrote_it_where_and_when_and_quotes_why(
    library: Library,
) -> None:
    events = await library.events("why are invoices numbered per country?")
    assert of(Text, events)[0].text == (
        'Sam Ito wrote "Should invoices be numbered per country?" in Slack on 2025-03-07, where it '
        'says: "Kim Noor: Yes, because the tax office in Lisbon refuses gaps in a series." [1].'
    )
    (source,) = of(Sources, events)[0].sources
    assert (source.sha, source.source, source.label) == (TALK.ref, "slack", "slack")
    assert to_object(of(Sources, events)[0])["sources"][0]["date"] == "2025-03-07"


async def test_a_model_may_cite_a_discussion_and_nothing_that_is_not_in_it(
    library: Library,
) -> None:
    good = "The tax office in Lisbon refuses gaps in a series [1]."
    model = ScriptedModel(f"{good} Kim Noor numbered the invoices in 2019 [1].")
    events = await library.events("why are invoices numbered per country?", model)
    assert [text.text for text in of(Text, events)] == [good]
    assert of(Done, events)[0].dropped == 1
    assert of(Sources, events)[0].sources[0].sha == TALK.ref


async def test_a_question_of_who_counts_commits_alone(library: Library) -> None:
    events = await library.events("who knows about the rate limiter?")
    assert of(Done, events)[0].mode == "index"
    assert {source.source for source in of(Sources, events)[0].sources} == {"git"}


@pytest.mark.parametrize("name", [TALK.ref, TICKET.ref, "ENG-17", "eng-17"])
@pytest.mark.parametrize("tool", ["git_show", "git_blame", "read_file"])
def test_tools_of_git_refuse_what_is_no_commit_in_one_clear_line(
    library: Library, tool: str, name: str
) -> None:
    arguments = {"sha": name} if tool == "git_show" else {"path": "README.md", "revision": name}
    what = "thread in Slack" if name == TALK.ref else "ticket in Linear"
    with pytest.raises(CallRefused, match=f"'{name}' is a {what}, not a commit"):
        TOOLBOX.call(tool, arguments, workshop_of(library))


def test_a_model_is_shown_where_a_source_is_from() -> None:
    shown = fenced(Evidence().add_chunk(chunks_of(TICKET)[0]), 200)
    assert shown.startswith("<source n=1 from=linear date=2025-03-06 author=Sam Ito>\nENG-17 Card")


def test_an_item_has_one_number_however_often_it_is_cited() -> None:
    evidence = Evidence()
    assert evidence.add_item(TICKET).number == evidence.add_item(TICKET).number == 1
    assert evidence.add_item(TALK).ref.subject == "Should invoices be numbered per country?"
