"""What attention holds, as facts of the brief: each once."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from hermes.agents.brief.first_move import first_moves
from hermes.agents.contract import Finding, Lane, Level
from hermes.daemon.attention.attention import Attention
from hermes.daemon.brief_facts import facts_of, note_told
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.ledger.records import Spec, State

NOON = 1_780_308_000.0


class Night:
    """A night of work, of which attention is told."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.now = NOON
        self.attention = Attention(ledger, clock=lambda: self.now)

    def job(self, agent: str, state: State, error: str = "", lane: Lane = Lane.SCHEDULED) -> int:
        self.now += 60
        self.ledger.queue.put([Spec(agent, "", "shop", lane)], self.now)
        job = self.ledger.queue.take(self.now, owner="test", lanes=tuple(Lane))
        assert job is not None
        self.ledger.queue.finish(job.id, state, self.now, reason=error)
        self.attention.catch_up(self.now)
        return job.id

    def find(self, agent: str, cause: str, title: str) -> None:
        self.now += 60
        self.ledger.queue.put([Spec(agent, "", "shop", Lane.SCHEDULED)], self.now)
        job = self.ledger.queue.take(self.now, owner="test", lanes=tuple(Lane))
        assert job is not None
        self.attention.admit(job, [Finding(cause, title, Level.DIGEST)], self.now)
        self.ledger.queue.finish(job.id, State.OK, self.now)

    def texts(self) -> list[str]:
        return [fact.text for fact in facts_of(self.attention)]

    def show(self) -> None:
        """Have a person see a brief."""
        note_told(self.attention, facts_of(self.attention), self.now)


@pytest.fixture
def night(tmp_path: Path) -> Iterator[Night]:
    ledger = Ledger.open(tmp_path / "ledger.db")
    yield Night(ledger)
    ledger.close()


def test_a_job_that_failed_is_told_with_its_id_and_what_to_do(night: Night) -> None:
    id = night.job("indexer", State.DEAD, "the disk is full")
    (fact,) = facts_of(night.attention)
    assert "the disk is full" in fact.text
    assert [(ref.kind, ref.text) for ref in fact.references] == [("job", f"j{id}")]
    first = next(iter(first_moves([fact])), None)
    assert first is not None
    assert f"hermes why j{id}" in first.text


def test_what_was_seen_is_not_told_again_unless_it_goes_on(night: Night) -> None:
    night.job("indexer", State.DEAD, "the disk is full")
    assert len(night.texts()) == 1
    assert len(night.texts()) == 1  # looking is not telling
    night.show()
    assert night.texts() == []
    night.job("indexer", State.DEAD, "the disk is full")
    (again,) = night.texts()
    assert "once more, 2 in all" in again


def test_what_grew_after_the_brief_was_composed_is_told_again(night: Night) -> None:
    night.job("indexer", State.DEAD, "the disk is full")
    composed = facts_of(night.attention)
    night.job("indexer", State.DEAD, "the disk is full")
    note_told(night.attention, composed, night.now)
    assert len(night.texts()) == 1


def test_tests_and_documents_are_left_to_where_they_are_kept(night: Night) -> None:
    night.find("test_runner", "tests:shop:red:ab", "1 test fails in shop")
    night.find("doc_keeper", "docs:shop:README.md", "README.md drifted")
    night.find("test_runner", "trust:shop", "May hermes run the tests of shop?")
    assert night.texts() == ["May hermes run the tests of shop?"]
    night.show()
    assert not night.attention.digest().items()


def test_a_brief_without_any_of_it_tells_nothing(night: Night) -> None:
    night.job("indexer", State.DEAD, "the disk is full")
    note_told(night.attention, [], night.now)
    assert len(night.texts()) == 1


def test_a_failed_night_is_told_with_its_reason_and_of_when_themes_are(night: Night) -> None:
    job = night.job("synthesizer", State.FAILED, "the night was not done: the disk is full")
    (fact,) = facts_of(night.attention, lambda: NOON - 3 * 86_400)
    day = datetime.fromtimestamp(NOON - 3 * 86_400)
    assert fact.text == (
        "last night's consolidation failed (the disk is full);"
        f" themes are as of {day:%A}: hermes why j{job}"
    )
    assert fact.move == f"see why the night failed: hermes why j{job}"
    (fact,) = facts_of(night.attention, lambda: NOON - 30 * 86_400)
    assert f"themes are as of {datetime.fromtimestamp(NOON - 30 * 86_400):%Y-%m-%d}" in fact.text
    (fact,) = facts_of(night.attention)
    assert "there are no themes yet" in fact.text


def test_a_consolidation_that_a_person_asked_for_is_not_called_last_nights(night: Night) -> None:
    error = "the night was not done: the disk is full"
    job = night.job("synthesizer", State.FAILED, error, Lane.ON_DEMAND)
    (fact,) = facts_of(night.attention)
    asked = datetime.fromtimestamp(night.now)
    assert fact.text == (
        f"the consolidation you asked for on {asked:%A at %H:%M} failed (the disk is full);"
        f" there are no themes yet: hermes why j{job}"
    )
    assert fact.move == f"see why the consolidation failed: hermes why j{job}"
    night.job("synthesizer", State.FAILED, error)
    (fact,) = facts_of(night.attention)
    assert fact.text.startswith("last night's consolidation failed (the disk is full")


def test_a_failed_night_that_was_told_is_not_told_again(night: Night) -> None:
    night.job("synthesizer", State.FAILED, "the night was not done: the disk is full")
    assert night.texts()
    night.show()
    assert night.texts() == []


def test_that_nights_work_again_is_told_in_a_persons_words(night: Night) -> None:
    night.job("synthesizer", State.FAILED, "the night was not done: the disk is full")
    night.show()
    night.job("synthesizer", State.OK)
    assert night.texts() == ["nights work again; one failed: the disk is full"]
    night.show()
    assert night.texts() == []
