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
    return Standing(
        repo=row[0],
        framework=row[1],
        test=row[2],
        mark=Colour(row[3]),
        since=row[4],
        since_run=row[5],
        last_run=row[6],
        last_at=row[7],
        seconds=row[8],
        flaky=bool(row[9]),
        flaky_count=row[10],
        streak=row[11],
        green_head=row[12],
        green_at=row[13],
        failure=Why(*row[17:22]) if failed else None,
        note=row[14] or "",
        reference=row[15] or "",
        first_bad=row[16] or "",
    )


def runs_of(db: sqlite3.Connection, where: str, values: Sequence[str | int | None]) -> list[Run]:
    """Return the runs that a condition holds for."""
    rows = db.execute(f"SELECT {RUN} FROM runs WHERE {where}", values).fetchall()
    return [_run(row) for row in rows]


def _run(row: Sequence[Any]) -> Run:
    return Run(
        repo=row[0],
        at=row[1],
        seconds=row[2],
        kind=row[3],
        framework=row[4],
        state=row[5],
        detail=row[6],
        by=row[7],
        why=row[8],
        whole=bool(row[9]),
        head=row[10],
        clean=bool(row[11]),
        job=row[12],
        in_place=bool(row[13]),
        output=row[14],
        counts=Counts(*row[15:20]),
        id=row[20],
    )


def result_of(row: Sequence[Any]) -> Result:
    """Return a row of RESULT as a record."""
    test, mark, seconds, flaky, exception, message, path, line, text = row
    bad = mark in ("failed", "error") or flaky
    why = Why(exception, message, path, int(line), text) if bad else None
    return Result(test, mark, float(seconds), why, bool(flaky))
