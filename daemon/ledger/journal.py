"""The journal: one numbered line for each thing that happened, in the order it happened."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ...memory.database import Database
from .records import Entry

_COLUMNS = "number, at, topic, what, about, repo, text, fields"


@dataclass(frozen=True, slots=True)
class Page:
    """What a reader finds behind the last number it saw."""

    entries: list[Entry]
    oldest: int
    newest: int
    """Of the whole journal, at the moment of reading."""


class Journal:
    """Append and read. Numbers only grow, also after trimming."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._listeners: list[Callable[[], None]] = []

    def listen(self, listener: Callable[[], None]) -> None:
        """Have ``listener`` called, in the writer's thread, after each transaction that may have
        appended something. It must return at once and not raise."""
        self._listeners.append(listener)

    @contextmanager
    def writing(self) -> Generator[sqlite3.Connection]:
        """Hand out the connection in a transaction, and tell the listeners once it is on disk.

        What is appended in the block is part of it: all or nothing. Blocks may nest.
        """
        with self._database.writing() as db:
            yield db
        # Inside another block this comes too early; that one tells them again when it is through.
        for listener in self._listeners:
            listener()

    def append(
        self,
        topic: str,
        what: str,
        now: float,
        about: int | None = None,
        repo: str | None = None,
        text: str = "",
        fields: Mapping[str, Any] | None = None,
    ) -> Entry:
        """Write one entry and return it, with its number."""
        kept = dict(fields or {})
        with self.writing() as db:
            cursor = db.execute(
                "INSERT INTO journal (at, topic, what, about, repo, text, fields)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (now, topic, what, about, repo, text, json.dumps(kept)),
            )
            number = cursor.lastrowid
        assert number is not None
        return Entry(number, now, topic, what, about, repo, text, kept)

    def after(
        self,
        number: int,
        limit: int = 500,
        topics: Sequence[str] = (),
        repo: str | None = None,
        agent: str | None = None,
        since: float | None = None,
    ) -> list[Entry]:
        """Return up to ``limit`` entries behind ``number``, oldest first."""
        with self._database.reading() as db:
            where = _where(number, topics, repo, agent, since)
            return _entries(db, where, "number", limit)

    def last(
        self,
        limit: int,
        topics: Sequence[str] = (),
        repo: str | None = None,
        agent: str | None = None,
        since: float | None = None,
    ) -> list[Entry]:
        """Return the last ``limit`` entries, oldest first."""
        with self._database.reading() as db:
            where = _where(0, topics, repo, agent, since)
            return _entries(db, where, "number DESC", limit)[::-1]

    def page(
        self, number: int, limit: int = 500, topics: Sequence[str] = (), repo: str | None = None
    ) -> Page:
        """As `after`, with what there is at all, read in the same moment."""
        with self._database.reading() as db:
            entries = _entries(db, _where(number, topics, repo), "number", limit)
            return Page(entries, _oldest(db), _newest(db))

    def newest(self) -> int:
        """Return the number given last; 0 if there was none."""
        with self._database.reading() as db:
            return _newest(db)

    def oldest(self) -> int:
        """Return the lowest number there still is; of an empty journal the next to be given."""
        with self._database.reading() as db:
            return _oldest(db)


def _where(
    number: int,
    topics: Sequence[str],
    repo: str | None,
    agent: str | None = None,
    since: float | None = None,
) -> tuple[str, list[Any]]:
    """Return the condition for entries behind a number, and its parameters."""
    conditions = ["number > ?"]
    parameters: list[Any] = [number]
    if topics:
        conditions.append(f"topic IN ({', '.join('?' * len(topics))})")
        parameters += topics
    for condition, value in (
        ("repo = ?", repo),
        ("json_extract(fields, '$.agent') = ?", agent),
        ("at >= ?", since),
    ):
        if value is not None:
            conditions.append(condition)
            parameters.append(value)
    return " AND ".join(conditions), parameters


def _entries(
    db: sqlite3.Connection, where: tuple[str, list[Any]], order: str, limit: int
) -> list[Entry]:
    condition, parameters = where
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM journal WHERE {condition} ORDER BY {order} LIMIT ?",
        (*parameters, limit),
    ).fetchall()
    return [
        Entry(number, at, topic, what, about, repo, text, json.loads(fields))
        for number, at, topic, what, about, repo, text, fields in rows
    ]


def _newest(db: sqlite3.Connection) -> int:
    # Not the highest there is: all of them may have been trimmed.
    row = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'journal'").fetchone()
    return int(row[0]) if row else 0


def _oldest(db: sqlite3.Connection) -> int:
    row = db.execute("SELECT min(number) FROM journal").fetchone()
    return _newest(db) + 1 if row[0] is None else int(row[0])
