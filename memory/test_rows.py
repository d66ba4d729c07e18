"""Reading what is kept of tests back as records."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from .test_records import Colour, Counts, Result, Run, Standing, Why

RUN = (
    "repo, at, seconds, kind, framework, state, detail, chosen_by, why, whole, head, clean, job, in_place,"
    " output, passed, failed, errors, skipped, flaky, id"
)
RESULT = "s.test, r.mark, r.seconds, r.flaky, r.exception, r.message, r.path, r.line, r.text"
EPISODE = (
    "id, repo, framework, test, began, began_head, exception, message, path, line, ended,"
    " ended_head, how, note, reference, first_bad"
)
STANDING = (
    "s.repo, s.framework, s.test, s.mark, s.since, s.since_run, s.last_run, s.last_at, s.seconds,"
    " s.flaky, s.flaky_count, s.streak, s.green_head, s.green_at, e.note, e.reference, e.first_bad,"
    " r.exception, r.message, r.path, r.line, r.text, r.mark, r.flaky"
)


def standing_of(row: Sequence[Any]) -> Standing:
    """Return a row of STANDING as a record."""
    failed = row[22] in ("failed", "error") or row[23]
    failure = Why(*row[17:22]) if failed else None
    notes = [text or "" for text in row[14:17]]
    fields: list[Any] = [*row[:3], Colour(row[3]), *row[4:9], bool(row[9]), *row[10:14], failure]
    return Standing(*fields + notes)


def runs_of(db: sqlite3.Connection, where: str, values: Sequence[str | int | None]) -> list[Run]:
    """Return the runs that a condition holds for."""
    rows = db.execute(f"SELECT {RUN} FROM runs WHERE {where}", values).fetchall()
    return [_run(row) for row in rows]


def _run(row: Sequence[Any]) -> Run:
    fields: list[Any] = [*row[:9], bool(row[9]), row[10], bool(row[11]), row[12], bool(row[13])]
    return Run(*[*fields, row[14], Counts(*row[15:20]), row[20]])


def result_of(row: Sequence[Any]) -> Result:
    """Return a row of RESULT as a record."""
    test, mark, seconds, flaky, exception, message, path, line, text = row
    bad = mark in ("failed", "error") or flaky
    why = Why(exception, message, path, int(line), text) if bad else None
    return Result(test, mark, float(seconds), why, bool(flaky))
