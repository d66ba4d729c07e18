"""What was so for a time: the state and the assignee of a ticket, the owner of a part of the code."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from .database import Database
from .history import LISTED, listed
from .records import DatedFact

_COLUMNS = "repo, subject, relation, value, since, ref, until, ended_by"
_IN_TIME = "ORDER BY subject, relation, since, value"


class Facts:
    """The dated facts of one database. Safe to share between threads."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(
        self, subject: str, repos: Collection[str] = (), relation: str | None = None
    ) -> list[DatedFact]:
        """Return all that was ever so of a subject (``ticket:ENG-17``), oldest first; case does
        not matter. Facts of no repository are told whatever ``repos`` are asked for."""
        conditions, values = _about(subject, repos)
        if relation is not None:
            conditions.append("relation = ?")
            values.append(relation)
        return self._read(conditions, values)

    def all(self, repo: str) -> list[DatedFact]:
        """Return a repository's facts; given an empty id, those of no repository."""
        return self._read(["repo = ?"], [repo])

    def count(self) -> int:
        """Return how many facts there are, those that are over included."""
        with self._database.reading() as db:
            return int(db.execute("SELECT count(*) FROM facts").fetchone()[0])

    def replace(self, repo: str, facts: Sequence[DatedFact]) -> int:
        """Make these the only facts of a repository, in one transaction; return how many changed.

        Nothing is written where nothing changed.
        """
        if any(fact.repo != repo for fact in facts):
            raise ValueError(f"facts of other repositories than {repo!r}")
        with self._database.writing() as db:
            before, now = set(self.all(repo)), set(facts)
            db.executemany(
                "DELETE FROM facts WHERE repo = ? AND subject = ? AND relation = ? AND since = ?"
                " AND value = ?",
                [(f.repo, f.subject, f.relation, f.since, f.value) for f in before - now],
            )
            db.executemany(
                f"INSERT OR REPLACE INTO facts ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        *(f.repo, f.subject, f.relation, f.value),
                        *(f.since, f.ref, f.until, f.ended_by),
                    )
                    for f in now - before
                ],
            )
        return len(before ^ now)

    def _read(self, conditions: Sequence[str], values: Sequence[str | int]) -> list[DatedFact]:
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT {_COLUMNS} FROM facts WHERE {' AND '.join(conditions)} {_IN_TIME}", values
            ).fetchall()
        return [DatedFact(*row) for row in rows]


def _about(subject: str, repos: Collection[str]) -> tuple[list[str], list[str | int]]:
    conditions, values = ["subject = ?"], [subject]
    if repos:
        conditions.append(f"repo IN {LISTED}")
        values.append(listed((*repos, "")))
    return conditions, [*values]
