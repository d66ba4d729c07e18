"""Questions over a company's whole memory: its history, documents, chat, tickets and reviews."""

from __future__ import annotations

from collections.abc import Generator
from statistics import mean

import pytest

from hermes.memory.embedders.static import StaticEmbedder
from hermes.memory.recall import recall
from hermes.tests.builders.company.asking import AS_OF, AT_LEAST, asked, shown
from hermes.tests.builders.company.build import company, refs_of
from hermes.tests.builders.company.questions import REDIS, REDIS_EVIDENCE
from hermes.tests.builders.ingested import Ingested


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Generator[Ingested]:
    """The company, with vectors."""
    with company(tmp_path_factory.mktemp("company"), StaticEmbedder()) as built:
        yield built


def test_the_evidence_of_a_question_is_among_the_first_five(harbor: Ingested) -> None:
    shares = [outcome.share() for outcome in asked(harbor.memory)]
    assert len(shares) >= 60
    assert mean(shares) >= AT_LEAST


def test_the_choice_of_redis_is_told_by_its_four_sources_before_all_else(
    harbor: Ingested,
) -> None:
    refs = refs_of(harbor.memory)
    found = recall(harbor.memory, REDIS, k=4, now=AS_OF)
    there = set[str]().union(*map(shown, found.passages))
    assert {refs[name] for name in REDIS_EVIDENCE} <= there
    assert len(found.passages) == len(REDIS_EVIDENCE)


def test_what_comes_in_by_a_link_says_what_led_to_it(harbor: Ingested) -> None:
    refs = refs_of(harbor.memory)
    found = recall(harbor.memory, REDIS, k=5, now=AS_OF)
    led = {passage.chunk.ref: passage for passage in found.passages if passage.linked_from}
    talk = led[refs["chat:limiter"]]
    assert talk.linked_from == "ADR-7"
    assert talk.score < found.passages[0].score


def test_a_pull_request_and_the_commit_it_became_are_shown_once(harbor: Ingested) -> None:
    refs = refs_of(harbor.memory)
    found = recall(harbor.memory, "idempotency key for each payment", k=5, now=AS_OF)
    [both] = [passage for passage in found.passages if refs["#231"] in shown(passage)]
    [commit] = shown(both) - {refs["#231"]}
    assert len(commit) == 40
    assert [commit in shown(passage) for passage in found.passages].count(True) == 1
