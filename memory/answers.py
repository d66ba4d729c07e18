"""Answers that were made at night for the questions of the next day, and how often they served."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .database import Database
from .generations import count_changes, read_generations

DAYS = 90
"""Days for which it is known how often answers served."""

Outcome = Literal["served", "stale", "unpredicted"]
"""What became of a question: answered from the night; what was answered ahead did not hold any more;
nobody had thought of it."""


def m006_answers(db: sqlite3.Connection) -> None:
    """Make the tables of answers, of how often they served, and count the changes of test runs."""
    db.execute(
        "CREATE TABLE answers (id TEXT PRIMARY KEY, kind TEXT NOT NULL, subject TEXT NOT NULL,"
        " repos TEXT NOT NULL, key TEXT NOT NULL, made REAL NOT NULL, model TEXT,"
        " events TEXT NOT NULL, served INTEGER NOT NULL, last_served REAL) WITHOUT ROWID"
    )
    db.execute(
        "CREATE TABLE answer_counts (day TEXT NOT NULL, kind TEXT NOT NULL, served INTEGER NOT NULL,"
        " stale INTEGER NOT NULL, unpredicted INTEGER NOT NULL, PRIMARY KEY (day, kind))"
        " WITHOUT ROWID"
    )
    db.execute(
        "CREATE TABLE generations (part TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID"
    )
    for table in ("runs", "episodes"):
        count_changes(db, table, by_repo=True)


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer that was made ahead."""

    id: str
    """Stands for what is asked: kind, subject, time, repositories."""
    kind: str
    subject: str
    repos: tuple[str, ...]
    """Ids of the repositories that it is about."""
    key: str
    """Stands for all that was read for it: another one, and it does not hold."""
    made: float
    model: str | None
    """Who phrased part of it, if anybody."""
    events: Sequence[dict[str, Any]]
    """What is said: texts and sources, as they go over the wire."""
    served: int = 0
    last_served: float | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """How the questions of one kind were answered."""

    kind: str
    served: int
    """From the night."""
    stale: int
    """There was an answer, which did not hold any more."""
    unpredicted: int

    @property
    def asked(self) -> int:
        """All of them."""
        return self.served + self.stale + self.unpredicted


class Answers:
    """What was answered ahead. Calls take a millisecond and belong in a thread."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, id: str) -> Kept | None:
        """Return the answer to a question."""
        with self._database.reading() as db:
            row = db.execute(f"SELECT {_COLUMNS} FROM answers WHERE id = ?", (id,)).fetchone()
        return _kept(row) if row else None

    def all(self) -> list[Kept]:
        """Return all answers, the newest first."""
        with self._database.reading() as db:
            rows = db.execute(f"SELECT {_COLUMNS} FROM answers ORDER BY made DESC, id").fetchall()
        return [_kept(row) for row in rows]

    def standing(self) -> tuple[int, float | None]:
        """Return how many answers are kept, and when the newest was made."""
        with self._database.reading() as db:
            row = db.execute("SELECT count(*), max(made) FROM answers").fetchone()
        return int(row[0]), row[1]

    def keep(self, kept: Kept) -> None:
        """Keep an answer in place of an earlier one to the same question."""
        with self._database.writing() as db:
            db.execute(
                f"INSERT OR REPLACE INTO answers ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, NULL)",
                (
                    *(kept.id, kept.kind, kept.subject, json.dumps(kept.repos), kept.key),
                    *(kept.made, kept.model, json.dumps(kept.events)),
                ),
            )

    def keep_only(self, ids: Collection[str]) -> None:
        """Drop the answers to all other questions."""
        with self._database.writing() as db:
            db.execute(
                "DELETE FROM answers WHERE id NOT IN (SELECT value FROM json_each(?))",
                (json.dumps(list(ids)),),
            )

    def count(self, day: str, kind: str, outcome: Outcome) -> None:
        """Count a question that was asked on a day (``2026-12-01``)."""
        values = tuple(int(outcome == each) for each in ("served", "stale", "unpredicted"))
        with self._database.writing() as db:
            db.execute(
                "INSERT INTO answer_counts VALUES (?, ?, ?, ?, ?) ON CONFLICT (day, kind) DO UPDATE"
                " SET served = served + excluded.served, stale = stale + excluded.stale,"
                " unpredicted = unpredicted + excluded.unpredicted",
                (day, kind, *values),
            )
            db.execute("DELETE FROM answer_counts WHERE day < date(?, ?)", (day, f"-{DAYS} days"))

    def served(self, id: str, at: float) -> None:
        """Remember that an answer served."""
        with self._database.writing() as db:
            db.execute(
                "UPDATE answers SET served = served + 1, last_served = ? WHERE id = ?", (at, id)
            )

    def tally(self, since: str = "") -> list[Tally]:
        """Return how questions were answered, by kind, from a day (``2026-12-01``) on."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT kind, sum(served), sum(stale), sum(unpredicted) FROM answer_counts"
                " WHERE day >= ? GROUP BY kind ORDER BY kind",
                (since,),
            ).fetchall()
        return [Tally(*row) for row in rows]

    def generation(self, repos: Collection[str]) -> tuple[int, ...]:
        """Return a number for each repository that grows with every change of its test runs."""
        with self._database.reading() as db:
            found = read_generations(db)
        return tuple(
            found.get(f"runs:{repo}", 0) + found.get(f"episodes:{repo}", 0) for repo in repos
        )

    def forget(self, repo: str) -> None:
        """Remove the answers that are about a repository."""
        with self._database.writing() as db:
            db.execute(
                "DELETE FROM answers WHERE EXISTS"
                " (SELECT 1 FROM json_each(answers.repos) WHERE value = ?)",
                (repo,),
            )

    def clear(self) -> None:
        """Remove all answers. They hold nothing that can't be made again."""
        with self._database.writing() as db:
            db.execute("DELETE FROM answers")


_COLUMNS = "id, kind, subject, repos, key, made, model, events, served, last_served"


def _kept(row: Sequence[Any]) -> Kept:
    id, kind, subject, repos, key, made, model, events, served, last_served = row
    return Kept(
        *(id, kind, subject, tuple(json.loads(repos)), key, made, model, json.loads(events)),
        *(served, last_served),
    )
