"""Which repositories' code may be run: only those that a person said yes to."""

from __future__ import annotations

import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from .database import Database


def m001_trust(db: sqlite3.Connection) -> None:
    """Make the table of trusted repositories."""
    db.execute(
        "CREATE TABLE trust (repo TEXT PRIMARY KEY, path TEXT NOT NULL, owner INTEGER NOT NULL,"
        " at REAL NOT NULL) WITHOUT ROWID"
    )


@dataclass(frozen=True, slots=True)
class Trusted:
    """One yes. It holds for this real path and this owner, not for what takes their place."""

    repo: str
    path: str
    owner: int
    at: float


class Trust:
    """The repositories that a person trusts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def give(self, repo: str, worktree: Path, now: float) -> Trusted:
        """Trust what lies at ``worktree`` now. Raise OSError if nothing does."""
        path, owner = _identity(worktree)
        with self._database.writing() as db:
            db.execute("INSERT OR REPLACE INTO trust VALUES (?, ?, ?, ?)", (repo, path, owner, now))
        return Trusted(repo, path, owner, now)

    def take(self, repo: str) -> bool:
        """Trust it no more; say whether it was trusted."""
        with self._database.writing() as db:
            return db.execute("DELETE FROM trust WHERE repo = ?", (repo,)).rowcount > 0

    forget = take

    def holds(self, repo: str, worktree: Path) -> bool:
        """Say whether a yes was given to what lies at ``worktree`` now."""
        with self._database.reading() as db:
            row = db.execute("SELECT path, owner FROM trust WHERE repo = ?", (repo,)).fetchone()
        if row is None:
            return False
        try:
            return _identity(worktree) == (row[0], row[1])
        except OSError:
            return False

    def all(self) -> list[Trusted]:
        """Return every yes, by path."""
        with self._database.reading() as db:
            rows = db.execute("SELECT repo, path, owner, at FROM trust ORDER BY path").fetchall()
        return [Trusted(*row) for row in rows]


def _identity(worktree: Path) -> tuple[str, int]:
    real = os.path.realpath(worktree, strict=True)
    return real, os.stat(real).st_uid
