"""Everything can be explained: from the event to what was said about it."""

from __future__ import annotations

import json

import pytest

from hermes.agents.events import Committed
from hermes.agents.models.call import Call
from hermes.daemon.ledger.errors import NoSuchId
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.ledger.records import Spec, State
from hermes.daemon.ledger.why import why

COMMIT = Committed(at=5, source="hook", repo="shop", new="abcd")
DECISION = {"by": "rule", "reason": "a commit is read", "seconds": 0.0}


@pytest.fixture
def told(ledger: Ledger) -> Ledger:
    """Let one commit go all the way: event 1, job 1, finding 1, and job 2 that follows."""
    id = ledger.intake.accept(COMMIT, key=None, now=10).id
    route = Call("router", "hermes3:8b", "route@1", 90, 9, 0.4, 0.0, "ok", 10, event=id)
    ledger.calls.record(route)
    ledger.intake.route(id, DECISION, [Spec("indexer", "read", "shop")], 11)
    job = ledger.queue.take(12, owner="me")
    assert job is not None
    call = Call("indexer", "hermes3:8b", "theme@2", 900, 40, 2.5, 0.1, "ok", 13, job=job.id)
    ledger.calls.record(call)
    ledger.traces.add(job.id, "read", "commit abcd")
    ledger.traces.add(job.id, "wrote", "3 chunks")
    with ledger.writing() as db:
        db.execute(
            "INSERT INTO findings (job, at, agent, repo, cause, title, refs, wanted, level, reason,"
            " state) VALUES (?, 14, 'indexer', 'shop', 'c', 'A theme changed', ?, 'glance',"
            " 'digest', 'the budget of the hour is used', 'digest')",
            (job.id, json.dumps(["abcd"])),
        )
    ledger.queue.finish(
        job.id, State.OK, 15, reason="1 commit", then=[Spec("indexer", "vectors", "shop")]
    )
    return ledger


@pytest.mark.parametrize("id", ["j1", "1", "e1", "f1", " J1 "])
def test_the_whole_chain_is_there_from_any_end(told: Ledger, id: str) -> None:
    found = why(told, id)
    (event,) = found["events"]
    assert (event["kind"], event["event"]["new"], event["decision"]) == (
        "committed",
        "abcd",
        DECISION,
    )
    assert [call["prompt"] for call in event["calls"]] == ["route@1"]
    (job,) = found["jobs"]
    assert (job["agent"], job["state"], job["reason"]) == ("indexer", "ok", "1 commit")
    assert [call["prompt"] for call in job["calls"]] == ["theme@2"]
    assert (job["read"], job["wrote"]) == (["commit abcd"], ["3 chunks"])
    (finding,) = job["findings"]
    assert (finding["title"], finding["wanted"], finding["level"]) == (
        "A theme changed",
        "glance",
        "digest",
    )
    assert finding["references"] == ["abcd"]
    assert [each["subject"] for each in job["followups"]] == ["vectors"]
    assert [each["what"] for each in job["history"]] == ["queued", "started", "ok"]
    json.dumps(found)


def test_what_followed_names_what_it_follows(told: Ledger) -> None:
    (job,) = why(told, "j2")["jobs"]
    assert job["follows"] == [1]


@pytest.mark.parametrize("id", ["j9", "e9", "f9", "x1", "", "j0", "-1", "j1; DROP TABLE jobs"])
def test_what_there_is_not_is_said(told: Ledger, id: str) -> None:
    with pytest.raises(NoSuchId) as caught:
        why(told, id)
    assert caught.value.code == "no_such_id"
    assert caught.value.hint
