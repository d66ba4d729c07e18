"""The ledger's table of findings: what agents found, and what became of it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...agents.contract import Finding, Level
from ..ledger.errors import NoSuchId
from ..ledger.ledger import Ledger
from .decide import DAY, Decision, Place, Said

Fields = dict[str, Any]

_COLUMNS = (
    "id, job, at, agent, repo, cause, title, next_step, body, refs, urgent, wanted, level, reason,"
    " state, shown_at, opened_at, dismissed_at, ignored_at, delivered, delivery_error, told_at"
)


@dataclass(frozen=True, slots=True)
class Row:
    """One finding as it stands. Times are seconds since 1970."""

    id: int
    job: int | None
    at: float
    agent: str
    repo: str | None
    cause: str
    title: str
    next_step: str
    body: str
    references: tuple[str, ...]
    urgent: bool
    wanted: Level
    level: Level
    reason: str
    place: Place
    shown_at: float | None
    opened_at: float | None
    dismissed_at: float | None
    ignored_at: float | None
    delivered: float | None
    delivery_error: str | None
    told_at: float | None

    def fields(self) -> Fields:
        """Return it as an object for the API and the journal."""
        return {
            "id": self.id,
            "why": f"f{self.id}",
            "job": self.job,
            "at": self.at,
            "agent": self.agent,
            "repo": self.repo,
            "cause": self.cause,
            "title": self.title,
            "next_step": self.next_step,
            "body": self.body,
            "references": list(self.references),
            "urgent": self.urgent,
            "wanted": str(self.wanted),
            "level": str(self.level),
            "reason": self.reason,
            "state": str(self.place),
            "shown_at": self.shown_at,
            "opened_at": self.opened_at,
            "dismissed_at": self.dismissed_at,
            "ignored_at": self.ignored_at,
            "delivered": self.delivered,
            "delivery_error": self.delivery_error,
            "told_at": self.told_at,
        }


@dataclass(frozen=True, slots=True)
class Origin:
    """Who found something."""

    agent: str
    repo: str | None = None
    job: int | None = None


@dataclass(frozen=True, slots=True)
class Reception:
    """How what one agent showed was received."""

    shown: int = 0
    opened: int = 0
    first: float | None = None
    """When the first of them was shown."""


class Findings:
    """Read and write them. Whoever writes more than one thing opens `Ledger.writing` around it."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def add(self, finding: Finding, origin: Origin, decision: Decision, now: float) -> Row:
        """Write a new finding down, with what was decided about it."""
        shown = now if decision.place is Place.SHOWN else None
        with self._ledger.writing() as db:
            cursor = db.execute(
                "INSERT INTO findings (job, at, agent, repo, cause, title, next_step, body, refs,"
                " urgent, wanted, level, reason, state, shown_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    origin.job,
                    now,
                    origin.agent,
                    origin.repo,
                    finding.cause,
                    finding.title,
                    finding.next_step,
                    finding.body,
                    json.dumps(list(finding.references)),
                    finding.urgent,
                    str(finding.level),
                    str(decision.level),
                    decision.reason,
                    str(decision.place),
                    shown,
                ),
            )
        assert cursor.lastrowid is not None
        return self.get(cursor.lastrowid)

    def change(self, id: int, **columns: Any) -> Row:
        """Give some columns of a row other values, and return it."""
        names = ", ".join(f"{name} = ?" for name in columns)
        with self._ledger.writing() as db:
            db.execute(f"UPDATE findings SET {names} WHERE id = ?", (*columns.values(), id))
        return self.get(id)

    def get(self, id: int) -> Row:
        """Return one. Raise NoSuchId."""
        found = self._where("id = ?", id)
        if not found:
            raise NoSuchId(f"f{id}")
        return found[0]

    def held(self) -> list[Row]:
        """Return those that wait: what is urgent first, then in the order they came."""
        return self._where("state = 'held' ORDER BY urgent DESC, id")

    def standing(self, cause: str) -> list[Row]:
        """Return what was said of a cause, or is about to be, and was not taken back."""
        return self._where("cause = ? AND state IN ('held', 'shown', 'digest') ORDER BY id", cause)

    def said(self, cause: str, now: float, within: float) -> Said | None:
        """Return the last that was said of a cause, if it is not longer ago than ``within``."""
        for row in self._where(
            "cause = ? AND (state IN ('held', 'shown', 'digest')"
            " OR state = 'taken_back' AND shown_at IS NOT NULL) ORDER BY id DESC LIMIT 1",
            cause,
        ):
            at = row.shown_at or row.told_at or row.at
            if abs(now - at) < within or row.place is Place.HELD:
                return Said(max(0.0, now - at), row.wanted, row.place, row.told_at is not None)
        return None

    def interrupts(self, now: float) -> list[float]:
        """Return when a person was interrupted in the last day."""
        with self._ledger.database.reading() as db:
            rows = db.execute(
                "SELECT shown_at FROM findings WHERE shown_at > ? AND shown_at < ?"
                " AND level = 'interrupt' ORDER BY shown_at",
                (now - DAY, now + DAY),
            ).fetchall()
        return [row[0] for row in rows]

    def reception(self, agent: str, since: float) -> Reception:
        """Return how what an agent showed since then was received; only what reached a screen."""
        return self._reception("shown_at > ? AND delivered IS NOT NULL", "shown_at", agent, since)

    def digest_reception(self, agent: str, since: float) -> Reception:
        """Return how what briefs told of an agent since then was received."""
        return self._reception("told_at >= ? AND shown_at IS NULL", "told_at", agent, since)

    def _reception(self, condition: str, time: str, agent: str, since: float) -> Reception:
        with self._ledger.database.reading() as db:
            row = db.execute(
                f"SELECT count(*), count(opened_at), min({time}) FROM findings"
                f" WHERE agent = ? AND {condition}",
                (agent, since),
            ).fetchone()
        return Reception(*row)

    def untold(self) -> list[Row]:
        """Return what the next brief is to say: new things, and those that went away again.

        Not what only points at an incident: that is told as such.
        """
        return self._where(
            "told_at IS NULL AND state IN ('digest', 'taken_back')"
            " AND cause NOT LIKE 'incident:%' ORDER BY id"
        )

    def undelivered(self) -> list[Row]:
        """Return what no surface could show, until a brief has told it."""
        return self._where(
            "delivery_error IS NOT NULL AND delivered IS NULL AND told_at IS NULL"
            " AND state IN ('shown', 'digest') ORDER BY id"
        )

    def latest(self, limit: int, places: Sequence[str] = ()) -> list[Row]:
        """Return the last ones, newest first."""
        where = f"state IN ({', '.join('?' * len(places))})" if places else "1"
        return self._where(f"{where} ORDER BY id DESC LIMIT ?", *places, limit)

    def tell(self, ids: Sequence[int], now: float) -> None:
        """Note that a brief has told them."""
        with self._ledger.writing() as db:
            db.executemany(
                "UPDATE findings SET told_at = ? WHERE id = ?", [(now, id) for id in ids]
            )

    def _where(self, condition: str, *parameters: Any) -> list[Row]:
        with self._ledger.database.reading() as db:
            rows = db.execute(
                f"SELECT {_COLUMNS} FROM findings WHERE {condition}", parameters
            ).fetchall()
        return [_row(row) for row in rows]


def _row(row: sqlite3.Row | tuple[Any, ...]) -> Row:
    (id, job, at, agent, repo, cause, title, next_step, body, refs, urgent, *rest) = row
    wanted, level, reason, state, *times = rest
    return Row(
        id,
        job,
        at,
        agent,
        repo,
        cause,
        title,
        next_step,
        body,
        tuple(json.loads(refs)),
        bool(urgent),
        Level(wanted),
        Level(level),
        reason,
        Place(state),
        *times,
    )
