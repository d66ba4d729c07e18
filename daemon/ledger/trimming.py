"""Keeping the ledger bounded: what ended long ago goes, and what is beyond `MOST_ROWS`.

Never: a job that is open or blocked, an event that is not routed or whose job is still there, a
dead letter younger than 90 days.
"""

from __future__ import annotations

from ...memory.database import Database

MOST_ROWS = 100_000
"""Rows kept of each kind."""
KEPT = 30 * 86_400.0
"""Seconds for which what ended well is kept."""
DEAD_KEPT = 90 * 86_400.0
"""Seconds for which a person may still want to retry what did not."""
_AT_ONCE = 2_000
"""Rows removed in one transaction, so that nobody waits long for the lock."""

_JOBS = """
DELETE FROM jobs WHERE id IN (
    SELECT id FROM jobs
    WHERE ended_at IS NOT NULL AND state NOT IN ('queued', 'running', 'blocked_config')
    AND ended_at < max(:old, ifnull(
        (SELECT ended_at FROM jobs WHERE ended_at IS NOT NULL
         ORDER BY ended_at DESC LIMIT 1 OFFSET :most - 1), :old))
    AND (state NOT IN ('failed', 'delivery_failed', 'abandoned', 'dead') OR ended_at < :very_old)
    ORDER BY ended_at LIMIT :at_once)
"""
_EVENTS = """
DELETE FROM events WHERE id IN (
    SELECT id FROM events AS event
    WHERE routed_at IS NOT NULL
    AND (accepted_at < :old OR id <= (SELECT max(id) FROM events) - :most)
    AND NOT EXISTS (SELECT 1 FROM job_events WHERE job_events.event = event.id)
    ORDER BY id LIMIT :at_once)
"""
# From the front only, so that what is left has no hole that a reader would take for a gap.
_JOURNAL = """
DELETE FROM journal WHERE number IN (
    SELECT number FROM journal
    WHERE number <= max(
        (SELECT max(number) FROM journal) - :most,
        ifnull((SELECT number - 1 FROM journal WHERE at >= :old ORDER BY number LIMIT 1),
               (SELECT max(number) FROM journal)))
    ORDER BY number LIMIT :at_once)
"""
_CALLS = """
DELETE FROM calls WHERE id IN (
    SELECT id FROM calls WHERE at < :old OR id <= (SELECT max(id) FROM calls) - :most
    ORDER BY id LIMIT :at_once)
"""
_FINDINGS = """
DELETE FROM findings WHERE id IN (
    SELECT id FROM findings
    WHERE state != 'held' AND (at < :very_old OR id <= (SELECT max(id) FROM findings) - :most)
    ORDER BY id LIMIT :at_once)
"""
_INCIDENTS = """
DELETE FROM incidents WHERE id IN (
    SELECT id FROM incidents WHERE state = 'recovered' AND last < :very_old
    ORDER BY id LIMIT :at_once)
"""
_SCHEDULE_RUNS = """
DELETE FROM schedule_runs WHERE id IN (
    SELECT id FROM schedule_runs
    WHERE (at < :very_old OR id <= (SELECT max(id) FROM schedule_runs) - :most)
    AND id NOT IN (SELECT max(id) FROM schedule_runs WHERE outcome != 'asked' GROUP BY name)
    ORDER BY id LIMIT :at_once)
"""
_INPUTS = """
DELETE FROM inputs WHERE id IN (
    SELECT id FROM inputs WHERE id <= (SELECT max(id) FROM inputs) - :most
    ORDER BY id LIMIT :at_once)
"""
_BREAKERS = "DELETE FROM breakers WHERE at < :old"
_ALL = (
    _JOBS,
    _EVENTS,
    _JOURNAL,
    _CALLS,
    _FINDINGS,
    _INCIDENTS,
    _SCHEDULE_RUNS,
    _INPUTS,
    _BREAKERS,
)


def trim(database: Database, now: float, most: int = MOST_ROWS) -> int:
    """Remove what is old, and beyond the newest ``most`` of each kind; return how many rows."""
    limits = {
        "old": now - KEPT,
        "very_old": now - DEAD_KEPT,
        "most": most,
        "at_once": _AT_ONCE,
    }
    removed = 0
    for statement in _ALL:
        count = _AT_ONCE
        while count >= _AT_ONCE:
            with database.writing() as db:
                count = db.execute(statement, limits).rowcount
            removed += count
    return removed
