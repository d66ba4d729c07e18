"""Which of the schedule's times were dealt with, and how: the truth after a restart."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from ..ledger.ledger import Ledger

KEPT = 100
"""Rows of one entry; the older go."""

Outcome = Literal["new", "ran", "late", "dropped", "asked"]
"""``new``: the entry was seen for the first time, times count from then on; ``ran`` and ``late``:
its work was handed over, in time or not; ``dropped``: the time passed and makes no run; ``asked``:
a person had it run, which says nothing about its times."""


@dataclass(frozen=True, slots=True)
class Run:
    """What became of one time, and of ``missed`` earlier ones."""

    name: str
    due: float
    at: float
    outcome: Outcome
    missed: int = 0
    reason: str = ""
    event: int | None = None


class Runs:
    """The ledger's table of runs."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def record(self, run: Run) -> None:
        """Write one down."""
        with self._ledger.writing() as db:
            db.execute(
                "INSERT INTO schedule_runs (name, due, at, outcome, missed, reason, event)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (run.name, run.due, run.at, run.outcome, run.missed, run.reason, run.event),
            )
            db.execute(
                "DELETE FROM schedule_runs WHERE name = ? AND id <= (SELECT id FROM schedule_runs"
                " WHERE name = ? ORDER BY id DESC LIMIT 1 OFFSET ?)",
                (run.name, run.name, KEPT),
            )

    def last(self, name: str, *, asked: bool = True) -> Run | None:
        """Return what was written down last of an entry; without ``asked``, of its times."""
        with self._ledger.database.reading() as db:
            row = db.execute(
                "SELECT name, due, at, outcome, missed, reason, event FROM schedule_runs"
                " WHERE name = ? AND (outcome != 'asked' OR ?) ORDER BY id DESC LIMIT 1",
                (name, asked),
            ).fetchone()
        return Run(*row) if row else None

    def dealt_with(self, name: str, dues: Collection[float]) -> set[float]:
        """Return those of the times that have a row already."""
        if not dues:
            return set()
        with self._ledger.database.reading() as db:
            rows = db.execute(
                "SELECT due FROM schedule_runs WHERE name = ? AND due BETWEEN ? AND ?"
                " AND outcome NOT IN ('new', 'asked')",
                (name, min(dues), max(dues)),
            ).fetchall()
        return {row[0] for row in rows} & set(dues)
