"""Events in, and what was decided about them. What `accept` returned for is on disk."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from ...agents.events import Event, dump_event, load_event
from ...memory.database import Database
from . import taking
from .joining import Queued, put
from .journal import Journal
from .records import Fields, Spec


@dataclass(frozen=True, slots=True)
class Accepted:
    """An event that is on disk."""

    id: int
    new: bool
    """False if the same key brought it before."""


class Intake:
    """Events, from the moment they are acknowledged until they are routed."""

    def __init__(self, database: Database, journal: Journal) -> None:
        self._database = database
        self._journal = journal

    def accept(self, event: Event, *, key: str | None, now: float) -> Accepted:
        """Keep an event. The same ``key`` a second time is the same event.

        Raise NoSpace or ReadOnly if the disk refuses: then it was not accepted.
        """
        with self._journal.writing() as db:
            if key is not None:
                row = db.execute("SELECT id FROM events WHERE key = ?", (key,)).fetchone()
                if row:
                    return Accepted(row[0], new=False)
            cursor = db.execute(
                "INSERT INTO events (at, accepted_at, source, kind, repo, key, body)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (event.at, now, event.source, event.kind, event.repo, key, dump_event(event)),
            )
            assert cursor.lastrowid is not None
            self._journal.append(
                "event",
                "accepted",
                now,
                about=cursor.lastrowid,
                repo=event.repo,
                text=event.kind,
                fields={"kind": event.kind, "source": event.source},
            )
        return Accepted(cursor.lastrowid, new=True)

    def pending(self, limit: int = 100) -> list[tuple[int, Event]]:
        """Return events that were accepted but not routed yet, the oldest first.

        One that this version can't read (another one wrote it) is set aside with the reason.
        """
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT id, body, accepted_at, source, kind FROM events WHERE routed_at IS NULL"
                " ORDER BY id LIMIT ?",
                (limit,),
            ).fetchall()
        found: list[tuple[int, Event]] = []
        for id, body, accepted_at, source, kind in rows:
            try:
                found.append((id, load_event(body)))
            except ValidationError as error:
                self._set_aside(id, accepted_at, source, kind, error)
        return found

    def route(
        self, event_id: int, decision: Mapping[str, Any], specs: Sequence[Spec], now: float
    ) -> list[Queued]:
        """Keep what was decided about an event and queue the work, in one transaction.

        An event that is routed already, or gone, stays as it is: nothing is queued.
        """
        with self._journal.writing() as db:
            changed = db.execute(
                "UPDATE events SET routed_at = ?, decision = ? WHERE id = ? AND routed_at IS NULL",
                (now, json.dumps(dict(decision)), event_id),
            ).rowcount
            if not changed:
                return []
            taking.follow_clock(db, now)
            queued = [put(db, self._journal, spec, now, event_id) for spec in specs]
            (repo,) = db.execute("SELECT repo FROM events WHERE id = ?", (event_id,)).fetchone()
            names = ", ".join(f"{spec.agent} {spec.subject}".rstrip() for spec in specs)
            self._journal.append(
                "event",
                "routed",
                now,
                about=event_id,
                repo=repo,
                text=names or "nothing to do",
                fields={**decision, "jobs": [each.job.id for each in queued]},
            )
        return queued

    def refuse(self, source: str, name: str, reason: str, now: float) -> None:
        """Write down that something malformed came, and what was wrong with it."""
        self._journal.append(
            "event",
            "refused",
            now,
            text=f"{name}: {reason}",
            fields={"source": source, "name": name, "reason": reason},
        )

    def get(self, id: int) -> tuple[Event, Fields | None] | None:
        """Return an event and what was decided about it; None if there is none that can be read."""
        with self._database.reading() as db:
            row = db.execute("SELECT body, decision FROM events WHERE id = ?", (id,)).fetchone()
        if row is None:
            return None
        try:
            event = load_event(row[0])
        except ValidationError:
            return None
        return event, None if row[1] is None else json.loads(row[1])

    def of_job(self, job: int, limit: int = 20) -> list[tuple[int, Event]]:
        """Return the events that led to a job, the oldest first; the last ``limit`` of them."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT id, body FROM events WHERE id IN"
                " (SELECT event FROM job_events WHERE job = ? ORDER BY event DESC LIMIT ?)"
                " ORDER BY id",
                (job, limit),
            ).fetchall()
        found: list[tuple[int, Event]] = []
        for id, body in rows:
            try:
                found.append((id, load_event(body)))
            except ValidationError:
                continue  # another version's; `hermes why` shows it as it is
        return found

    def _set_aside(
        self, id: int, accepted_at: float, source: str, kind: str, error: ValidationError
    ) -> None:
        reason = f"this version of hermes can't read it ({error.error_count()} mistakes in it)"
        with self._journal.writing() as db:
            _keep_refusal(db, id, reason, accepted_at)
            self.refuse(source, f"e{id} {kind}", reason, accepted_at)


def _keep_refusal(db: sqlite3.Connection, id: int, reason: str, now: float) -> None:
    db.execute(
        "UPDATE events SET routed_at = ?, decision = ? WHERE id = ?",
        (now, json.dumps({"by": "refused", "reason": reason}), id),
    )
