"""The history of tests: every run, every result, and how each test stands now.

Of each repository the last 200 runs are kept in detail; how a test stands, as long as the test
exists; past failures (episodes) much longer, since they are what later ones are compared with.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence

from . import test_recording
from .database import Database
from .history import LISTED, listed
from .test_pending import Waiting
from .test_records import (
    Colour,
    Episode,
    Missed,
    NewRun,
    Picked,
    Recorded,
    Result,
    Run,
    Standing,
    Summary,
)
from .test_rows import EPISODE, RESULT, STANDING, result_of, runs_of, standing_of
from .test_tables import TABLES


def m002_test_runs(db: sqlite3.Connection) -> None:
    """Make the tables of runs, results and standings."""
    for statement in TABLES.split(";"):
        if statement.strip():
            db.execute(statement)


class Runs:
    """What became of tests, by repository. Calls take milliseconds and belong in a thread."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.waiting = Waiting(database)
        """What changed and no finished run has covered yet, and what was said once."""

    # Writing

    def record(self, new: NewRun) -> Recorded:
        """Write down a run with all that belongs to it; return what it changed."""
        with self._database.writing() as db:
            return test_recording.record(db, new)

    def note(self, repo: str, framework: str, test: str, text: str, reference: str) -> None:
        """Attach what memory says to the failure of a test that lasts."""
        with self._database.writing() as db:
            db.execute(
                f"UPDATE episodes SET note = ?, reference = ? WHERE {_LASTING}",
                (text, reference, repo, framework, test),
            )

    def first_bad(self, repo: str, framework: str, test: str, sha: str) -> None:
        """Attach the commit with which the failure of a test began."""
        with self._database.writing() as db:
            db.execute(
                f"UPDATE episodes SET first_bad = ? WHERE {_LASTING}", (sha, repo, framework, test)
            )

    def forget(self, repo: str) -> None:
        """Remove everything of one repository."""
        with self._database.writing() as db:
            for table in ("runs", "standings", "episodes", "missed", "pending", "said"):
                db.execute(f"DELETE FROM {table} WHERE repo = ?", (repo,))

    # Reading

    def latest(
        self, repo: str | None = None, limit: int = 50, before: int | None = None
    ) -> list[Run]:
        """Return runs, the newest first; ``before`` is the id where the last page ended."""
        with self._database.reading() as db:
            return runs_of(
                db,
                "(? IS NULL OR repo = ?) AND (? IS NULL OR id < ?) ORDER BY id DESC LIMIT ?",
                (repo, repo, before, before, limit),
            )

    def get(self, run: int) -> Run | None:
        """Return one run, if it is kept."""
        with self._database.reading() as db:
            return next(iter(runs_of(db, "id = ?", (run,))), None)

    def results(self, run: int) -> list[Result]:
        """Return the results of a run: failures first, then by name."""
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT {RESULT} FROM results r JOIN standings s ON s.id = r.test WHERE r.run = ?"
                " ORDER BY r.mark IN ('failed', 'error') DESC, s.test",
                (run,),
            ).fetchall()
        return [result_of(row) for row in rows]

    def picks(self, run: int) -> list[Picked]:
        """Return what a run was to run, and why."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT target, why FROM picks WHERE run = ? ORDER BY rowid", (run,)
            ).fetchall()
        return [Picked(*row) for row in rows]

    def history(self, repo: str, test: str, limit: int = 50) -> list[tuple[Run, Result]]:
        """Return the runs that ran a test, the newest first, with its results."""
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT r.run, {RESULT} FROM results r JOIN standings s ON s.id = r.test"
                " WHERE s.repo = ? AND s.test = ? ORDER BY r.run DESC LIMIT ?",
                (repo, test, limit),
            ).fetchall()
            ids = [row[0] for row in rows]
            runs = {run.id: run for run in runs_of(db, f"id IN {LISTED}", (listed(ids),))}
        return [(runs[id], result_of(tuple(rest))) for id, *rest in rows]

    def standings(
        self, repo: str, marks: Collection[Colour] = tuple(Colour), limit: int = 1_000
    ) -> list[Standing]:
        """Return how tests stand: red first, then unknown, the latest change first."""
        order = (
            "CASE s.mark WHEN 'red' THEN 0 WHEN 'unknown' THEN 1 ELSE 2 END, s.since DESC, s.test"
        )
        return self._standings(
            f"s.repo = ? AND s.mark IN {LISTED} ORDER BY {order} LIMIT ?",
            (repo, listed([str(mark) for mark in marks]), limit),
        )

    def standing(self, repo: str, test: str) -> Standing | None:
        """Return how one test stands."""
        return next(iter(self._standings("s.repo = ? AND s.test = ? LIMIT 1", (repo, test))), None)

    def find(self, repo: str | None, text: str, limit: int = 20) -> list[Standing]:
        """Return tests whose id holds ``text``; what ends with it first."""
        return self._standings(
            "(? IS NULL OR s.repo = ?) AND instr(s.test, ?) > 0"
            " ORDER BY substr(s.test, -length(?)) = ? DESC, s.test LIMIT ?",
            (repo, repo, text, text, text, limit),
        )

    def flaky(self, repo: str) -> list[Standing]:
        """Return the tests in quarantine."""
        return self._standings(
            "s.repo = ? AND s.flaky ORDER BY s.flaky_count DESC, s.test", (repo,)
        )

    def episodes(
        self, repo: str, *, test: str = "", exception: str = "", limit: int = 200
    ) -> list[Episode]:
        """Return failures, past ones and those that last, the newest first: of one test or with
        one exception, if given."""
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT {EPISODE} FROM episodes WHERE repo = ? AND (? = '' OR test = ?)"
                " AND (? = '' OR exception = ?) ORDER BY id DESC LIMIT ?",
                (repo, test, test, exception, exception, limit),
            ).fetchall()
        return [Episode(*row) for row in rows]

    def missed(self, repo: str, limit: int = 50) -> list[Missed]:
        """Return what selections have missed, the newest first."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT at, run, framework, test, selections, last_selection FROM missed"
                " WHERE repo = ? ORDER BY id DESC LIMIT ?",
                (repo, limit),
            ).fetchall()
        return [Missed(*row) for row in rows]

    def repos(self) -> list[str]:
        """Return the repositories of which any run is known."""
        with self._database.reading() as db:
            return [row[0] for row in db.execute("SELECT DISTINCT repo FROM runs ORDER BY repo")]

    def summary(self, repo: str, since: float) -> Summary:
        """Return how a repository's tests stand, and what is new ``since`` a time."""
        with self._database.reading() as db:
            marks = dict(
                db.execute(
                    "SELECT mark, count(*) FROM standings WHERE repo = ? GROUP BY mark", (repo,)
                ).fetchall()
            )
            flaky = db.execute(
                "SELECT count(*) FROM standings WHERE repo = ? AND flaky", (repo,)
            ).fetchone()[0]
            red = db.execute(
                "SELECT test FROM episodes WHERE repo = ? AND ended = 0 AND began >= ?"
                " ORDER BY began DESC, test",
                (repo, since),
            ).fetchall()
            green = db.execute(
                "SELECT DISTINCT test FROM episodes AS past WHERE repo = ? AND ended >= ?"
                " AND ended > 0 AND how = 'passed' AND EXISTS (SELECT 1 FROM standings"
                " WHERE standings.id = past.standing AND mark = 'green') ORDER BY test",
                (repo, since),
            ).fetchall()
            last = runs_of(db, "repo = ? ORDER BY id DESC LIMIT 1", (repo,))
            full = runs_of(db, "repo = ? AND whole ORDER BY id DESC LIMIT 1", (repo,))
            selections, missed = self._checked(db, repo)
        return Summary(
            repo,
            marks.get("green", 0),
            marks.get("red", 0),
            marks.get("unknown", 0),
            flaky,
            tuple(row[0] for row in red),
            tuple(row[0] for row in green),
            next(iter(last), None),
            next(iter(full), None),
            selections,
            missed,
        )

    @staticmethod
    def _checked(db: sqlite3.Connection, repo: str) -> tuple[int, int]:
        """Return how many selections a full run has checked, and how many of them missed a test,
        among the runs that are kept."""
        selections = db.execute(
            "SELECT count(*) FROM runs WHERE repo = ? AND kind = 'affected' AND NOT whole"
            " AND state IN ('green', 'red', 'nothing') AND id < (SELECT max(id) FROM runs"
            " WHERE repo = ? AND whole AND state IN ('green', 'red'))",
            (repo, repo),
        ).fetchone()[0]
        missed = db.execute(
            "SELECT count(DISTINCT last_selection) FROM missed JOIN runs"
            " ON runs.id = last_selection WHERE missed.repo = ?",
            (repo,),
        ).fetchone()[0]
        return selections, missed

    def _standings(self, where: str, values: Sequence[str | int | None]) -> list[Standing]:
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT {STANDING} FROM standings s LEFT JOIN episodes e ON e.standing = s.id AND e.ended = 0"
                " LEFT JOIN results r ON r.test = s.id AND r.run = s.last_run"
                f" WHERE {where}",
                values,
            ).fetchall()
        return [standing_of(row) for row in rows]


_LASTING = "repo = ? AND framework = ? AND test = ? AND ended = 0"
