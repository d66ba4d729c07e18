"""Commits that were read before it was noted what they name."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from .database import Database
from .history import LISTED, State, insert_names, listed
from .records import Link, chunk_id
from .sieve import leads_to
from .withheld import Withheld, note_touched


@dataclass(frozen=True, slots=True)
class Names:
    """What one text names."""

    tickets: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class UnlinkedCommit:
    """A commit whose message is to be looked at once more."""

    id: int
    """Its row."""
    repo: str
    sha: str

    @property
    def message(self) -> str:
        """The id of the chunk that holds its message."""
        return chunk_id(self.repo, self.sha, "", 0)


class Unlinked:
    """These commits of one database. Whatever is read now is never one of them."""

    def __init__(self, database: Database, withheld: Withheld) -> None:
        self._database = database
        self._withheld = withheld

    def count(self) -> int:
        """Return how many there are."""
        with self._database.reading() as db:
            return int(db.execute("SELECT count(*) FROM unlinked").fetchone()[0])

    def some(self, limit: int) -> list[UnlinkedCommit]:
        """Return the first of them, those that were read first: the newest."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT c.id, c.repo, c.sha FROM unlinked u JOIN commits c ON c.id = u.commit_id"
                " ORDER BY u.commit_id LIMIT ?",
                (limit,),
            )
            return [UnlinkedCommit(*row) for row in rows]

    def note(self, said: Mapping[UnlinkedCommit, Names]) -> None:
        """Write down what these of them name, but for what is forgotten, and strike them off, in
        one transaction."""
        rules = self._withheld.sieve().rules
        with self._database.writing() as db:
            for commit in _live(db, said):
                links = said[commit].links
                for number, rule in rules:
                    left = tuple(link for link in links if not leads_to(link, rule))
                    if left != links:
                        note_touched(db, commit.repo, {number: (commit.sha,)})
                    links = left
                insert_names(db, commit.id, said[commit].tickets, links)
            db.execute(
                f"DELETE FROM unlinked WHERE commit_id IN {LISTED}",
                (listed(commit.id for commit in said),),
            )


def _live(db: sqlite3.Connection, commits: Collection[UnlinkedCommit]) -> list[UnlinkedCommit]:
    """Leave out what no branch reaches any more, what is read again anyway, and what is forgotten."""
    rows = db.execute(
        f"SELECT id FROM commits WHERE id IN {LISTED} AND state = {State.LIVE:d}",
        (listed(commit.id for commit in commits),),
    )
    ids = {row[0] for row in rows}
    return [commit for commit in commits if commit.id in ids]
