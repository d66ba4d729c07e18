"""Writing down a run: its results, how each test stands then, and what that changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from .test_records import Colour, NewRun, Recorded, Result, Why
from .test_standing import Steadiness, after

KEPT_RUNS = 200
"""Runs of a repository that are kept in detail."""
KEPT_EPISODES = 2_000
"""Past failures of a repository that are kept."""
FINISHED = frozenset({"green", "red"})
"""States of a run in which all that was chosen has run."""


@dataclass(slots=True)
class _Found:
    newly_red: list[str]
    newly_green: list[str]
    still_red: list[str]
    flaky: list[str]
    missed: list[str]


@dataclass(frozen=True, slots=True)
class _Row:
    id: int
    test: str
    steadiness: Steadiness
    last_run: int
    green_at: float


def record(db: sqlite3.Connection, new: NewRun) -> Recorded:
    """Write a run down, in the transaction that is open."""
    run_id = _insert_run(db, new)
    db.executemany(
        "INSERT INTO picks (run, target, why) VALUES (?, ?, ?)",
        [(run_id, pick.target, pick.why) for pick in new.picks],
    )
    rows = _rows(db, new)
    found = _Found([], [], [], [], [])
    for result in new.results:
        _take_in(db, new, run_id, result, rows.get(result.test), found)
    seen = {result.test for result in new.results}
    _uncollected(db, new, run_id, [row for test, row in rows.items() if test not in seen])
    gone = {test for test in new.gone if test in rows and test not in seen}
    if new.run.whole and new.run.state in FINISHED:
        gone |= set(rows) - seen
    _drop(db, new, [rows[test] for test in sorted(gone)], found)
    _trim(db, new.run.repo)
    return Recorded(
        run_id,
        tuple(found.newly_red),
        tuple(found.newly_green),
        tuple(found.still_red),
        tuple(found.flaky),
        tuple(found.missed),
    )


def _insert_run(db: sqlite3.Connection, new: NewRun) -> int:
    run, marks = new.run, [result.mark for result in new.results]
    cursor = db.execute(
        "INSERT INTO runs (repo, at, seconds, kind, framework, state, detail, chosen_by, why, whole, head,"
        " clean, job, in_place, output, passed, failed, errors, skipped, flaky)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(run.repo, run.at, run.seconds, run.kind, run.framework, run.state, run.detail),
            *(run.by, run.why, run.whole, run.head, run.clean, run.job, run.in_place, run.output),
            *(marks.count(mark) for mark in ("passed", "failed", "error", "skipped")),
            sum(result.flaky for result in new.results),
        ),
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def _rows(db: sqlite3.Connection, new: NewRun) -> dict[str, _Row]:
    found = db.execute(
        "SELECT id, test, mark, flaky, flaky_count, streak, passes, last_run, green_at"
        " FROM standings WHERE repo = ? AND framework = ?",
        (new.run.repo, new.run.framework),
    )
    return {
        test: _Row(id, test, Steadiness(Colour(mark), bool(flaky), *counts), last_run, green_at)
        for id, test, mark, flaky, *counts, last_run, green_at in found
    }


def _take_in(
    db: sqlite3.Connection,
    new: NewRun,
    run_id: int,
    result: Result,
    row: _Row | None,
    found: _Found,
) -> None:
    run = new.run
    before = Steadiness() if row is None else row.steadiness
    now = after(before, result)
    id = _stand(db, new, run_id, result, row, before, now)
    why = result.failure or Why()
    db.execute(
        "INSERT OR REPLACE INTO results (run, test, mark, seconds, flaky, exception, message, path,"
        " line, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (run_id, id, result.mark, result.seconds, result.flaky)
        + (why.exception, why.message, why.path, why.line, why.text),
    )
    if result.flaky or (result.bad and now.mark is not Colour.RED):
        found.flaky.append(result.test)
    open_episode = _open_episode(db, id)
    if now.mark is Colour.RED:
        if open_episode is None:
            _begin_episode(db, new, id, why)
            found.newly_red.append(result.test)
            if row is not None and run.whole and _missed(db, new, run_id, row):
                found.missed.append(result.test)
        else:
            found.still_red.append(result.test)
            db.execute(
                "UPDATE episodes SET exception = ?, message = ?, path = ?, line = ? WHERE id = ?",
                (why.exception, why.message, why.path, why.line, open_episode),
            )
    elif open_episode is not None and not result.bad:
        how = "skipped" if result.mark == "skipped" else "passed"
        _end_episode(db, new, open_episode, how)
        found.newly_green.append(result.test)


def _stand(
    db: sqlite3.Connection,
    new: NewRun,
    run_id: int,
    result: Result,
    row: _Row | None,
    before: Steadiness,
    now: Steadiness,
) -> int:
    run = new.run
    values = (
        *(str(now.mark), run_id, run.at, result.seconds, now.flaky),
        *(now.flaky_count, now.streak, now.passes),
    )
    green = result.mark == "passed"
    if row is None:
        cursor = db.execute(
            "INSERT INTO standings (repo, framework, test, since, since_run, mark, last_run,"
            " last_at, seconds, flaky, flaky_count, streak, passes, green_head, green_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (run.repo, run.framework, result.test, run.at, run_id, *values)
            + ((run.head, run.at) if green else ("", 0.0)),
        )
        assert cursor.lastrowid is not None
        return cursor.lastrowid
    db.execute(
        "UPDATE standings SET mark = ?, last_run = ?, last_at = ?, seconds = ?, flaky = ?,"
        " flaky_count = ?, streak = ?, passes = ? WHERE id = ?",
        (*values, row.id),
    )
    if now.mark is not before.mark:
        db.execute(
            "UPDATE standings SET since = ?, since_run = ? WHERE id = ?", (run.at, run_id, row.id)
        )
    if green:
        db.execute(
            "UPDATE standings SET green_head = ?, green_at = ? WHERE id = ?",
            (run.head, run.at, row.id),
        )
    return row.id


def _open_episode(db: sqlite3.Connection, standing: int) -> int | None:
    row = db.execute(
        "SELECT id FROM episodes WHERE standing = ? AND ended = 0", (standing,)
    ).fetchone()
    return None if row is None else int(row[0])


def _begin_episode(db: sqlite3.Connection, new: NewRun, standing: int, why: Why) -> None:
    run = new.run
    db.execute(
        "INSERT INTO episodes (standing, repo, framework, test, began, began_head, exception,"
        " message, path, line) SELECT id, repo, framework, test, ?, ?, ?, ?, ?, ?"
        " FROM standings WHERE id = ?",
        (run.at, run.head, why.exception, why.message, why.path, why.line, standing),
    )


def _end_episode(db: sqlite3.Connection, new: NewRun, episode: int, how: str) -> None:
    db.execute(
        "UPDATE episodes SET ended = ?, ended_head = ?, how = ? WHERE id = ?",
        (new.run.at, new.run.head, how, episode),
    )


def _missed(db: sqlite3.Connection, new: NewRun, run_id: int, row: _Row) -> bool:
    """Note a test that selections since its last pass left out; say whether there were any."""
    if row.steadiness.mark is not Colour.GREEN:
        return False
    count, last = db.execute(
        "SELECT count(*), max(id) FROM runs WHERE repo = ? AND framework = ? AND kind = 'affected'"
        " AND NOT whole AND state IN ('green', 'red', 'nothing') AND id > ? AND id < ?",
        (new.run.repo, new.run.framework, row.last_run, run_id),
    ).fetchone()
    if not count:
        return False
    db.execute(
        "INSERT INTO missed (repo, at, run, framework, test, selections, last_selection)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (new.run.repo, new.run.at, run_id, new.run.framework, row.test, count, last),
    )
    return True


def _uncollected(db: sqlite3.Connection, new: NewRun, run_id: int, rows: Collection[_Row]) -> None:
    """Have tests stand as unknown whose file could not be collected. A failure is not over by it."""
    if not new.collected:
        return
    files = tuple(new.collected)
    lost = [row for row in rows if row.test.split("::", 1)[0] in files]
    db.executemany(
        "UPDATE standings SET mark = 'unknown', since = ?, since_run = ?"
        " WHERE id = ? AND mark != 'unknown'",
        [(new.run.at, run_id, row.id) for row in lost],
    )


def _drop(db: sqlite3.Connection, new: NewRun, rows: Sequence[_Row], found: _Found) -> None:
    for row in rows:
        episode = _open_episode(db, row.id)
        if episode is not None:
            _end_episode(db, new, episode, "gone")
            found.newly_green.append(row.test)
    db.executemany("DELETE FROM standings WHERE id = ?", [(row.id,) for row in rows])


def _trim(db: sqlite3.Connection, repo: str) -> None:
    db.execute(
        "DELETE FROM runs WHERE repo = ? AND id <= (SELECT id FROM runs WHERE repo = ?"
        " ORDER BY id DESC LIMIT 1 OFFSET ?)",
        (repo, repo, KEPT_RUNS),
    )
    db.execute(
        "DELETE FROM episodes WHERE repo = ? AND ended > 0 AND id <= (SELECT id FROM episodes"
        " WHERE repo = ? ORDER BY id DESC LIMIT 1 OFFSET ?)",
        (repo, repo, KEPT_EPISODES),
    )
