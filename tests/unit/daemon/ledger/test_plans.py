"""What is asked often uses an index, however much is remembered."""

from __future__ import annotations

import sqlite3

import pytest

from hermes.agents.contract import Lane
from hermes.agents.events import FilesChanged
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.ledger.records import Spec, State


@pytest.fixture
def asked(ledger: Ledger) -> list[str]:
    """Do all that a busy daemon does, and return each statement that was run."""
    statements: list[str] = []
    with ledger.database.reading() as db:
        db.set_trace_callback(statements.append)
    event = FilesChanged(at=0, source="watch", repo="shop", paths=("a",))
    id = ledger.intake.accept(event, key="k", now=0).id
    ledger.intake.pending()
    ledger.intake.route(id, {}, [Spec("a", "b", "shop", expires_in=60)], 0)
    ledger.queue.put([Spec("a", "b", "shop")], 0)
    for state in (State.OK, State.FAILED):
        job = ledger.queue.take(0, owner="me", lanes=tuple(Lane), without=("x", "y/z"))
        assert job is not None
        ledger.queue.beat([job.id], 0)
        ledger.queue.recover(0, "me")
        ledger.queue.finish(job.id, state, 0, then=[Spec("a", "b", "shop")])
    ledger.queue.next_wake(0)
    ledger.queue.depths(0)
    ledger.queue.trouble()
    ledger.intake.of_job(1)
    ledger.journal.page(0)
    ledger.calls.of_job(1)
    with ledger.database.reading() as db:
        db.set_trace_callback(None)
    return statements


def test_nothing_that_is_done_often_reads_a_whole_table(ledger: Ledger, asked: list[str]) -> None:
    slow: list[str] = []
    with ledger.database.reading() as db:
        for statement in asked:
            slow += [f"{detail}: {statement}" for detail in _scans(db, statement)]
    assert len(asked) > 50
    assert not slow, "\n".join(slow)


# Partial indexes: to read one from its beginning is to read what is open, nothing else.
_OF_WHAT_IS_OPEN = (
    "INDEX events_pending",
    "INDEX jobs_asked",
    "INDEX jobs_expiring",
    "INDEX jobs_queued",
    "INDEX jobs_running",
    "INDEX jobs_trouble",
)


def _scans(db: sqlite3.Connection, statement: str) -> list[str]:
    if not statement.startswith(("SELECT", "UPDATE", "DELETE", "INSERT")):
        return []
    plan = db.execute(f"EXPLAIN QUERY PLAN {statement}").fetchall()
    few = ("json_each", "CONSTANT ROW", "sqlite_sequence", *_OF_WHAT_IS_OPEN)
    slow = ["SCAN", "USE TEMP B-TREE FOR ORDER"]
    if "'queued'" in statement:  # that many may wait that an index by state alone is no help
        slow.append("jobs_by_state")
    return [
        detail
        for *_, detail in plan
        if any(word in detail for word in slow) and not any(word in detail for word in few)
    ]
