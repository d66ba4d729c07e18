"""Incidents: failures of one kind, as one thing that a person can take note of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..ledger.causes import normalise
from ..ledger.errors import NoSuchId
from ..ledger.ledger import Ledger
from ..ledger.records import Job, State

Fields = dict[str, Any]

_COLUMNS = "id, key, agent, repo, title, first, last, count, state, job, told"
NOTED = -1
"""In ``told`` of a recovered one: a brief has said that it is over."""


@dataclass(frozen=True, slots=True)
class Incident:
    """One incident as it stands. Times are seconds since 1970."""

    id: int
    key: str
    agent: str
    repo: str | None
    """None if it happens in several."""
    title: str
    first: float
    last: float
    count: int
    state: str
    """``open``, ``acknowledged`` or ``recovered``."""
    job: int | None
    """The last job of it."""
    told: int
    """How many of its failures briefs have told."""

    def fields(self) -> Fields:
        """Return it as an object for the API and the journal."""
        return {
            "id": self.id,
            "agent": self.agent,
            "repo": self.repo,
            "title": self.title,
            "first": self.first,
            "last": self.last,
            "count": self.count,
            "state": self.state,
            "job": self.job,
            "why": None if self.job is None else f"j{self.job}",
        }


class Incidents:
    """Read and write them. Whoever writes more than one thing opens `Ledger.writing` around it."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def count(self, job: Job, now: float) -> tuple[Incident, bool]:
        """Given a job that did not end well, make it part of an incident; return that, and
        whether it is a new one. A job that is counted already is not counted twice."""
        key, title, at = key_of(job), title_of(job), job.ended_at or now
        with self._ledger.writing() as db:
            standing = self._where("key = ? AND state != 'recovered'", key)
            if not standing:
                cursor = db.execute(
                    "INSERT INTO incidents (key, agent, repo, title, first, last, state, job)"
                    " VALUES (?, ?, ?, ?, ?, ?, 'open', ?)",
                    (key, job.agent, job.repo, title, at, at, job.id),
                )
                assert cursor.lastrowid is not None
                return self.get(cursor.lastrowid), True
            (incident,) = standing
            if incident.job == job.id and incident.last == at:
                return incident, False
            repo = incident.repo if incident.repo == job.repo else None
            db.execute(
                "UPDATE incidents SET count = count + 1, last = ?, job = ?, title = ?, repo = ?"
                " WHERE id = ?",
                (at, job.id, title, repo, incident.id),
            )
        return self.get(incident.id), False

    def recover(self, job: Job) -> list[Incident]:
        """Given a job that ended well, end the incidents whose last failure was the same work."""
        ended: list[Incident] = []
        with self._ledger.writing() as db:
            rows = db.execute(
                f"SELECT {', '.join(f'incidents.{name}' for name in _COLUMNS.split(', '))}"
                " FROM incidents JOIN jobs ON jobs.id = incidents.job"
                " WHERE incidents.state != 'recovered' AND incidents.agent = ?"
                " AND jobs.subject = ? AND jobs.repo IS ?",
                (job.agent, job.subject, job.repo),
            ).fetchall()
            for row in rows:
                db.execute("UPDATE incidents SET state = 'recovered' WHERE id = ?", (row[0],))
                ended.append(self.get(row[0]))
        return ended

    def acknowledge(self, id: int) -> Incident:
        """Note that a person knows. Raise NoSuchId."""
        with self._ledger.writing() as db:
            db.execute(
                "UPDATE incidents SET state = 'acknowledged' WHERE id = ? AND state = 'open'", (id,)
            )
        return self.get(id)

    def get(self, id: int) -> Incident:
        """Return one. Raise NoSuchId."""
        found = self._where("id = ?", id)
        if not found:
            raise NoSuchId(f"i{id}")
        return found[0]

    def standing(self) -> list[Incident]:
        """Return those that are not over, the latest first."""
        return self._where("state != 'recovered' ORDER BY last DESC")

    def recent(self, limit: int) -> list[Incident]:
        """Return all, also those that are over, the latest first."""
        return self._where("1 ORDER BY last DESC LIMIT ?", limit)

    def untold(self) -> list[Incident]:
        """Return what the next brief is to say: what is open and went on, and what is over."""
        return self._where(
            "state = 'open' AND count > told OR state = 'recovered' AND told != ? ORDER BY id",
            NOTED,
        )

    def tell(self, incidents: list[Incident]) -> None:
        """Note that a brief has told them, as they stood."""
        with self._ledger.writing() as db:
            db.executemany(
                "UPDATE incidents SET told = ? WHERE id = ?",
                [(NOTED if i.state == "recovered" else i.count, i.id) for i in incidents],
            )

    def _where(self, condition: str, *parameters: Any) -> list[Incident]:
        with self._ledger.database.reading() as db:
            rows = db.execute(
                f"SELECT {_COLUMNS} FROM incidents WHERE {condition}", parameters
            ).fetchall()
        return [Incident(*row) for row in rows]


def key_of(job: Job) -> str:
    """Given a job that did not end well, return what is the same for all of its incident."""
    code = str(job.error.get("code", "")) or str(job.state)
    message = str(job.error.get("error", "")) or job.reason
    if job.state is State.LATE:
        return f"{job.agent}/late"
    return f"{job.agent}/{code}/{normalise(message)}"


def title_of(job: Job) -> str:
    """Given a job that did not end well, return in one line what happened."""
    if job.state is State.LATE:
        return f"{job.agent} could not start before it was too late"
    message = str(job.error.get("error", "")) or job.reason or str(job.state).replace("_", " ")
    return f"{job.agent}: {message.strip().splitlines()[0] if message.strip() else job.state}"
