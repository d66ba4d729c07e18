"""Answers that rest on several sources at once, over a company's whole memory."""

from __future__ import annotations

from collections.abc import Generator
from datetime import datetime

import pytest

from hermes.agents.answer_events import AnswerEvent, Sources, Text
from hermes.agents.qa import answer
from hermes.memory.embedders.static import StaticEmbedder
from hermes.memory.memory import Memory
from hermes.memory.recall import recall
from hermes.memory.records import Filters, Recollection
from hermes.tests.builders.company.build import company, refs_of
from hermes.tests.builders.company.questions import REDIS, REDIS_EVIDENCE
from hermes.tests.builders.ingested import Ingested

NOW = datetime(2025, 10, 1, 12, 0)


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Generator[Ingested]:
    """The company, with vectors."""
    with company(tmp_path_factory.mktemp("company"), StaticEmbedder()) as built:
        yield built


def as_of_then(memory: Memory, question: str, filters: Filters, k: int) -> Recollection:
    return recall(memory, question, filters, k, now=NOW)


async def asked(harbor: Ingested, question: str) -> list[AnswerEvent]:
    """What a question is answered with, without a model."""
    events = answer(
        question,
        memory=harbor.memory,
        recall=as_of_then,
        filters=Filters(repos=(harbor.repo.id,)),
        gits={},
        model=None,
        now=NOW,
    )
    return [event async for event in events]


def texts(events: list[AnswerEvent]) -> list[str]:
    return [event.text for event in events if isinstance(event, Text)]


def cited(harbor: Ingested, events: list[AnswerEvent]) -> list[str]:
    """What is cited, by the names that the company has for it."""
    names = {ref: name for name, ref in refs_of(harbor.memory).items()}
    [sources] = [event.sources for event in events if isinstance(event, Sources)]
    return [names.get(source.sha, source.sha) for source in sources]


async def test_the_choice_of_redis_is_told_in_four_sentences_by_its_four_sources(
    harbor: Ingested,
) -> None:
    events = await asked(harbor, REDIS)
    named = [
        name.replace("docs/adr/0007-redis-for-rate-limits.md", "ADR-7")
        for name in cited(harbor, events)
    ]
    assert sorted(named) == sorted(REDIS_EVIDENCE)
    said = texts(events)
    assert len(said) == 4
    assert "It evicts counters when memory is short" in said[0]
    assert any('"Jonas Falk: redis. one script, atomic' in text for text in said)
    assert all("2025-03-" in text for text in said)


async def test_a_pull_request_is_told_as_one_where_it_is_asked_why(harbor: Ingested) -> None:
    events = await asked(harbor, "why are bills printed with WeasyPrint")
    assert "#252" in cited(harbor, events)
    told = texts(events)[0]
    assert told.startswith(
        'Tomás Rey opened #252 "Print bills with WeasyPrint" in GitHub on 2025-05-19, where it says:'
    )
    assert "no fallback fonts" in told


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "which PR introduced the report pool?",
            "#266 “Give reports their own connections”, opened by Jonas Falk on 2025-06-20,",
        ),
        (
            "who reviewed #219?",
            "Priya Raman and Jonas Falk took part in #219 “Count requests in Redis",
        ),
        (
            "who reviewed the payment key",
            "Lea Brandt took part in #231 “Send an idempotency key with each payment” by Sam Ito,",
        ),
    ],
)
async def test_a_question_about_a_pull_request_is_answered_with_it(
    harbor: Ingested, question: str, told: str
) -> None:
    events = await asked(harbor, question)
    assert texts(events)[0].startswith(told)
    assert "merged on 2025-" in texts(events)[0]
    assert len(cited(harbor, events)) == 1


async def test_who_said_what_first_on_a_pull_request_is_quoted(harbor: Ingested) -> None:
    said = texts(await asked(harbor, "who reviewed #219?"))
    assert said[1] == (
        'Priya Raman said on 17 March 2025: "limits/window.lua:8: why a script and not MULTI?" [1].'
    )


async def test_a_pull_request_that_nothing_fits_is_not_made_up(harbor: Ingested) -> None:
    events = await asked(harbor, "which PR introduced the quantum teleporter?")
    assert "#" not in "".join(texts(events)[:1])
