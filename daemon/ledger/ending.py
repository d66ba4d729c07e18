"""How a job leaves the slot it ran in: ended, put back for later, or given up."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from ...agents.contract import Lane
from .breaker import failed, forget_run, held_for, key_of, succeeded
from .changes import Changes, unite
from .joining import put
from .journal import Journal
from .records import Fields, Job, Spec, State
from .rows import COLUMNS, change, get_job, job_of, note, still_in_time

FIRST_WAIT = 5.0
LONGEST_WAIT = 15 * 60.0
JITTER = 0.2
_FREE: Fields = {"lease_until": None, "owner": None}
_FAILURES = frozenset({State.FAILED, State.DEAD})


def backoff(attempts: int, rng: random.Random) -> float:
    """Return the seconds to wait after so many attempts: 5 s, doubled each time, at most 15 min,
    and up to 20 % more or less, so that what failed together does not come back together."""
    wait: float = min(FIRST_WAIT * 2 ** min(max(0, attempts - 1), 20), LONGEST_WAIT)
    return wait * rng.uniform(1 - JITTER, 1 + JITTER)


def finish(
    db: sqlite3.Connection,
    journal: Journal,
    id: int,
    state: State,
    now: float,
    *,
    reason: str = "",
    report: Mapping[str, Any] | None = None,
    error: Mapping[str, Any] | None = None,
    then: Sequence[Spec] = (),
) -> Job:
    """End a running job and queue what follows from it; one that does not run stays as it is."""
    job = get_job(db, id)
    if job.state is not State.RUNNING:
        return job
    key = key_of(job.agent, job.repo, job.subject)
    if state in (State.OK, State.SILENT):
        succeeded(db, key)
    elif state in _FAILURES:
        failed(db, key, error or {"error": reason}, now)
    if state in (State.SILENT, State.SKIPPED) and job.lane is not Lane.ON_DEMAND:
        forget_run(db, key)
    job = change(
        db,
        id,
        state=state,
        ended_at=now,
        reason=reason,
        report=json.dumps(dict(report or {})),
        error=json.dumps(dict(error or {})),
        **_FREE,
    )
    seconds = round(max(0.0, now - (job.started_at or now)), 3)
    note(journal, job, state, now, reason, {"seconds": seconds})
    for spec in then:
        following = put(db, journal, spec, now, None).job
        db.execute("INSERT OR IGNORE INTO job_followups VALUES (?, ?)", (id, following.id))
    return job


def retry_later(
    db: sqlite3.Connection,
    journal: Journal,
    id: int,
    now: float,
    *,
    delay: float,
    reason: str,
    error: Mapping[str, Any],
    max_attempts: int,
) -> Job:
    """Put a running job back for another attempt, or let it be dead if it had enough of them."""
    job = get_job(db, id)
    if job.state is not State.RUNNING:
        return job
    if job.attempts >= max_attempts:
        return finish(db, journal, id, State.DEAD, now, reason=reason, error=error)
    key = key_of(job.agent, job.repo, job.subject)
    failed(db, key, error, now)
    delay = max(delay, held_for(db, key, job.lane, now))
    job = change(
        db,
        id,
        state=State.QUEUED,
        asked_at=now,
        not_before=now + delay,
        expires_at=still_in_time(job.expires_at, now + delay),
        reason=reason,
        error=json.dumps(dict(error)),
        **_FREE,
    )
    note(journal, job, "retry", now, reason, {"after": round(delay, 1), "attempts": job.attempts})
    return job


def give_back(
    db: sqlite3.Connection, journal: Journal, id: int, now: float, delay: float, reason: str
) -> Job:
    """Put a running job back into its place; the attempt does not count."""
    job = get_job(db, id)
    if job.state is not State.RUNNING:
        return job
    if job.lane is not Lane.ON_DEMAND:
        forget_run(db, key_of(job.agent, job.repo, job.subject))
    later = now + delay
    job = change(
        db,
        id,
        state=State.QUEUED,
        attempts=max(0, job.attempts - 1),
        asked_at=now,
        not_before=later if delay > 0 else min(job.not_before, now),
        # It began in time: giving way must not make it late.
        expires_at=None,
        reason=reason,
        **_FREE,
    )
    note(journal, job, "given_back", now, reason, {"after": delay} if delay > 0 else {})
    return job


def cancel(db: sqlite3.Connection, journal: Journal, id: int, now: float) -> Job:
    """End a job that waits, runs or is blocked, because someone says so."""
    job = get_job(db, id)
    if job.state not in (State.QUEUED, State.RUNNING, State.BLOCKED_CONFIG):
        return job
    job = change(db, id, state=State.CANCELLED, ended_at=now, reason="cancelled", **_FREE)
    note(journal, job, State.CANCELLED, now)
    return job


def retry(db: sqlite3.Connection, journal: Journal, id: int, now: float) -> Job:
    """Queue an ended or waiting job anew, as if it had never been tried."""
    job = get_job(db, id)
    if job.state is State.RUNNING:
        return job
    succeeded(db, key_of(job.agent, job.repo, job.subject))
    job = _anew(db, job, now, "asked for again")
    note(journal, job, "retry", now, job.reason)
    return job


def unblock(db: sqlite3.Connection, journal: Journal, code: str, now: float) -> list[Job]:
    """Queue what was blocked with this code. What is blocked several times goes on as one job."""
    rows = db.execute(
        f"SELECT {COLUMNS}, alone FROM jobs WHERE state = 'blocked_config'"
        " AND json_extract(error, '$.code') = ? ORDER BY id DESC",
        (code,),
    ).fetchall()
    going: dict[tuple[str, str | None, str, bool, str], Job] = {}
    back: list[Job] = []
    for *columns, alone in rows:
        job = job_of(tuple(columns))
        kind = (job.agent, job.repo, job.subject, job.dry_run, job.text)
        newest = None if alone else going.get(kind)
        if newest is not None:
            going[kind] = _take_over(db, newest, job)
            reason = f"goes on as job {newest.id}"
            job = change(db, job.id, state=State.SKIPPED, reason=reason)
            note(journal, job, State.SKIPPED, now, reason)
            continue
        job = _anew(db, job, now, "tried again")
        note(journal, job, "queued", now, job.reason)
        back.append(job)
        if not alone:
            going[kind] = job
    return [get_job(db, job.id) for job in back]


def undelivered(db: sqlite3.Connection, journal: Journal, id: int, now: float, reason: str) -> Job:
    """Mark a job that was done, but what it found could not be shown to anyone."""
    job = get_job(db, id)
    if job.state is not State.OK:
        return job
    job = change(db, id, state=State.DELIVERY_FAILED, reason=reason, dealt=0)
    note(journal, job, State.DELIVERY_FAILED, now, reason)
    return job


def _anew(db: sqlite3.Connection, job: Job, now: float, reason: str) -> Job:
    return change(
        db,
        job.id,
        state=State.QUEUED,
        attempts=0,
        losses=0,
        asked_at=now,
        not_before=now,
        expires_at=None,
        started_at=None,
        ended_at=None,
        reason=reason,
        error="{}",
        report="{}",
        dealt=0,
        **_FREE,
    )


def _take_over(db: sqlite3.Connection, job: Job, other: Job) -> Job:
    changed = unite(
        Changes(job.paths, job.folders, job.whole), Changes(other.paths, other.folders, other.whole)
    )
    db.execute(
        "INSERT OR IGNORE INTO job_events (job, event) SELECT ?, event FROM job_events"
        " WHERE job = ?",
        (job.id, other.id),
    )
    count = db.execute("SELECT count(*) FROM job_events WHERE job = ?", (job.id,)).fetchone()[0]
    return change(
        db,
        job.id,
        lane=int(min(job.lane, other.lane)),
        paths=json.dumps(changed.paths),
        folders=json.dumps(changed.folders),
        whole=changed.whole,
        events=count,
    )
