"""What waits for a run of tests, and what was said once."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection

from .database import Database
from .test_records import Pending

MOST_PENDING = 5_000
"""Paths that wait for a run; beyond that all of the repository does."""


class Waiting:
    """What changed and no finished run has covered yet, by repository."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self, repo: str, paths: Collection[str], folders: Collection[str] = (), whole: bool = False
    ) -> Pending:
        """Note what changed; return all that no finished run has covered yet."""
        rows = [(repo, "path", path) for path in paths] + [(repo, "folder", f) for f in folders]
        if whole or len(rows) > MOST_PENDING:
            rows = [(repo, "whole", "")]
        with self._database.writing() as db:
            db.executemany(
                "INSERT OR REPLACE INTO pending (repo, kind, path) VALUES (?, ?, ?)", rows
            )
            found = self._pending(db, repo)
            if len(found.paths) + len(found.folders) > MOST_PENDING and not found.whole:
                db.execute(
                    "INSERT INTO pending (repo, kind, path) VALUES (?, 'whole', '')", (repo,)
                )
                found = self._pending(db, repo)
            return found

    def pending(self, repo: str) -> Pending:
        """Return what changed and no finished run has covered yet."""
        with self._database.reading() as db:
            return self._pending(db, repo)

    def covered(self, repo: str, upto: int) -> None:
        """Note that a run has covered all that was pending at ``upto``; what changed again since
        stays."""
        with self._database.writing() as db:
            db.execute("DELETE FROM pending WHERE repo = ? AND id <= ?", (repo, upto))

    @staticmethod
    def _pending(db: sqlite3.Connection, repo: str) -> Pending:
        rows = db.execute(
            "SELECT id, kind, path FROM pending WHERE repo = ? ORDER BY id", (repo,)
        ).fetchall()
        return Pending(
            tuple(path for _, kind, path in rows if kind == "path"),
            tuple(path for _, kind, path in rows if kind == "folder"),
            any(kind == "whole" for _, kind, _ in rows),
            max((id for id, _, _ in rows), default=0),
        )

    # What was said

    def say_once(self, repo: str, what: str, now: float, about: Collection[str] = ()) -> bool:
        """Note that something is said, such as ``trust``, ``about`` some tests; say whether it is
        the first time."""
        with self._database.writing() as db:
            done = db.execute(
                "INSERT OR IGNORE INTO said (repo, what, about, at) VALUES (?, ?, ?, ?)",
                (repo, what, json.dumps(sorted(about)), now),
            )
            return done.rowcount > 0

    def said(self, repo: str, start: str) -> list[str]:
        """Return what was said and begins with ``start``."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT what FROM said WHERE repo = ? AND substr(what, 1, ?) = ? ORDER BY at, what",
                (repo, len(start), start),
            ).fetchall()
        return [row[0] for row in rows]

    def over(self, repo: str, start: str) -> list[str]:
        """Of what was said and begins with ``start``, return what no failing test is about any
        more."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT what FROM said WHERE repo = ? AND substr(what, 1, ?) = ? AND NOT EXISTS"
                " (SELECT 1 FROM episodes AS e JOIN json_each(said.about) AS test"
                " ON test.value = e.test WHERE e.repo = said.repo AND e.ended = 0)"
                " ORDER BY at, what",
                (repo, len(start), start),
            ).fetchall()
        return [row[0] for row in rows]

    def unsaid(self, repo: str, start: str) -> list[tuple[str, str]]:
        """Return framework and name of the failing tests that nothing is about that was said and
        begins with ``start``."""
        with self._database.reading() as db:
            return db.execute(
                "SELECT e.framework, e.test FROM episodes AS e JOIN standings AS s"
                " ON s.id = e.standing AND s.mark = 'red' WHERE e.repo = ? AND e.ended = 0"
                " AND NOT EXISTS (SELECT 1 FROM said JOIN json_each(said.about) AS test"
                " ON test.value = e.test WHERE said.repo = e.repo"
                " AND substr(said.what, 1, ?) = ?) ORDER BY e.id",
                (repo, len(start), start),
            ).fetchall()

    def unsay(self, repo: str, what: str) -> bool:
        """Have it be said anew the next time; return whether it had been said."""
        with self._database.writing() as db:
            done = db.execute("DELETE FROM said WHERE repo = ? AND what = ?", (repo, what))
            return done.rowcount > 0
