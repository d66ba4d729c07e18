"""Which of the schedule's times were dealt with, and how: the truth after a restart."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from ..ledger.ledger import Ledger

KEPT = 100
"""Rows of one entry; the older go."""

Outcome = Literal["new", "ran", "late", "dropped", "been", "asked"]
"""``new``: the entry was seen for the first time, times count from then on; ``ran`` and ``late``:
its work was handed over, in time or not; ``dropped``: the time passed and makes no run; ``been``:
that time of the day ran in another zone; ``asked``: a person had it run, which says nothing about
its times."""


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

    def last(self, name: str) -> Run | None:
        """Return the last of an entry's times that was dealt with."""
        return self._last(name, "outcome != 'asked'")

    def last_to_show(self, name: str) -> Run | None:
        """Return what a person may want to know of an entry's last run."""
        return self._last(name, "outcome NOT IN ('new', 'been')")

    def _last(self, name: str, condition: str) -> Run | None:
        with self._ledger.database.reading() as db:
            row = db.execute(
                "SELECT name, due, at, outcome, missed, reason, event FROM schedule_runs"
                f" WHERE name = ? AND {condition} ORDER BY id DESC LIMIT 1",
                (name,),
            ).fetchone()
        return Run(*row) if row else None

    def dealt_with(self, name: str, dues: Collection[float]) -> set[float]:
        """Return those of the times that ran already. What was dropped may still come in time: if
        the clock is put back."""
        if not dues:
            return set()
        with self._ledger.database.reading() as db:
            rows = db.execute(
                "SELECT due FROM schedule_runs WHERE name = ? AND due BETWEEN ? AND ?"
                " AND outcome IN ('ran', 'late', 'been')",
                (name, min(dues), max(dues)),
            ).fetchall()
        return {row[0] for row in rows} & set(dues)
