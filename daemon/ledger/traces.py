"""What a job read and what it wrote, by reference, for `hermes why`."""

from __future__ import annotations

from typing import Literal

from ...memory.database import Database

Verb = Literal["read", "wrote"]
LONGEST = 200
"""References kept of one job for each verb; more say nothing new to a person."""


class Traces:
    """References by job."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, job: int, verb: Verb, *references: str) -> None:
        """Write down references; those there already, and those beyond `LONGEST`, are let go."""
        with self._database.writing() as db:
            known = db.execute(
                "SELECT count(*) FROM traces WHERE job = ? AND verb = ?", (job, verb)
            ).fetchone()[0]
            fresh = list(dict.fromkeys(references))[: max(0, LONGEST - known)]
            # An ended job may be gone already; a straggler of its is not worth an error.
            db.executemany(
                "INSERT OR IGNORE INTO traces (job, verb, reference)"
                " SELECT id, ?, ? FROM jobs WHERE id = ?",
                [(verb, reference, job) for reference in fresh],
            )

    def of(self, job: int) -> dict[Verb, list[str]]:
        """Return what a job read and wrote, in the order it did."""
        found: dict[Verb, list[str]] = {"read": [], "wrote": []}
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT verb, reference FROM traces WHERE job = ? ORDER BY id", (job,)
            ).fetchall()
        for verb, reference in rows:
            found[verb].append(reference)
        return found
