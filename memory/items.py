"""Items in the structured index: discussions, tickets, pull requests and documents.

They are put in whole, over what was there under the same reference, and read back as records.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from .database import Database
from .history import LISTED, listed
from .records import Filters, Item, ItemChange, ItemKind, Link, LinkKind
from .selection import on_path
from .text import storable

UNREAD = -1
"""In place of a number of chunks: they are gone, and are to be made from the item again."""

_COLUMNS = (
    "i.id, i.source, i.ref, i.kind, i.repo, i.title, i.text, i.author, i.email, i.time, i.changed,"
    " i.key, i.state, i.closed, i.assignee, i.url, i.path"
)
DETAILS = ("item_tickets", "item_people", "item_changes", "item_links")
"""The tables of what an item has several of."""
_ABOUT = "(i.key = ? OR i.id IN (SELECT item FROM item_tickets WHERE key = ?))"
_NEWEST_FIRST = "ORDER BY i.changed DESC, i.ref"


class Items:
    """The items of one database. Safe to share between threads."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # Reading

    def get(self, ref: str) -> Item | None:
        """Return the item with this reference."""
        return self.get_all((ref,)).get(ref)

    def get_in_any_case(self, ref: str) -> Item | None:
        """Return the item with this reference, however its letters are written; None where several
        have it."""
        with self._database.reading() as db:
            found = _read(db, "i.ref = ? COLLATE NOCASE", (ref,))
        return found[0] if len(found) == 1 else None

    def get_all(self, refs: Collection[str]) -> dict[str, Item]:
        """Return those of these references that there are, each with its item."""
        with self._database.reading() as db:
            found = _read(db, f"i.ref IN {LISTED}", (listed(refs),))
        return {item.ref: item for item in found}

    def by_key(self, key: str, repos: Collection[str] = ()) -> list[Item]:
        """Return the items that people call ``key`` (``ENG-17``, ``#482``), last changed first.

        Case does not matter. Of several repositories' ``#482`` the ones of ``repos`` are meant,
        and those that belong to none.
        """
        where, values = _within((*repos, "") if repos else ())
        with self._database.reading() as db:
            return _read(db, f"i.key = ? AND {where}", (key, *values), _NEWEST_FIRST)

    def find(
        self,
        *,
        kinds: Collection[ItemKind] = (),
        sources: Collection[str] = (),
        repos: Collection[str] = (),
        since: int | None = None,
        until: int | None = None,
        ticket: str | None = None,
        person: str | None = None,
        open_only: bool = False,
        limit: int | None = None,
    ) -> list[Item]:
        """Return the items that all of this holds for, last changed first; nothing given, all.

        ``repos`` are ids, and an empty one stands for the items of no repository. ``since`` (from
        this second on) and ``until`` (before it) leave what was alive at some time in between:
        begun before its end, changed after its start. ``ticket`` leaves the ticket or pull request
        itself and what names it, ``person`` (part of a name or of an address) where they took part
        or that is assigned to them.
        """
        where, values = _within(repos)
        conditions = [where]
        parameters: list[str | int] = [*values]
        if kinds:
            conditions.append(f"i.kind IN {LISTED}")
            parameters.append(listed(kind.value for kind in kinds))
        if sources:
            conditions.append(f"i.source IN {LISTED}")
            parameters.append(listed(sources))
        if since is not None:
            conditions.append("i.changed >= ?")
            parameters.append(since)
        if until is not None:
            conditions.append("i.time < ?")
            parameters.append(until)
        if ticket is not None:
            conditions.append(_ABOUT)
            parameters += [ticket, ticket]
        if person is not None:
            conditions.append(
                "(instr(fold(i.assignee), ?) OR i.id IN (SELECT item FROM item_people"
                " WHERE instr(fold(name), ?) OR instr(fold(email), ?)))"
            )
            parameters += [person.casefold()] * 3
        if open_only:
            conditions.append("i.closed IS NULL")
        tail = _NEWEST_FIRST if limit is None else f"{_NEWEST_FIRST} LIMIT {limit:d}"
        with self._database.reading() as db:
            return _read(db, " AND ".join(conditions), parameters, tail)

    def selected(self, filters: Filters, limit: int, *, ticket: str | None = None) -> list[Item]:
        """Return the items that a search's filters leave and that can be found, newest first.

        With ``ticket``, only the ticket or pull request itself and what names it. Documents alone
        have a path, and none is on a branch: filters for those leave them, or none.
        """
        where, values = _within((*filters.repos, "") if filters.repos else ())
        conditions = [where, "i.chunks > 0"]
        parameters: list[str | int] = [*values]
        if filters.refs is not None:
            return []
        if filters.path is not None:
            there, at = on_path("i.path", filters.path)
            conditions.append(there)
            parameters += at
        if filters.source is not None:
            conditions.append("i.source = ?")
            parameters.append(filters.source)
        if filters.author:
            conditions.append("(instr(fold(i.author), ?) OR instr(fold(i.email), ?))")
            parameters += [filters.author.casefold()] * 2
        if filters.since is not None:
            conditions.append("i.time >= ?")
            parameters.append(filters.since)
        if filters.until is not None:
            conditions.append("i.time < ?")
            parameters.append(filters.until)
        if ticket is not None:
            conditions.append(_ABOUT)
            parameters += [ticket, ticket]
        tail = f"ORDER BY i.time DESC, i.ref LIMIT {limit:d}"
        with self._database.reading() as db:
            return _read(db, " AND ".join(conditions), parameters, tail)

    def people(self, repos: Collection[str] = ()) -> list[tuple[str, str]]:
        """Return the names and addresses of those who began an item, who began most first."""
        where, values = _within((*repos, "") if repos else ())
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT i.author, i.email FROM items i WHERE {where} AND i.author <> ''"
                " GROUP BY 1, 2 ORDER BY count(*) DESC, 1, 2",
                values,
            )
            return rows.fetchall()

    def called(self, emails: Collection[str]) -> set[str]:
        """Return the names that those who take part have with these addresses, and with no other."""
        with self._database.reading() as db:
            rows = db.execute(
                "WITH theirs AS (SELECT DISTINCT name FROM item_people"
                f" WHERE email COLLATE NOCASE IN {LISTED})"
                " SELECT name FROM theirs WHERE name <> '' AND name NOT IN"
                " (SELECT name FROM item_people WHERE email <> ''"
                f" AND email COLLATE NOCASE NOT IN {LISTED})",
                (listed(emails), listed(emails)),
            )
            return {row[0] for row in rows}

    def open_with(
        self,
        names: Collection[str],
        emails: Collection[str],
        *,
        kinds: Collection[ItemKind],
        sources: Collection[str],
        repos: Collection[str],
    ) -> list[Item]:
        """Return the items that are open and in which somebody with one of these names or addresses
        takes part, or holds it; last changed first."""
        where, values = _within(repos)
        condition = (
            f"{where} AND i.closed IS NULL AND i.kind IN {LISTED} AND i.source IN {LISTED}"
            f" AND (i.assignee COLLATE NOCASE IN {LISTED} OR EXISTS (SELECT 1 FROM item_people p"
            f" WHERE p.item = i.id AND (p.name COLLATE NOCASE IN {LISTED}"
            f" OR p.email COLLATE NOCASE IN {LISTED})))"
        )
        kept = (listed(kind.value for kind in kinds), listed(sources))
        of = (listed(names), listed(names), listed(emails))
        with self._database.reading() as db:
            return _read(db, condition, (*values, *kept, *of), _NEWEST_FIRST)

    def people_like(self, part: str) -> tuple[list[str], list[str]]:
        """Return the names and the addresses that hold ``part`` (case folded) of those who began an
        item."""
        with self._database.reading() as db:
            rows = db.execute("SELECT DISTINCT author, email FROM items").fetchall()
        names = {name for name, _ in rows if part in name.casefold()}
        return sorted(names), sorted({mail for _, mail in rows if part in mail.casefold()})

    def refs(self, repos: Collection[str] = (), sources: Collection[str] = ()) -> list[str]:
        """Return the references of all items, or of some repositories' and sources', in order."""
        where, values = _within(repos)
        of, named = (f"i.source IN {LISTED}", (listed(sources),)) if sources else ("1", ())
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT i.ref FROM items i WHERE {where} AND {of} ORDER BY i.ref",
                (*values, *named),
            )
            return [row[0] for row in rows]

    def at_path(self, path: str, repos: Collection[str] = ()) -> list[str]:
        """Return the references of the documents at a path, in a folder, or that fit a glob."""
        where, values = _within((*repos, "") if repos else ())
        there, at = on_path("i.path", path)
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT i.ref FROM items i WHERE i.path != '' AND {there} AND {where}"
                " ORDER BY i.ref",
                (*at, *values),
            )
            return [row[0] for row in rows]

    def keys(self, repos: Collection[str] = ()) -> list[str]:
        """Return what people call the tickets, pull requests and records that there are."""
        where, values = _within(repos)
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT DISTINCT key FROM items i WHERE key != '' AND {where}", values
            )
            return [row[0] for row in rows]

    def counts(self, repos: Collection[str] = ()) -> dict[str, int]:
        """Return how many items each source has brought, by name."""
        where, values = _within(repos)
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT i.source, count(*) FROM items i WHERE {where} GROUP BY 1 ORDER BY 1",
                values,
            )
            return dict(rows.fetchall())

    # Their chunks

    def chunk_counts(self, refs: Collection[str] | None = None) -> dict[str, int]:
        """Return how many chunks each item should have; UNREAD where they are to be made again."""
        where, values = ("1", ()) if refs is None else (f"ref IN {LISTED}", (listed(refs),))
        with self._database.reading() as db:
            rows = db.execute(f"SELECT ref, chunks FROM items WHERE {where}", values)
            return dict(rows.fetchall())

    def chunks(self, repo: str | None = None) -> int:
        """Return how many chunks all items should have, or those of one repository."""
        where, values = ("1", ()) if repo is None else ("repo = ?", (repo,))
        with self._database.reading() as db:
            row = db.execute(
                f"SELECT coalesce(sum(max(chunks, 0)), 0) FROM items WHERE {where}", values
            ).fetchone()
        return int(row[0])

    def unread(self, limit: int | None = None) -> list[Item]:
        """Return the items whose chunks are to be made again, last changed first."""
        tail = _NEWEST_FIRST if limit is None else f"{_NEWEST_FIRST} LIMIT {limit:d}"
        with self._database.reading() as db:
            return _read(db, "i.chunks < 0", (), tail)

    def mark_unread(self, refs: Iterable[str]) -> None:
        """Say of these items that their chunks are to be made again."""
        with self._database.writing() as db:
            mark_items_unread(db, refs)

    def set_chunks(self, ref: str, count: int) -> None:
        """Say how many chunks an item has."""
        with self._database.writing() as db:
            db.execute("UPDATE items SET chunks = ? WHERE ref = ?", (count, ref))


def kept(item: Item) -> Item:
    """Return the item as the tables hold it: of text that can be stored, no ticket or link
    named twice."""
    tickets = {storable(key).casefold(): storable(key) for key in reversed(item.tickets)}
    return replace(
        item,
        source=storable(item.source),
        ref=storable(item.ref),
        title=storable(item.title),
        text=storable(item.text),
        author=storable(item.author),
        email=storable(item.email),
        key=storable(item.key),
        state=storable(item.state),
        assignee=storable(item.assignee),
        url=storable(item.url),
        path=storable(item.path),
        links=tuple(dict.fromkeys(Link(link.kind, storable(link.target)) for link in item.links)),
        tickets=tuple(reversed(tickets.values())),
        people=tuple((storable(name), storable(email)) for name, email in item.people),
        changes=tuple(
            ItemChange(change.at, storable(change.field), storable(change.value))
            for change in item.changes
        ),
    )


def insert_items(db: sqlite3.Connection, items: Sequence[Item], chunks: Mapping[str, int]) -> None:
    """Put items (see ``kept``) in, over what was there under their references.

    ``chunks`` says how many chunks a reference has in the vector store; an item that it does not
    name keeps the number it had.
    """
    for item in items:
        count = chunks.get(item.ref)
        row = db.execute(
            "INSERT INTO items (source, ref, kind, repo, key, title, text, author, email, time,"
            " changed, state, closed, assignee, url, path, chunks)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, coalesce(?, 0))"
            " ON CONFLICT (ref) DO UPDATE SET source = excluded.source, kind = excluded.kind,"
            " repo = excluded.repo, key = excluded.key, title = excluded.title,"
            " text = excluded.text, author = excluded.author, email = excluded.email,"
            " time = excluded.time, changed = excluded.changed, state = excluded.state,"
            " closed = excluded.closed, assignee = excluded.assignee, url = excluded.url,"
            " path = excluded.path,"
            " chunks = coalesce(?, chunks) RETURNING id",
            (
                *(item.source, item.ref, item.kind.value, item.repo, item.key, item.title),
                *(item.text, item.author, item.email, item.time, item.changed, item.state),
                *(item.closed, item.assignee, item.url, item.path, count, count),
            ),
        ).fetchone()
        _insert_details(db, int(row[0]), item)


def _insert_details(db: sqlite3.Connection, number: int, item: Item) -> None:
    for table in DETAILS:
        db.execute(f"DELETE FROM {table} WHERE item = ?", (number,))
    db.executemany(
        "INSERT INTO item_tickets (key, item, position) VALUES (?, ?, ?)",
        ((key, number, place) for place, key in enumerate(item.tickets)),
    )
    db.executemany(
        "INSERT INTO item_people (item, position, name, email) VALUES (?, ?, ?, ?)",
        ((number, place, name, email) for place, (name, email) in enumerate(item.people)),
    )
    db.executemany(
        "INSERT INTO item_changes (item, position, at, field, value) VALUES (?, ?, ?, ?, ?)",
        (
            (number, place, change.at, change.field, change.value)
            for place, change in enumerate(item.changes)
        ),
    )
    db.executemany(
        "INSERT INTO item_links (item, position, kind, target) VALUES (?, ?, ?, ?)",
        ((number, place, link.kind.value, link.target) for place, link in enumerate(item.links)),
    )


def delete_items(db: sqlite3.Connection, refs: Iterable[str]) -> None:
    """Remove items and all that only they have brought."""
    db.execute(f"DELETE FROM items WHERE ref IN {LISTED}", (listed(refs),))


def mark_items_unread(db: sqlite3.Connection, refs: Iterable[str] | None = None) -> None:
    """Say of items, by default of all, that their chunks are to be made again."""
    where, values = ("1", ()) if refs is None else (f"ref IN {LISTED}", (listed(refs),))
    db.execute(f"UPDATE items SET chunks = {UNREAD} WHERE {where}", values)


def _within(repos: Collection[str]) -> tuple[str, tuple[str, ...]]:
    return (f"i.repo IN {LISTED}", (listed(repos),)) if repos else ("1", ())


def _read(
    db: sqlite3.Connection, where: str, values: Sequence[str | int], tail: str = ""
) -> list[Item]:
    rows = db.execute(f"SELECT {_COLUMNS} FROM items i WHERE {where} {tail}", values).fetchall()
    ids = (listed(row[0] for row in rows),)
    tickets: dict[int, list[str]] = defaultdict(list)
    people: dict[int, list[tuple[str, str]]] = defaultdict(list)
    changes: dict[int, list[ItemChange]] = defaultdict(list)
    links: dict[int, list[Link]] = defaultdict(list)
    of = f"WHERE item IN {LISTED} ORDER BY item, position"
    for item, key in db.execute(f"SELECT item, key FROM item_tickets {of}", ids):
        tickets[item].append(key)
    for item, name, email in db.execute(f"SELECT item, name, email FROM item_people {of}", ids):
        people[item].append((name, email))
    for item, *change in db.execute(f"SELECT item, at, field, value FROM item_changes {of}", ids):
        changes[item].append(ItemChange(*change))
    for item, kind, target in db.execute(f"SELECT item, kind, target FROM item_links {of}", ids):
        links[item].append(Link(LinkKind(kind), target))
    return [
        Item(
            source=row[1],
            ref=row[2],
            kind=ItemKind(row[3]),
            repo=row[4],
            title=row[5],
            text=row[6],
            author=row[7],
            email=row[8],
            time=row[9],
            changed=row[10],
            key=row[11],
            state=row[12],
            closed=row[13],
            assignee=row[14],
            url=row[15],
            tickets=tuple(tickets.get(row[0], ())),
            people=tuple(people.get(row[0], ())),
            changes=tuple(changes.get(row[0], ())),
            path=row[16],
            links=tuple(links.get(row[0], ())),
        )
        for row in rows
    ]
