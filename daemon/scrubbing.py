"""Takes what is forgotten out of a database of ours, whatever its tables are.

Every text of every table is looked at. In one that people read, what is forgotten is replaced; where
it is part of what a row is known by, the row goes.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from ..memory.database import Database
from ..memory.plain import deep

Clean = Callable[[str], str]

KNOWN_BY = frozenset({"branch", "cause", "key", "name", "path", "ref", "reference", "same", "target",
                      "test", "what", "document"})  # fmt: skip
"""Columns by which a row is found again: another text there would be another thing."""
PLACES = frozenset({"repo", "worktree"})
"""Columns that say where something lies. A home is not renamed because of who lived there."""
LEFT_ALONE = frozenset({"trust", "values", "schedule_runs", "breakers"})
"""Tables that hold no words of anybody: places, numbers, names of our own."""
NEVER_SHORTER = frozenset({"journal"})
"""Tables in which a missing row would be taken for a loss."""
MOMENTS = ("ended_at", "accepted_at", "last", "began", "made", "at")
"""Columns that say when a row was made or last mattered, the one that counts first."""
_ROWS = 500


def scrub(database: Database, clean: Clean, before: float | None = None) -> int:
    """Clean every text, and remove what is older than ``before``; return how many rows changed or
    went. Rewrites the file, so that nothing of them is left in it."""
    changed = 0
    with database.reading() as db:
        tables = [name for name in _tables(db) if name not in LEFT_ALONE]
    for table in tables:
        if before is not None:
            with database.writing() as db:
                changed += _remove_older(db, table, before)
        for some in _changes(database, table, clean):
            with database.writing() as db:
                for key, values in some:
                    _apply(db, table, key, values)
            changed += len(some)
    database.rewrite()
    return changed


def count(database: Database, clean: Clean, before: float | None = None) -> int:
    """Return how many rows `scrub` would change or remove."""
    found = 0
    with database.reading() as db:
        tables = [name for name in _tables(db) if name not in LEFT_ALONE]
        for table in tables:
            columns = _columns(db, table)
            moment = _moment(columns)
            if before is not None and moment is not None:
                where = f'SELECT count(*) FROM "{table}" WHERE {moment} < ?'
                found += db.execute(where, (before,)).fetchone()[0]
    return found + sum(len(some) for table in tables for some in _changes(database, table, clean))


def forget_repo(database: Database, repo: str) -> int:
    """Remove the rows that belong to a repository; of what may have no holes, only what they say."""
    changed = 0
    with database.writing() as db:
        for table in _tables(db):
            if "repo" not in _columns(db, table):
                continue
            if table in NEVER_SHORTER:
                wiped = "UPDATE journal SET repo = NULL, text = '', fields = '{}' WHERE repo = ?"
                changed += db.execute(wiped, (repo,)).rowcount
            else:
                changed += db.execute(f'DELETE FROM "{table}" WHERE repo = ?', (repo,)).rowcount
    database.rewrite()
    return changed


def cleaned_cell(text: str, clean: Clean) -> str:
    """Return a text cleaned: the texts in it, if it is JSON."""
    if text[:1] in ("{", "["):
        with suppress(ValueError):
            value: Any = json.loads(text)
            left = deep(value, clean)
            return text if left == value else json.dumps(left)
    return clean(text)


def _tables(db: sqlite3.Connection) -> list[str]:
    rows = db.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    )
    return [str(row[0]) for row in rows]


def _columns(db: sqlite3.Connection, table: str) -> dict[str, tuple[str, int]]:
    """Return the columns, each with its type and its place in the primary key."""
    rows = db.execute(f'PRAGMA table_info("{table}")')
    return {str(row[1]): (str(row[2]).upper(), int(row[5])) for row in rows}


def _remove_older(db: sqlite3.Connection, table: str, before: float) -> int:
    moment = _moment(_columns(db, table))
    if moment is None:
        return 0
    if table in NEVER_SHORTER:
        done = db.execute(
            f"UPDATE \"{table}\" SET text = '', fields = '{{}}' WHERE {moment} < ?", (before,)
        )
    else:
        done = db.execute(f'DELETE FROM "{table}" WHERE {moment} < ?', (before,))
    return done.rowcount


def _moment(columns: dict[str, tuple[str, int]]) -> str | None:
    return next((name for name in MOMENTS if name in columns and columns[name][0] == "REAL"), None)


_Change = tuple[tuple[str, Sequence[Any]], dict[str, str] | None]


def _changes(database: Database, table: str, clean: Clean) -> Iterator[list[_Change]]:
    """Yield, some rows at a time, by what a row is known and its new texts; None: it goes."""
    with database.reading() as db:
        columns = _columns(db, table)
        texts = [n for n, (kind, _) in columns.items() if kind == "TEXT" and n not in PLACES]
        key = [name for name, (_, place) in columns.items() if place] or ["rowid"]
        if not texts:
            return
        named = ", ".join(f'"{name}"' for name in (*key, *texts))
        rows = db.execute(f'SELECT {named} FROM "{table}"').fetchall()
    where = " AND ".join(f'"{name}" = ?' for name in key)
    some: list[_Change] = []
    for row in rows:
        before = dict(zip(texts, row[len(key) :], strict=True))
        after = {name: cleaned_cell(text, clean) for name, text in before.items() if text}
        news = {name: text for name, text in after.items() if text != before[name]}
        if not news:
            continue
        known_by = table not in NEVER_SHORTER and any(
            name in KNOWN_BY or columns[name][1] for name in news
        )
        some.append(((where, row[: len(key)]), None if known_by else news))
        if len(some) >= _ROWS:
            yield some
            some = []
    if some:
        yield some


def _apply(
    db: sqlite3.Connection,
    table: str,
    key: tuple[str, Sequence[Any]],
    values: dict[str, str] | None,
) -> None:
    where, row = key
    if values is None:
        db.execute(f'DELETE FROM "{table}" WHERE {where}', tuple(row))
        return
    set_to = ", ".join(f'"{name}" = ?' for name in values)
    try:
        db.execute(f'UPDATE "{table}" SET {set_to} WHERE {where}', (*values.values(), *row))
    except sqlite3.IntegrityError:  # another row says the same by now
        db.execute(f'DELETE FROM "{table}" WHERE {where}', tuple(row))
