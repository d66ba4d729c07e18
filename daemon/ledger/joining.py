"""Putting work into the queue: a new job, or part of one that waits there already."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass

from ...agents.contract import Lane
from .breaker import held_for, key_of
from .changes import Changes, unite
from .journal import Journal
from .records import Job, Spec
from .rows import COLUMNS, change, get_job, job_of, note


@dataclass(frozen=True, slots=True)
class Queued:
    """What became of a spec."""

    job: Job
    joined: bool
    """Whether it became part of a job that was waiting already."""


def put(
    db: sqlite3.Connection, journal: Journal, spec: Spec, now: float, event: int | None
) -> Queued:
    """Queue one spec, in the transaction that is open."""
    twin = None if spec.alone else _twin(db, spec)
    job = _join(db, twin, spec, now) if twin else _insert(db, spec, now)
    if event is not None:
        fresh = db.execute(
            "INSERT OR IGNORE INTO job_events (job, event) VALUES (?, ?)", (job.id, event)
        ).rowcount
        if fresh:
            job = change(db, job.id, events=job.events + 1)
    hold = job.not_before - now
    more = {"event": event, "after": round(hold, 1)} if hold > 0 else {"event": event}
    note(journal, job, "joined" if twin else "queued", now, job.reason, more)
    return Queued(job, twin is not None)


def _twin(db: sqlite3.Connection, spec: Spec) -> Job | None:
    """Return the waiting job that does what ``spec`` asks for, the last if there are several.

    A rehearsal is no part of the real thing, and no one's words replace another's.
    """
    row = db.execute(
        f"SELECT {COLUMNS} FROM jobs WHERE state = 'queued' AND agent = ? AND subject = ?"
        " AND repo IS ? AND alone = 0 AND dry_run = ? AND (text = '' OR ? IN ('', text))"
        " ORDER BY id DESC LIMIT 1",
        (spec.agent, spec.subject, spec.repo, spec.dry_run, spec.text),
    ).fetchone()
    return job_of(row) if row else None


def _insert(db: sqlite3.Connection, spec: Spec, now: float) -> Job:
    changed = unite(Changes(), Changes(spec.paths, spec.folders, spec.whole))
    quiet = min(spec.quiet, spec.longest) if spec.longest else spec.quiet
    wait = max(quiet, spec.delay)
    hold = held_for(db, key_of(spec.agent, spec.repo, spec.subject), spec.lane, now)
    cursor = db.execute(
        "INSERT INTO jobs (agent, subject, repo, lane, state, paths, folders, whole, text, dry_run,"
        " alone, queued_at, asked_at, not_before, expires_at, reason)"
        " VALUES (?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            spec.agent,
            spec.subject,
            spec.repo,
            int(spec.lane),
            json.dumps(changed.paths),
            json.dumps(changed.folders),
            changed.whole,
            spec.text,
            spec.dry_run,
            spec.alone,
            now,
            now,
            now + max(wait, hold),
            None if spec.expires_in is None else now + max(hold, 0.0) + spec.expires_in,
            "held: it failed in the same way too often" if hold > wait else "",
        ),
    )
    assert cursor.lastrowid is not None
    return get_job(db, cursor.lastrowid)


def _join(db: sqlite3.Connection, job: Job, spec: Spec, now: float) -> Job:
    changed = unite(
        Changes(job.paths, job.folders, job.whole), Changes(spec.paths, spec.folders, spec.whole)
    )
    expires_at = None
    if job.expires_at is not None and spec.expires_in is not None:
        expires_at = max(job.expires_at, now + spec.expires_in)
    not_before = _not_before(job, spec, now)
    columns = {"asked_at": now, "not_before": not_before} if not_before != job.not_before else {}
    return change(
        db,
        job.id,
        lane=int(min(job.lane, spec.lane)),
        paths=json.dumps(changed.paths),
        folders=json.dumps(changed.folders),
        whole=changed.whole,
        text=job.text or spec.text,
        expires_at=expires_at,
        **columns,
    )


def _not_before(job: Job, spec: Spec, now: float) -> float:
    """Return when a waiting job may start, now that ``spec`` is part of it."""
    asked = now + max(spec.quiet, spec.delay)
    if spec.lane is Lane.ON_DEMAND:
        return min(job.not_before, asked)  # a person waits: neither quiet nor a failure holds it
    if job.attempts or job.reason:
        return job.not_before  # it waits after a failure; more of the same is no reason to hurry
    if spec.lane < job.lane:
        return min(job.not_before, asked)
    if not spec.quiet:
        return min(job.not_before, asked)
    if spec.longest:
        asked = min(asked, job.queued_at + spec.longest)
    return max(job.not_before, asked)
