"""One index after another: how the index of a memory that is built beside the one that serves learns
from it, and how in the end its history takes the place of the other's.

The other index is attached, so each of it is one transaction. See ``beside``.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .edits import Stage
from .index import Index
from .items import DETAILS, UNREAD

_ITEM = (
    "id, source, ref, kind, repo, key, title, text, author, email, time, changed, state, closed,"
    " assignee, url, path"
)
_SAME = "m.chunk = o.chunk AND o.text = m.text AND o.at = m.at"
_HOLDS = f"o.pending != {Stage.UNDOING:d}"
_HISTORY = ("people", "paths", "commits", "changes", "tickets", "commit_links", "tips")
"""The tables of history, those first that others name."""
_OF_COMMITS = ("changes", "tickets", "commit_links")


@dataclass(frozen=True, slots=True)
class News:
    """What has to be made again in the store, since it is not as it was."""

    commits: dict[str, set[str]]
    """Shas by repository."""
    items: set[str]
    """References of items: changed ones, and ones that are gone."""


def copy(index: Index, path: Path) -> None:
    """Write all of an index into a new file, as it is at this moment."""
    with index.reading() as db:
        db.execute("VACUUM INTO ?", (str(path),))


def follow(index: Index, path: Path) -> News:
    """Have an index take over the repositories, items and edits of the one at ``path``."""
    with _attached(index, path), index.writing() as db:
        _follow_repos(db)
        edited = _follow_edits(db)
        items = _follow_items(db, {ref for _, ref in edited})
    commits: dict[str, set[str]] = {}
    for repo, ref in edited:
        if repo and ref not in items:
            commits.setdefault(repo, set()).add(ref)
    return News(commits, items)


def take_over(index: Index, path: Path, settings: Mapping[str, str | None]) -> None:
    """Put the history of the index at ``path`` in the place of this one's, and some settings.

    Whoever reads sees the one or the other. Nothing else is changed; of repositories that are not
    known here nothing is taken.
    """
    with _attached(index, path), index.writing() as db:
        # What the rows name is there again at the end of the transaction.
        db.execute("PRAGMA defer_foreign_keys = ON")
        for table in reversed(_HISTORY):
            db.execute(f"DELETE FROM main.{table}")
        known = "repo IN (SELECT id FROM main.repos)"
        read = f"commit_id IN (SELECT id FROM other.commits WHERE {known})"
        for table in _HISTORY:
            where = "1" if table == "people" else read if table in _OF_COMMITS else known
            columns = ", ".join(row[1] for row in db.execute(f"PRAGMA main.table_info({table})"))
            db.execute(
                f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM other.{table}"
                f" WHERE {where}"
            )
        db.execute(
            "UPDATE main.items SET chunks = coalesce("
            f"(SELECT o.chunks FROM other.items o WHERE o.ref = main.items.ref), {UNREAD})"
        )
        db.execute(
            "INSERT OR IGNORE INTO main.withheld_refs SELECT rule, repo, ref"
            " FROM other.withheld_refs WHERE rule IN (SELECT id FROM main.withheld)"
        )
        for key, value in settings.items():
            index.set_setting(key, value)


@contextmanager
def _attached(index: Index, path: Path) -> Generator[None]:
    with index.reading() as db:
        db.execute("ATTACH DATABASE ? AS other", (str(path),))
        try:
            yield
        finally:
            db.execute("DETACH DATABASE other")


def _follow_repos(db: sqlite3.Connection) -> None:
    db.execute(
        "INSERT INTO main.repos SELECT * FROM other.repos WHERE true"
        " ON CONFLICT (id) DO UPDATE SET name = excluded.name, path = excluded.path,"
        " worktree = excluded.worktree, root_commit = excluded.root_commit"
    )


def _follow_edits(db: sqlite3.Connection) -> list[tuple[str, str]]:
    """Take over the edits that hold; return what they, or ones that hold no more, are of."""
    changed: list[tuple[str, str]] = db.execute(
        f"SELECT repo, ref FROM other.edits o WHERE {_HOLDS} AND NOT EXISTS"
        f" (SELECT 1 FROM main.edits m WHERE {_SAME})"
        f" UNION SELECT repo, ref FROM main.edits m WHERE NOT EXISTS"
        f" (SELECT 1 FROM other.edits o WHERE {_HOLDS} AND {_SAME})"
    ).fetchall()
    db.execute("DELETE FROM main.edits")
    db.execute(
        "INSERT INTO main.edits (chunk, repo, ref, text, at, pending)"
        f" SELECT chunk, repo, ref, text, at, {Stage.DONE:d} FROM other.edits o WHERE {_HOLDS}"
    )
    return changed


def _follow_items(db: sqlite3.Connection, edited: set[str]) -> set[str]:
    """Take over all items; return those whose chunks, if there are any, are to go: of changed,
    edited and lost ones. Those that are there count as unread."""
    had: dict[str, int] = dict(db.execute("SELECT ref, chunks FROM main.items").fetchall())
    changed = {
        row[0]
        for row in db.execute(
            f"SELECT ref FROM (SELECT {_ITEM} FROM main.items EXCEPT SELECT {_ITEM} FROM other.items)"
        )
    } | (edited & had.keys())
    for table in (*DETAILS, "items"):
        db.execute(f"DELETE FROM main.{table}")
    db.execute(
        f"INSERT INTO main.items ({_ITEM}, chunks) SELECT {_ITEM}, {UNREAD} FROM other.items"
    )
    for table in DETAILS:
        db.execute(f"INSERT INTO main.{table} SELECT * FROM other.{table}")
    db.executemany(
        "UPDATE main.items SET chunks = ? WHERE ref = ?",
        ((count, ref) for ref, count in had.items() if ref not in changed),
    )
    return {ref for ref in changed if had[ref] > 0}
