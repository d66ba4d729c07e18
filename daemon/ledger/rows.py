"""Jobs as rows: read, looked up, and written about in the journal."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from typing import Any

from ...agents.contract import Lane
from .errors import NoSuchId
from .journal import Journal
from .records import Job, State

COLUMNS = (
    "id, agent, subject, repo, lane, state, queued_at, not_before, attempts, paths, folders, whole,"
    " text, dry_run, expires_at, lease_until, started_at, ended_at, reason, error, report, events"
)


def job_of(row: tuple[Any, ...]) -> Job:
    """Given the columns `COLUMNS`, return the job."""
    (id, agent, subject, repo, lane, state, queued_at, not_before, attempts, *rest) = row
    paths, folders, whole, text, dry_run, expires_at, lease_until, *rest = rest
    started_at, ended_at, reason, error, report, events = rest
    return Job(
        id,
        agent,
        subject,
        repo,
        Lane(lane),
        State(state),
        queued_at,
        not_before,
        attempts,
        paths=tuple(json.loads(paths)),
        folders=tuple(json.loads(folders)),
        whole=bool(whole),
        text=text,
        dry_run=bool(dry_run),
        expires_at=expires_at,
        lease_until=lease_until,
        started_at=started_at,
        ended_at=ended_at,
        reason=reason,
        error=json.loads(error),
        report=json.loads(report),
        events=events,
    )


def get_job(db: sqlite3.Connection, id: int) -> Job:
    """Return a job. Raise NoSuchId."""
    row = db.execute(f"SELECT {COLUMNS} FROM jobs WHERE id = ?", (id,)).fetchone()
    if row is None:
        raise NoSuchId(f"j{id}")
    return job_of(row)


def change(db: sqlite3.Connection, id: int, **columns: Any) -> Job:
    """Set columns of a job and return it as it then is."""
    names = ", ".join(f"{name} = ?" for name in columns)
    db.execute(f"UPDATE jobs SET {names} WHERE id = ?", (*columns.values(), id))
    return get_job(db, id)


def note(
    journal: Journal,
    job: Job,
    what: str,
    now: float,
    text: str = "",
    more: Mapping[str, Any] | None = None,
) -> None:
    """Write into the journal what happened to a job; ``text`` follows its name."""
    name = f"{job.agent} {job.subject}".rstrip()
    fields = {"agent": job.agent, "subject": job.subject, "lane": job.lane.name.lower()}
    journal.append(
        "job",
        what,
        now,
        about=job.id,
        repo=job.repo,
        text=f"{name}: {text}" if text else name,
        fields={**fields, **(more or {})},
    )


def still_in_time(expires_at: float | None, moment: float) -> float | None:
    """Return an expiry that leaves a job which we hold back until ``moment`` a minute after that."""
    return None if expires_at is None else max(expires_at, moment + 60.0)
