"""What is known of commits and items besides what they say: how much they count, and whether they
still hold."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .authority import accepted, decided_otherwise
from .database import Database
from .history import LISTED, listed
from .records import Mark, is_item

_COLUMNS = "repo, ref, weight, folded_into, ended, ended_by, why, branch"

Key = tuple[str, str]
"""A repository's id (empty for an item of none) and a reference."""


@dataclass(frozen=True, slots=True)
class MarkCounts:
    """How many commits and items are marked, by what for."""

    folded: int
    """Another stands for them."""
    ended: int
    """They don't hold any more, and stand for themselves."""
    faded: int
    """They hold, stand for themselves, and count for less."""


class Marks:
    """The marks of one database. Safe to share between threads."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, refs: Iterable[str]) -> dict[Key, Mark]:
        """Return the marks of these references, in whatever repository; most have none.

        A document that does not hold any more is marked from when that is in memory on: it is
        asked for each time, and not derived at night.
        """
        wanted = list(refs)
        documents = [ref for ref in wanted if is_item(ref)]
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT {_COLUMNS} FROM marks WHERE ref IN {LISTED}", (listed(wanted),)
            ).fetchall()
            ended = decided_otherwise(db, documents) if documents else {}
        return ended | {(row[0], row[1]): Mark(*row) for row in rows}

    def accepted(self, refs: Iterable[str]) -> set[str]:
        """Return those references that are decisions which were accepted, and hold."""
        documents = [ref for ref in refs if is_item(ref)]
        if not documents:
            return set()
        with self._database.reading() as db:
            return accepted(db, documents)

    def folded_into(self, refs: Iterable[str]) -> dict[Key, list[Mark]]:
        """Return what is folded into these references, by the one that stands for it."""
        found: dict[Key, list[Mark]] = {}
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT {_COLUMNS} FROM marks WHERE folded_into != '' AND folded_into IN {LISTED}"
                " ORDER BY branch, ref",
                (listed(refs),),
            ).fetchall()
        for row in rows:
            mark = Mark(*row)
            found.setdefault((mark.repo, mark.folded_into), []).append(mark)
        return found

    def all(self, repo: str) -> list[Mark]:
        """Return a repository's marks by reference; given an empty id, those of no repository."""
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT {_COLUMNS} FROM marks WHERE repo = ? ORDER BY ref", (repo,)
            ).fetchall()
        return [Mark(*row) for row in rows]

    def counts(self, repo: str | None = None) -> MarkCounts:
        """Count the marks of one repository, or of all."""
        where, values = ("1", ()) if repo is None else ("repo = ?", (repo,))
        with self._database.reading() as db:
            row = db.execute(
                "SELECT coalesce(sum(folded_into != ''), 0),"
                " coalesce(sum(folded_into = '' AND ended IS NOT NULL), 0),"
                " coalesce(sum(folded_into = '' AND ended IS NULL AND weight < 1), 0)"
                f" FROM marks WHERE {where}",
                values,
            ).fetchone()
        return MarkCounts(*row)

    def replace(self, repo: str, marks: Sequence[Mark]) -> int:
        """Make these the only marks of a repository, in one transaction; return how many changed.

        Nothing is written where nothing changed.
        """
        if any(mark.repo != repo for mark in marks):
            raise ValueError(f"marks of other repositories than {repo!r}")
        with self._database.writing() as db:
            before = {mark.ref: mark for mark in self.all(repo)}
            now = {mark.ref: mark for mark in marks}
            gone = before.keys() - now.keys()
            news = [mark for ref, mark in now.items() if before.get(ref) != mark]
            db.executemany(
                "DELETE FROM marks WHERE ref = ? AND repo = ?", [(ref, repo) for ref in gone]
            )
            db.executemany(
                f"INSERT OR REPLACE INTO marks ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        *(mark.repo, mark.ref, mark.weight, mark.folded_into),
                        *(mark.ended, mark.ended_by, mark.why, mark.branch),
                    )
                    for mark in news
                ],
            )
        return len(gone) + len(news)


def drop_marks(db: sqlite3.Connection, refs: Iterable[str]) -> None:
    """Remove the marks of what left, and those that lean on it: what a dropped commit took back
    holds again at once, not only after the next night."""
    gone = listed(refs)
    db.execute(
        f"DELETE FROM marks WHERE ref IN {LISTED} OR ended_by IN {LISTED}"
        f" OR (folded_into != '' AND folded_into IN {LISTED})",
        (gone, gone, gone),
    )
