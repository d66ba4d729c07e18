"""How much there is, from where and how old, counted in the structured index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .database import Database
from .history import State

_DAY = 86_400
AGES = (7 * _DAY, 30 * _DAY, 365 * _DAY)
"""Seconds up to which something is of this week, this month, this year; what is left is older."""


@dataclass(frozen=True, slots=True)
class SourceCount:
    """What one source has brought."""

    source: str
    entries: int
    """Commits, or items."""
    chunks: int
    oldest: int
    newest: int
    ages: tuple[int, ...]
    """Entries of this week, of this month, of this year, and older."""


class Census:
    """Counts of one database. Safe to share between threads."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def sources(self, now: int) -> list[SourceCount]:
        """Count what each source has brought, git first, then by name."""
        ages = [f"coalesce(sum({low} AND {high}), 0)" for low, high in _spans(now)]
        counted = f"count(*), coalesce(min(time), 0), coalesce(max(time), 0), {', '.join(ages)}"
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT 'git', coalesce(sum(chunks), 0), {counted} FROM commits"
                f" WHERE state = {State.LIVE:d}"
            ).fetchall()
            rows += db.execute(
                f"SELECT source, sum(max(chunks, 0)), {counted} FROM items"
                " GROUP BY source ORDER BY source"
            ).fetchall()
        return [
            SourceCount(source, entries, chunks, oldest, newest, tuple(by_age))
            for source, chunks, entries, oldest, newest, *by_age in rows
        ]

    def orphaned(self) -> frozenset[tuple[str, str]]:
        """Return the commits that no branch reaches any more."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT repo, sha FROM commits WHERE state = ?", (State.ORPHANED,)
            ).fetchall()
        return frozenset((repo, sha) for repo, sha in rows)

    def known_sources(self) -> frozenset[str]:
        """Return the sources that chunks may be of: git, and those of the items that are there."""
        with self._database.reading() as db:
            return frozenset(
                ("git", *(row[0] for row in db.execute("SELECT DISTINCT source FROM items")))
            )

    def used_bytes(self) -> int:
        """Return how many bytes of the database's file hold something."""
        with self._database.reading() as db:
            size, pages, free = (
                int(db.execute(f"PRAGMA {name}").fetchone()[0])
                for name in ("page_size", "page_count", "freelist_count")
            )
        return size * (pages - free)


def _spans(now: int) -> Sequence[tuple[str, str]]:
    starts = [f"time > {now - age:d}" for age in AGES]
    return list(zip([*starts, "1"], ["1", *(f"NOT {start}" for start in starts)], strict=True))
