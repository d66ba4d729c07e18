"""The sources that a person has added: how each is set up, how far it was read, what it brought.

A page of a source is written in this order: what it is about to bring, the items, then in one
transaction that it brought them and where to go on. Killed anywhere, the page comes again: nothing
is lost, nothing there twice, and what was brought is known as brought.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .database import Database
from .errors import HermesError
from .history import LISTED, listed

_COLUMNS = (
    "s.name, s.kind, s.options, s.cursor, s.paused, s.added, s.tried, s.synced, s.waits_until,"
    " s.stamp, s.code, s.error, s.hint, s.notes,"
    " (SELECT count(*) FROM source_items b WHERE b.source = s.name)"
)
_UNREAD = "cursor = '', stamp = '', code = '', error = '', hint = '', waits_until = 0"


class NoSuchSource(HermesError):
    """A source is named that was not added, or was removed meanwhile."""

    code = "no_such_source"

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no source {name}", hint="`hermes sources` lists them")


class Fault(NamedTuple):
    """Why a source could not be read."""

    code: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One source as it is kept. Times are seconds since 1970."""

    name: str
    kind: str
    options: Mapping[str, Any]
    """How it is set up; of a token only where it is to be found."""
    cursor: str = ""
    """Where its next sync goes on; empty: from the beginning."""
    paused: bool = False
    added: int = 0
    tried: int | None = None
    """When it was last begun to be read."""
    synced: int | None = None
    """When it was last read to the end."""
    waits_until: int = 0
    """Before this second it asked not to be read again."""
    stamp: str = ""
    """How the file it is read from was then, if it is one."""
    fault: Fault | None = None
    """Why the last try failed."""
    notes: tuple[str, ...] = field(default=())
    """What was left out when it was last read, and why."""
    items: int = 0
    """How many items it brought that are there."""


class Sources:
    """The sources of one database. Safe to share between threads."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # Reading

    def all(self) -> list[SourceRow]:
        """Return all sources, by name."""
        with self._database.reading() as db:
            rows = db.execute(f"SELECT {_COLUMNS} FROM sources s ORDER BY s.name").fetchall()
        return [_row(row) for row in rows]

    def get(self, name: str) -> SourceRow:
        """Return the source with this name. Raise NoSuchSource."""
        with self._database.reading() as db:
            row = db.execute(
                f"SELECT {_COLUMNS} FROM sources s WHERE s.name = ?", (name,)
            ).fetchone()
        if row is None:
            raise NoSuchSource(name)
        return _row(row)

    def brought(self, name: str) -> list[tuple[str, str]]:
        """Return repository and reference of all items that a source brought, in order."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT i.repo, i.ref FROM source_items b JOIN items i ON i.id = b.item"
                " WHERE b.source = ? ORDER BY i.ref",
                (name,),
            )
            return rows.fetchall()

    def brought_alone(self, name: str) -> list[tuple[str, str]]:
        """Return repository and reference of the items that no other source brought."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT i.repo, i.ref FROM source_items b JOIN items i ON i.id = b.item"
                " WHERE b.source = ? AND NOT EXISTS (SELECT 1 FROM source_items o"
                " WHERE o.item = b.item AND o.source != b.source) ORDER BY i.ref",
                (name,),
            )
            return rows.fetchall()

    def count_alone(self, name: str) -> int:
        """Return how many items no other source brought."""
        with self._database.reading() as db:
            row = db.execute(
                "SELECT count(*) FROM source_items b WHERE b.source = ? AND NOT EXISTS"
                " (SELECT 1 FROM source_items o WHERE o.item = b.item AND o.source != b.source)",
                (name,),
            ).fetchone()
        return int(row[0])

    def brought_by_others(self, name: str, refs: Iterable[str]) -> set[str]:
        """Return those of these references that another source brought."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT DISTINCT i.ref FROM items i JOIN source_items b ON b.item = i.id"
                f" WHERE i.ref IN {LISTED} AND b.source != ?",
                (listed(refs), name),
            )
            return {row[0] for row in rows}

    # By a person

    def add(self, name: str, kind: str, options: Mapping[str, Any], now: int) -> SourceRow:
        """Add a source, or return the one that is set up in just the same way, or has its name."""
        text = json.dumps(options, sort_keys=True)
        with self._database.writing() as db:
            same = db.execute(
                "SELECT name FROM sources WHERE (kind = ? AND options = ?) OR name = ?"
                " ORDER BY name = ? DESC LIMIT 1",
                (kind, text, name, name),
            ).fetchone()
            if same is None:
                db.execute(
                    "INSERT INTO sources (name, kind, options, added) VALUES (?, ?, ?, ?)",
                    (name, kind, text, now),
                )
            return self.get(name if same is None else same[0])

    def pause(self, name: str, paused: bool) -> SourceRow:
        """Have a source not read until it is resumed, or resume it. Raise NoSuchSource."""
        with self._database.writing() as db:
            db.execute(
                "UPDATE sources SET paused = ?, waits_until = 0 WHERE name = ?", (paused, name)
            )
            return self.get(name)

    def remove(self, name: str) -> None:
        """Take a source off the list; what it brought stays."""
        with self._database.writing() as db:
            db.execute("DELETE FROM sources WHERE name = ?", (name,))

    # While it is read

    def begin(self, name: str, now: int) -> SourceRow:
        """Note that a source is being read. Raise NoSuchSource."""
        with self._database.writing() as db:
            db.execute("UPDATE sources SET tried = ? WHERE name = ?", (now, name))
            return self.get(name)

    def begin_page(self, name: str, refs: Iterable[str]) -> None:
        """Put on disk what a page is about to bring. Raise NoSuchSource."""
        with self._database.writing() as db:
            _update(db, name, "pending = ?", json.dumps(sorted(refs)))

    def finish_page(self, name: str, gone: Collection[str], cursor: str | None) -> None:
        """Note that a source brought what its page was about to, lost what is ``gone``, and is read
        up to ``cursor``; None leaves that where it was. Raise NoSuchSource."""
        with self._database.writing() as db:
            _settle(db, name)
            db.execute(
                "DELETE FROM source_items WHERE source = ? AND item IN"
                f" (SELECT id FROM items WHERE ref IN {LISTED})",
                (name, listed(gone)),
            )
            if cursor is not None:
                _update(db, name, "cursor = ?", cursor)

    def settle(self) -> None:
        """Note as brought what a writer that was killed had written of its page."""
        with self._database.writing() as db:
            for row in db.execute("SELECT name FROM sources WHERE pending != ''").fetchall():
                _settle(db, row[0])

    def succeed(self, name: str, now: int, stamp: str, notes: Sequence[str]) -> None:
        """Note that a source was read to the end. Raise NoSuchSource."""
        with self._database.writing() as db:
            what = "synced = ?, stamp = ?, notes = ?, code = '', error = '', hint = '', waits_until = 0"
            _update(db, name, what, now, stamp, json.dumps(list(notes)))

    def fail(self, name: str, fault: Fault, stamp: str, waits_until: int = 0) -> None:
        """Note why a source could not be read, and how its file was then."""
        with self._database.writing() as db:
            db.execute(
                "UPDATE sources SET code = ?, error = ?, hint = ?, stamp = ?, waits_until = ?"
                " WHERE name = ?",
                (*fault, stamp, waits_until, name),
            )

    def read_again(self, kind: str | None = None) -> None:
        """Have all sources, or those of a kind, read from the beginning the next time."""
        where, values = ("1", ()) if kind is None else ("kind = ?", (kind,))
        with self._database.writing() as db:
            db.execute(f"UPDATE sources SET {_UNREAD}, notes = '[]' WHERE {where}", values)


def _update(db: sqlite3.Connection, name: str, what: str, *values: Any) -> None:
    if not db.execute(f"UPDATE sources SET {what} WHERE name = ?", (*values, name)).rowcount:
        raise NoSuchSource(name)


def _settle(db: sqlite3.Connection, name: str) -> None:
    row = db.execute("SELECT pending FROM sources WHERE name = ?", (name,)).fetchone()
    if row is None:
        raise NoSuchSource(name)
    db.execute(
        "INSERT OR IGNORE INTO source_items (source, item)"
        f" SELECT ?, id FROM items WHERE ref IN {LISTED}",
        (name, row[0] or "[]"),
    )
    _update(db, name, "pending = ''")


def _row(row: tuple[Any, ...]) -> SourceRow:
    name, kind, options, cursor, paused, added, tried, synced, waits_until, stamp, *rest = row
    code, error, hint, notes, items = rest
    return SourceRow(
        name=name,
        kind=kind,
        options=json.loads(options),
        cursor=cursor,
        paused=bool(paused),
        added=added,
        tried=tried,
        synced=synced,
        waits_until=waits_until,
        stamp=stamp,
        fault=Fault(code, error, hint) if code else None,
        notes=tuple(json.loads(notes)),
        items=items,
    )
