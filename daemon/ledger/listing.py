"""What there is in the queue, for whoever asks; cheap however long the queue is."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from typing import Any

from ...agents.contract import Lane
from .records import Fields, Job, State
from .rows import COLUMNS, job_of


def find(
    db: sqlite3.Connection,
    states: Collection[State],
    agent: str | None,
    repo: str | None,
    limit: int,
    before: int | None,
) -> list[Job]:
    """Return jobs, the newest first; no states means all."""
    conditions, values = ["1"], list[Any]()
    if states:
        conditions.append(f"state IN ({', '.join('?' * len(states))})")
        values += [str(state) for state in states]
    for name, value in (("agent", agent), ("repo", repo)):
        if value is not None:
            conditions.append(f"{name} = ?")
            values.append(value)
    if before is not None:
        conditions.append("id < ?")
        values.append(before)
    rows = db.execute(
        f"SELECT {COLUMNS} FROM jobs WHERE {' AND '.join(conditions)} ORDER BY id DESC LIMIT ?",
        (*values, limit),
    ).fetchall()
    return [job_of(row) for row in rows]


def depths(db: sqlite3.Connection, now: float) -> dict[str, Fields]:
    """Return for each lane how many wait, how many of them are due, and since when the oldest."""
    rows = db.execute(
        "SELECT lane, count(*), sum(not_before <= ?), min(queued_at) FROM jobs"
        " INDEXED BY jobs_queued WHERE state = 'queued' GROUP BY lane",
        (now,),
    ).fetchall()
    found = {lane: (queued, ready, oldest) for lane, queued, ready, oldest in rows}
    return {
        lane.name.lower(): dict(
            zip(("queued", "ready", "oldest"), found.get(int(lane), (0, 0, None)), strict=True)
        )
        for lane in Lane
    }


def newer(db: sqlite3.Connection, job: Job) -> Job | None:
    """Return the last job of the same agent, subject and repository that waits and came later."""
    row = db.execute(
        f"SELECT {COLUMNS} FROM jobs WHERE state = 'queued' AND agent = ? AND subject = ?"
        " AND repo IS ? AND dry_run = 0 AND id > ? ORDER BY id DESC LIMIT 1",
        (job.agent, job.subject, job.repo, job.id),
    ).fetchone()
    return job_of(row) if row else None


def trouble(db: sqlite3.Connection, limit: int) -> list[Job]:
    """Return what did not end well and was not dealt with, the newest first."""
    rows = db.execute(
        f"SELECT {COLUMNS} FROM jobs INDEXED BY jobs_trouble WHERE dealt = 0 AND state IN"
        " ('late', 'failed', 'blocked_config', 'delivery_failed', 'abandoned', 'dead')"
        " ORDER BY id DESC LIMIT ?",
        (limit,),
    ).fetchall()
    return [job_of(row) for row in rows]


def counts(db: sqlite3.Connection) -> dict[str, int]:
    """Return how many jobs there are in each state that has any."""
    rows = db.execute("SELECT state, count(*) FROM jobs GROUP BY state").fetchall()
    return {str(state): int(count) for state, count in rows}
