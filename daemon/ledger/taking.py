"""Choosing the next job: by lane, then by who has waited longest, and nobody waits for ever.

A job's place in its lane is the moment from which it could have started. One that has waited
`AGEING` seconds counts as one lane more urgent, but what a person asked for is always first. So
background work only ever waits for on-demand work and for what had become runnable before it plus
at most two times `AGEING`: finitely much, whatever keeps coming.

Clocks jump. A waiting job remembers when its wait was asked for; if that lies in the future the
clock was put back, and all its times are moved along, so that it waits as long as was meant.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Generator
from dataclasses import dataclass

from ...agents.contract import Lane
from .breaker import count_run, failed, held_for, key_of
from .journal import Journal
from .records import Job, State
from .rows import COLUMNS, change, get_job, job_of, note, still_in_time

AGEING = 5 * 60.0
"""Seconds of waiting that count as one lane."""
LOSSES = 3
"""So many times a process may end under a job before it is given up."""
SLACK = 1.0
"""Seconds by which two threads' readings of the clock may differ."""
_AT_ONCE = 500
"""Expired jobs cleared away in one transaction."""

# The indexes are named: left to itself SQLite takes the one by state and reads all that waits.
_LAST_ASKED = "SELECT max(asked_at) FROM jobs INDEXED BY jobs_asked WHERE state = 'queued'"
_NEXT_EXPIRY = (
    "SELECT min(expires_at) FROM jobs INDEXED BY jobs_expiring"
    " WHERE state = 'queued' AND expires_at IS NOT NULL"
)


@dataclass(frozen=True, slots=True)
class _Head:
    """The first of a lane that may start."""

    id: int
    lane: Lane
    since: float

    def rank(self, now: float) -> tuple[int, float, int]:
        """Return what sorts it among the heads of other lanes; the lowest is taken."""
        if self.lane is Lane.ON_DEMAND:
            return (-1, self.since, self.id)
        aged = max(0, int((now - self.since) // AGEING))
        return (max(0, self.lane - aged), self.since, self.id)


def take(
    db: sqlite3.Connection,
    journal: Journal,
    now: float,
    owner: str,
    lanes: Collection[Lane],
    without: Collection[str],
    lease: float,
) -> Job | None:
    """Start the next job that may start, or return None."""
    settle(db, journal, now)
    while head := min(_heads(db, now, lanes, without), key=lambda h: h.rank(now), default=None):
        job = get_job(db, head.id)
        key = key_of(job.agent, job.repo, job.subject)
        hold = held_for(db, key, job.lane, now)
        reason = "held: it failed in the same way too often"
        if not hold:
            hold = count_run(db, key, job.lane, now)
            reason = "held: it ran too often this hour"
        if hold:
            expiry = still_in_time(job.expires_at, now + hold)
            change(
                db, job.id, asked_at=now, not_before=now + hold, expires_at=expiry, reason=reason
            )
            continue
        job = change(
            db,
            job.id,
            state=State.RUNNING,
            owner=owner,
            lease=lease,
            lease_until=now + lease,
            doubted=0,
            started_at=now,
            attempts=job.attempts + 1,
            reason="",
        )
        note(journal, job, "started", now, "" if job.attempts == 1 else f"attempt {job.attempts}")
        return job
    return None


def settle(db: sqlite3.Connection, journal: Journal, now: float) -> None:
    """Bring the waiting up to the clock: move what a jump left behind, end what expired."""
    follow_clock(db, now)
    expired = db.execute(
        "SELECT id FROM jobs INDEXED BY jobs_expiring WHERE state = 'queued'"
        " AND expires_at IS NOT NULL AND expires_at <= ? ORDER BY expires_at LIMIT ?",
        (now, _AT_ONCE),
    ).fetchall()
    for (id,) in expired:
        reason = "it could not start in time"
        note(
            journal,
            change(db, id, state=State.LATE, ended_at=now, reason=reason),
            State.LATE,
            now,
            reason,
        )


def unsettled(db: sqlite3.Connection, now: float) -> bool:
    """Return whether `settle` has something to do."""
    asked, expiry = db.execute(_LAST_ASKED).fetchone()[0], db.execute(_NEXT_EXPIRY).fetchone()[0]
    return (asked is not None and asked > now + SLACK) or (expiry is not None and expiry <= now)


def follow_clock(db: sqlite3.Connection, now: float) -> None:
    """Move the times of waiting jobs if the clock was put back."""
    ahead = db.execute(_LAST_ASKED).fetchone()[0]
    if ahead is None or ahead <= now + SLACK:
        return
    db.execute(
        "UPDATE jobs SET not_before = not_before - (asked_at - :now),"
        " expires_at = expires_at - (asked_at - :now),"
        " queued_at = queued_at - (asked_at - :now), asked_at = :now"
        " WHERE state = 'queued' AND asked_at > :now",
        {"now": now},
    )


def next_wake(db: sqlite3.Connection, now: float) -> float | None:
    """Return the next moment at which time alone lets a job start or expire."""
    expiry = db.execute(_NEXT_EXPIRY).fetchone()[0]
    moments = [] if expiry is None else [expiry]
    for lane in Lane:
        row = db.execute(
            "SELECT min(not_before) FROM jobs INDEXED BY jobs_queued"
            " WHERE state = 'queued' AND lane = ? AND not_before > ?",
            (int(lane), now),
        ).fetchone()
        if row[0] is not None:
            moments.append(row[0])
    return min(moments, default=None)


def recover(db: sqlite3.Connection, journal: Journal, now: float, owner: str) -> list[Job]:
    """Take back what runs under nobody: another owner's jobs, and those whose lease ran out.

    A lease of ``owner`` that ran out is doubted first and ends at the next call: after a suspend
    or a jump of the clock all leases seem to have run out, and their owner is well.
    """
    rows = db.execute(
        f"SELECT {COLUMNS}, owner, lease, doubted, losses FROM jobs WHERE state = 'running'"
    ).fetchall()
    back: list[Job] = []
    for *columns, holder, lease, doubted, losses in rows:
        job = job_of(tuple(columns))
        until = job.lease_until or now
        if holder == owner:
            # A lease that ends later than any could has been given before the clock was put back.
            if now < until <= now + lease + SLACK:
                continue
            if not doubted:
                db.execute(
                    "UPDATE jobs SET doubted = 1, lease_until = ? WHERE id = ?",
                    (now + lease, job.id),
                )
                continue
        back.append(_lost(db, journal, job, losses + 1, now))
    return back


def _lost(db: sqlite3.Connection, journal: Journal, job: Job, losses: int, now: float) -> Job:
    reason = "its process ended under it"
    free = {"lease_until": None, "owner": None, "losses": losses}
    if losses >= LOSSES:
        reason = f"{reason} {losses} times"
        error = {"error": reason, "hint": "", "code": "abandoned"}
        failed(db, key_of(job.agent, job.repo, job.subject), error, now)
        job = change(
            db,
            job.id,
            state=State.ABANDONED,
            ended_at=now,
            reason=reason,
            error=json.dumps(error),
            **free,
        )
        note(journal, job, State.ABANDONED, now, reason)
        return job
    since = min(job.not_before, now)
    job = change(
        db, job.id, state=State.QUEUED, asked_at=now, not_before=since, reason=reason, **free
    )
    note(journal, job, "given_back", now, reason)
    return job


def _heads(
    db: sqlite3.Connection, now: float, lanes: Collection[Lane], without: Collection[str]
) -> Generator[_Head]:
    """Yield the first of each lane that is due, wanted, and whose like is not running; where
    someone waits for it, nothing else."""
    shunned = json.dumps(list(without))
    for lane in sorted(lanes):
        row = db.execute(
            "SELECT id, not_before FROM jobs AS job INDEXED BY jobs_queued"
            " WHERE state = 'queued' AND lane = ? AND not_before <= ?"
            " AND agent NOT IN (SELECT value FROM json_each(?))"
            " AND agent || '/' || ifnull(repo, '') NOT IN (SELECT value FROM json_each(?))"
            " AND NOT EXISTS (SELECT 1 FROM jobs AS other WHERE other.state = 'running'"
            " AND other.agent = job.agent AND other.subject = job.subject"
            " AND other.repo IS job.repo)"
            " ORDER BY not_before, id LIMIT 1",
            (int(lane), now, shunned, shunned),
        ).fetchone()
        if row:
            yield _Head(row[0], lane, row[1])
            if lane is Lane.ON_DEMAND:
                return
