"""What attention holds, in the brief: each thing until a person has seen it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes.agents.contract import Finding, Lane, Level
from hermes.daemon.attention.attention import Attention
from hermes.daemon.brief_facts import facts_of, note_told
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.ledger.records import Job, Spec, State

NOW = 1_796_113_800.0


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    ledger = Ledger.open(tmp_path / "runtime.db")
    yield ledger
    ledger.close()


def _job(ledger: Ledger, agent: str, state: State = State.OK, error: str = "") -> Job:
    ledger.queue.put([Spec(agent, "", "r1", Lane.REACTIVE)], NOW)
    job = ledger.queue.take(NOW, owner="test", lanes=tuple(Lane))
    assert job is not None
    fields = {"error": error, "hint": "look at it", "code": "fault"} if error else None
    return ledger.queue.finish(job.id, state, NOW, reason=error, error=fields)


def _find(attention: Attention, ledger: Ledger, agent: str, title: str, cause: str = "") -> None:
    finding = Finding(cause or title, title, Level.DIGEST, next_step="look at it")
    attention.admit(_job(ledger, agent), [finding], NOW)


def test_failed_jobs_and_findings_are_told_until_they_were_seen(ledger: Ledger) -> None:
    attention = Attention(ledger, clock=lambda: NOW)
    _job(ledger, "indexer", State.FAILED, "the disk is full")
    attention.step(NOW)
    _find(attention, ledger, "qa", "an answer is ready")
    facts = facts_of(attention)
    texts = {fact.topic: fact.text for fact in facts}
    assert "the disk is full" in texts["incident"] and texts["qa"] == "an answer is ready"
    (incident,) = [fact for fact in facts if fact.topic == "incident"]
    job = incident.references[0].text
    assert incident.move == f"see why the disk is full: hermes why {job}"
    note_told(attention, [incident], NOW + 1)
    assert [fact.topic for fact in facts_of(attention)] == ["qa"]
    note_told(attention, facts, NOW + 1)
    assert facts_of(attention) == []


def test_what_the_brief_reads_itself_is_not_said_again_and_is_told_with_it(ledger: Ledger) -> None:
    attention = Attention(ledger, clock=lambda: NOW)
    _find(attention, ledger, "doc_keeper", "README drifted", "docs:r1:README.md")
    assert facts_of(attention) == []
    assert len(attention.digest().findings) == 1
    note_told(attention, [], NOW + 1)
    assert attention.digest().findings == []
