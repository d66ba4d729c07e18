"""Events are on disk once, are routed once, and what can't be read is set aside."""

from __future__ import annotations

import pytest

from hermes.agents.events import Committed, FilesChanged
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.ledger.records import Spec

COMMIT = Committed(at=5, source="hook", repo="shop", new="abcd")
READ = Spec("indexer", "read", "shop")


def test_the_same_key_twice_is_the_same_event(ledger: Ledger) -> None:
    first = ledger.intake.accept(COMMIT, key="spool:1", now=10)
    again = ledger.intake.accept(COMMIT, key="spool:1", now=11)
    other = ledger.intake.accept(COMMIT, key=None, now=12)
    assert (first.new, again.new, other.new) == (True, False, True)
    assert first.id == again.id != other.id
    assert [entry.what for entry in ledger.journal.after(0)] == ["accepted", "accepted"]


def test_an_event_waits_until_it_is_routed_and_is_routed_once(ledger: Ledger) -> None:
    id = ledger.intake.accept(COMMIT, key=None, now=10).id
    assert ledger.intake.pending() == [(id, COMMIT)]
    decision = {"by": "rule", "reason": "a commit is read"}
    (queued,) = ledger.intake.route(id, decision, [READ], 11)
    assert queued.job.events == 1
    assert ledger.intake.pending() == []
    assert ledger.intake.route(id, decision, [READ, Spec("docs")], 12) == []
    assert ledger.intake.get(id) == (COMMIT, decision)
    assert len(ledger.queue.find()) == 1
    assert ledger.intake.of_job(queued.job.id) == [(id, COMMIT)]


def test_a_job_remembers_the_last_of_the_events_that_led_to_it(ledger: Ledger) -> None:
    ids: list[int] = []
    for second in range(30):
        event = FilesChanged(at=second, source="watch", repo="shop", paths=(f"{second}.py",))
        ids.append(ledger.intake.accept(event, key=None, now=second).id)
        ledger.intake.route(ids[-1], {}, [READ], second)
    (job,) = ledger.queue.find()
    assert job.events == 30
    assert [id for id, _ in ledger.intake.of_job(job.id)] == ids[-20:]


def test_an_event_of_another_version_is_set_aside_and_holds_up_nobody(ledger: Ledger) -> None:
    strange = ledger.intake.accept(COMMIT, key=None, now=10).id
    with ledger.writing() as db:
        body = '{"kind": "dreamt", "at": 1, "source": "hook"}'
        db.execute("UPDATE events SET body = ? WHERE id = ?", (body, strange))
    good = ledger.intake.accept(COMMIT, key=None, now=11).id
    assert ledger.intake.pending() == [(good, COMMIT)]
    assert ledger.intake.pending() == [(good, COMMIT)]
    refused = [entry for entry in ledger.journal.after(0) if entry.what == "refused"]
    assert [entry.text.partition(":")[0] for entry in refused] == [f"e{strange} committed"]
    assert ledger.intake.get(strange) is None


def test_what_was_refused_is_in_the_journal(ledger: Ledger) -> None:
    ledger.intake.refuse("spool", "x.json", "it is not JSON", 3)
    (entry,) = ledger.journal.after(0)
    assert (entry.topic, entry.what, entry.text) == ("event", "refused", "x.json: it is not JSON")


def test_what_fails_on_the_way_leaves_nothing_half_done(ledger: Ledger) -> None:
    id = ledger.intake.accept(COMMIT, key=None, now=10).id
    written = ledger.journal.newest()
    bad = Spec("indexer", "read", "shop", paths=(b"not text",))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError):
        ledger.intake.route(id, {"by": "rule"}, [READ, bad], 11)
    assert ledger.intake.pending() == [(id, COMMIT)]
    assert ledger.queue.find() == []
    assert ledger.journal.newest() == written
