"""The whole chain behind a job, an event or a finding, for `hermes why`."""

from __future__ import annotations

import json
import re
import sqlite3
from dataclasses import asdict
from typing import Any

from .errors import NoSuchId
from .ledger import Ledger
from .records import Fields, Job

_ID = re.compile(r"([jef]?)([1-9]\d{0,17})")
_EVENTS = 20
"""Events shown of a job: the last, if there were more."""


def why(ledger: Ledger, id: str) -> Fields:
    """Given ``j12`` or ``12`` (a job), ``e3`` (an event) or ``f4`` (a finding), return
    ``id``, ``events`` (each with its ``decision``) and ``jobs`` (each with ``calls``, ``read``,
    ``wrote``, ``findings``, ``followups`` and ``history``). Raise NoSuchId.
    """
    match = _ID.fullmatch(id.strip().lower())
    if match is None:
        raise NoSuchId(f"“{id}”")
    kind, number = match[1] or "j", int(match[2])
    with ledger.database.reading() as db:
        if kind == "e":
            return _of_event(ledger, db, number)
        if kind == "f":
            return _of_finding(ledger, db, number)
        job = ledger.queue.get(number)
        return {
            "id": f"j{number}",
            "events": _events_of(ledger, db, number),
            "jobs": [_job(ledger, db, job)],
        }


def _of_event(ledger: Ledger, db: sqlite3.Connection, id: int) -> Fields:
    event = _event(ledger, db, id)
    if event is None:
        raise NoSuchId(f"e{id}")
    rows = db.execute("SELECT job FROM job_events WHERE event = ? ORDER BY job", (id,)).fetchall()
    jobs = [_job(ledger, db, ledger.queue.get(job)) for (job,) in rows]
    return {"id": f"e{id}", "events": [event], "jobs": jobs}


def _of_finding(ledger: Ledger, db: sqlite3.Connection, id: int) -> Fields:
    row = db.execute("SELECT job FROM findings WHERE id = ?", (id,)).fetchone()
    if row is None:
        raise NoSuchId(f"f{id}")
    (finding,) = _findings(db, "id = ?", id)
    known = db.execute("SELECT 1 FROM jobs WHERE id = ?", (row[0],)).fetchone()
    jobs = [_job(ledger, db, ledger.queue.get(row[0]))] if known else []
    events = _events_of(ledger, db, row[0]) if known else []
    return {"id": f"f{id}", "finding": finding, "events": events, "jobs": jobs}


def _events_of(ledger: Ledger, db: sqlite3.Connection, job: int) -> list[Fields]:
    rows = db.execute(
        "SELECT event FROM job_events WHERE job = ? ORDER BY event DESC LIMIT ?", (job, _EVENTS)
    ).fetchall()
    found = [_event(ledger, db, id) for (id,) in reversed(rows)]
    return [event for event in found if event is not None]


def _event(ledger: Ledger, db: sqlite3.Connection, id: int) -> Fields | None:
    row = db.execute(
        "SELECT kind, source, repo, at, accepted_at, routed_at, body, decision FROM events"
        " WHERE id = ?",
        (id,),
    ).fetchone()
    if row is None:
        return None
    kind, source, repo, at, accepted_at, routed_at, body, decision = row
    return {
        "id": id,
        "kind": kind,
        "source": source,
        "repo": repo,
        "at": at,
        "accepted_at": accepted_at,
        "routed_at": routed_at,
        "event": json.loads(body),
        "decision": None if decision is None else json.loads(decision),
        "calls": [asdict(call) for call in ledger.calls.of_event(id)],
    }


def _job(ledger: Ledger, db: sqlite3.Connection, job: Job) -> Fields:
    traces = ledger.traces.of(job.id)
    before = db.execute("SELECT job FROM job_followups WHERE next = ?", (job.id,)).fetchall()
    history = db.execute(
        "SELECT at, what, text, fields FROM journal WHERE number IN"
        " (SELECT number FROM journal WHERE topic = 'job' AND about = ?"
        " ORDER BY number DESC LIMIT 50) ORDER BY number",
        (job.id,),
    ).fetchall()
    return {
        **job.fields(),
        "changed": {"paths": job.paths, "folders": job.folders, "whole": job.whole},
        "text": job.text,
        "calls": [asdict(call) for call in ledger.calls.of_job(job.id)],
        "read": traces["read"],
        "wrote": traces["wrote"],
        "findings": _findings(db, "job = ?", job.id),
        "follows": [id for (id,) in before],
        "followups": [each.fields() for each in ledger.queue.followups(job.id)],
        "history": [
            {"at": at, "what": what, "text": text, "fields": json.loads(fields)}
            for at, what, text, fields in history
        ],
    }


def _findings(db: sqlite3.Connection, condition: str, value: Any) -> list[Fields]:
    cursor = db.execute(f"SELECT * FROM findings WHERE {condition} ORDER BY id", (value,))
    names = [column[0] for column in cursor.description]
    found = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    for finding in found:
        finding["references"] = json.loads(finding.pop("refs"))
        finding["urgent"] = bool(finding["urgent"])
    return found
