"""What briefs have told, and what the person said to it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .database import Database

MOST_TOLD = 2_000
"""Things that are remembered as told; the oldest go first."""
MOST_RATED = 500
MOST_BRIEFS = 40
"""Finished briefs that are kept: those of some weeks, since one is looked for that was seen."""


def m005_briefs(db: sqlite3.Connection) -> None:
    """Make the tables of what was told and how it was rated."""
    db.execute(
        "CREATE TABLE brief_told (key TEXT PRIMARY KEY, digest TEXT NOT NULL, first TEXT NOT NULL,"
        " last TEXT NOT NULL, repo TEXT) WITHOUT ROWID"
    )
    db.execute(
        "CREATE TABLE brief_rated (day TEXT NOT NULL, key TEXT NOT NULL, topic TEXT NOT NULL,"
        " useful INTEGER NOT NULL, at REAL NOT NULL, repo TEXT, PRIMARY KEY (day, key))"
        " WITHOUT ROWID"
    )
    db.execute(
        "CREATE TABLE brief_made (day TEXT PRIMARY KEY, made REAL NOT NULL, shown REAL,"
        " brief TEXT NOT NULL) WITHOUT ROWID"
    )


@dataclass(frozen=True, slots=True)
class Told:
    """One thing that a person was told."""

    key: str
    digest: str
    """What it said."""
    first: str
    last: str
    """The days (``2026-12-01``) on which it was told like this, first and last."""
    repo: str | None = None


@dataclass(frozen=True, slots=True)
class Rating:
    """What a person said to one line of a brief."""

    day: str
    key: str
    topic: str
    useful: bool
    at: float
    repo: str | None = None


@dataclass(frozen=True, slots=True)
class Made:
    """A finished brief."""

    day: str
    made: float
    shown: float | None
    """When a person saw it, as far as is known."""
    brief: Mapping[str, Any]


class Briefs:
    """What was told, by day, and ratings by topic."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def told(self) -> dict[str, Told]:
        """Return what was told, by its key."""
        with self._database.reading() as db:
            rows = db.execute("SELECT key, digest, first, last, repo FROM brief_told").fetchall()
        return {row[0]: Told(*row) for row in rows}

    def tell(self, said: Collection[Told]) -> None:
        """Remember that this was told, as it stands there. What was told before in the same words
        keeps its first day."""
        with self._database.writing() as db:
            db.executemany(
                "INSERT INTO brief_told (key, digest, first, last, repo) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (key) DO UPDATE SET"
                " first = CASE WHEN digest = excluded.digest THEN first ELSE excluded.first END,"
                " digest = excluded.digest, last = excluded.last, repo = excluded.repo",
                [(one.key, one.digest, one.first, one.last, one.repo) for one in said],
            )
            db.execute(
                "DELETE FROM brief_told WHERE key NOT IN"
                " (SELECT key FROM brief_told ORDER BY last DESC, key LIMIT ?)",
                (MOST_TOLD,),
            )

    def rate(self, rating: Rating) -> None:
        """Remember what was said to a line. Said again of the same line it replaces the first."""
        with self._database.writing() as db:
            db.execute(
                "INSERT OR REPLACE INTO brief_rated (day, key, topic, useful, at, repo)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (
                    *(rating.day, rating.key, rating.topic, int(rating.useful)),
                    *(rating.at, rating.repo),
                ),
            )
            db.execute(
                "DELETE FROM brief_rated WHERE (day, key) NOT IN"
                " (SELECT day, key FROM brief_rated ORDER BY at DESC LIMIT ?)",
                (MOST_RATED,),
            )

    def ratings(self) -> list[Rating]:
        """Return what was said to lines, the latest first."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT day, key, topic, useful, at, repo FROM brief_rated ORDER BY at DESC"
            ).fetchall()
        return [
            Rating(day, key, topic, bool(useful), at, repo)
            for day, key, topic, useful, at, repo in rows
        ]

    def keep(self, day: str, made: float, brief: Mapping[str, Any]) -> None:
        """Keep a day's brief in place of what was made of it before."""
        with self._database.writing() as db:
            db.execute(
                "INSERT INTO brief_made (day, made, shown, brief) VALUES (?, ?, NULL, ?)"
                " ON CONFLICT (day) DO UPDATE SET made = excluded.made, brief = excluded.brief",
                (day, made, json.dumps(brief)),
            )
            db.execute(
                "DELETE FROM brief_made WHERE day NOT IN"
                " (SELECT day FROM brief_made ORDER BY day DESC LIMIT ?)",
                (MOST_BRIEFS,),
            )

    def made(self, day: str) -> Made | None:
        """Return a day's brief."""
        found = self._made("WHERE day = ?", day)
        return found[0] if found else None

    def unseen(self) -> list[Made]:
        """Return the kept briefs of which nobody has said that they were seen, the oldest first."""
        return self._made("WHERE shown IS NULL ORDER BY day")

    def last(self) -> Made | None:
        """Return the brief of the latest day."""
        found = self._made("ORDER BY day DESC LIMIT 1")
        return found[0] if found else None

    def last_seen(self, before: str) -> Made | None:
        """Return the latest brief before a day that a person saw."""
        found = self._made("WHERE shown IS NOT NULL AND day < ? ORDER BY day DESC LIMIT 1", before)
        return found[0] if found else None

    def seen(self, day: str, at: float, said: Sequence[Told]) -> None:
        """Remember that a person saw a day's brief, and with it what it told."""
        with self._database.writing() as db:
            db.execute("UPDATE brief_made SET shown = ? WHERE day = ?", (at, day))
            self.tell(said)

    def forget(self, repo: str) -> None:
        """Remove everything of one repository. Briefs are kept whole or not at all: they go."""
        with self._database.writing() as db:
            for table in ("brief_told", "brief_rated"):
                db.execute(f"DELETE FROM {table} WHERE repo = ?", (repo,))
            db.execute("DELETE FROM brief_made")

    def _made(self, where: str, *values: str) -> list[Made]:
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT day, made, shown, brief FROM brief_made {where}", values
            ).fetchall()
        return [Made(day, made, shown, json.loads(text)) for day, made, shown, text in rows]
