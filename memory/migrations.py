"""The structured index's schema, as numbered steps that are applied once each, in order."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

from .generations import m003_generations

Step = Callable[[sqlite3.Connection], None]
"""Brings a database from one version to the next."""


def m001_first_tables(db: sqlite3.Connection) -> None:
    """Make repositories, history, tips, intents and settings."""
    for statement in _FIRST_TABLES.split(";"):
        if statement.strip():
            db.execute(statement)


def m002_items(db: sqlite3.Connection) -> None:
    """Make what people wrote outside of git, what is known about all of it, and what is left out."""
    for statement in _ITEM_TABLES.split(";"):
        if statement.strip():
            db.execute(statement)


def m004_links(db: sqlite3.Connection) -> None:
    """Make where documents lie, and where items and commits lead to."""
    for statement in _LINK_TABLES.split(";"):
        if statement.strip():
            db.execute(statement)


def m005_sources(db: sqlite3.Connection) -> None:
    """Make the sources that were added, and which of them brought which item."""
    for statement in _SOURCE_TABLES.split(";"):
        if statement.strip():
            db.execute(statement)


def m006_unlinked(db: sqlite3.Connection) -> None:
    """Note of which commits and items it was not written down what they name: of all there are.
    Items, of which there are few yet, are taken in once more."""
    db.execute(
        "CREATE TABLE unlinked (commit_id INTEGER PRIMARY KEY REFERENCES commits (id)"
        " ON DELETE CASCADE)"
    )
    db.execute("INSERT INTO unlinked SELECT id FROM commits WHERE state = 0")
    db.execute("UPDATE items SET chunks = -1 WHERE id NOT IN (SELECT item FROM item_links)")


MIGRATIONS: list[Step] = [
    m001_first_tables,
    m002_items,
    m003_generations,
    m004_links,
    m005_sources,
    m006_unlinked,
]
"""Append only: a database's ``user_version`` is the number of steps it has taken."""


def version(db: sqlite3.Connection) -> int:
    """Given an open database, return how many steps it has taken; 0 for a new one."""
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def migrate(db: sqlite3.Connection, migrations: Sequence[Step] = MIGRATIONS) -> None:
    """Take the steps that are missing, all in one transaction (autocommit must be off-hand)."""
    if version(db) >= len(migrations):
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have taken them while this one waited for the lock.
        for number, step in enumerate(migrations[version(db) :], start=version(db) + 1):
            step(db)
            db.execute(f"PRAGMA user_version = {number}")
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


_FIRST_TABLES = """
CREATE TABLE repos (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    path TEXT NOT NULL UNIQUE,
    worktree TEXT,
    root_commit TEXT,
    added INTEGER NOT NULL
);
CREATE TABLE people (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    UNIQUE (name, email)
);
CREATE TABLE commits (
    id INTEGER PRIMARY KEY,
    repo TEXT NOT NULL REFERENCES repos (id),
    sha TEXT NOT NULL,
    state INTEGER NOT NULL,
    parents TEXT NOT NULL,
    person INTEGER NOT NULL REFERENCES people (id),
    time INTEGER NOT NULL,
    committed INTEGER NOT NULL,
    subject TEXT NOT NULL,
    chunks INTEGER NOT NULL,
    UNIQUE (repo, sha)
);
CREATE INDEX commits_by_sha ON commits (sha);
CREATE INDEX commits_by_time ON commits (repo, time);
CREATE INDEX commits_by_person ON commits (person);
CREATE TABLE paths (
    id INTEGER PRIMARY KEY,
    repo TEXT NOT NULL REFERENCES repos (id),
    path TEXT NOT NULL,
    UNIQUE (repo, path)
);
CREATE TABLE changes (
    commit_id INTEGER NOT NULL REFERENCES commits (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    path INTEGER NOT NULL REFERENCES paths (id),
    old_path INTEGER REFERENCES paths (id),
    change TEXT NOT NULL,
    content TEXT NOT NULL,
    added INTEGER,
    removed INTEGER,
    PRIMARY KEY (commit_id, position)
) WITHOUT ROWID;
CREATE INDEX changes_by_path ON changes (path);
CREATE INDEX changes_by_old_path ON changes (old_path) WHERE old_path IS NOT NULL;
CREATE TABLE tickets (
    key TEXT NOT NULL COLLATE NOCASE,
    commit_id INTEGER NOT NULL REFERENCES commits (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    PRIMARY KEY (key, commit_id)
) WITHOUT ROWID;
CREATE INDEX tickets_by_commit ON tickets (commit_id);
CREATE TABLE tips (
    repo TEXT NOT NULL REFERENCES repos (id),
    ref TEXT NOT NULL,
    sha TEXT NOT NULL,
    PRIMARY KEY (repo, ref)
) WITHOUT ROWID;
CREATE TABLE intents (
    id INTEGER PRIMARY KEY,
    repo TEXT NOT NULL,
    action TEXT NOT NULL,
    shas TEXT NOT NULL
);
CREATE TABLE settings (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID
"""

_ITEM_TABLES = """
CREATE TABLE items (
    id INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    ref TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    repo TEXT NOT NULL,
    key TEXT NOT NULL COLLATE NOCASE,
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    author TEXT NOT NULL,
    email TEXT NOT NULL,
    time INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    state TEXT NOT NULL,
    closed INTEGER,
    assignee TEXT NOT NULL,
    url TEXT NOT NULL,
    chunks INTEGER NOT NULL
);
CREATE INDEX items_by_time ON items (time);
CREATE INDEX items_by_key ON items (key);
CREATE INDEX items_by_source ON items (source, repo);
CREATE INDEX items_by_author ON items (author, email, repo);
CREATE TABLE item_tickets (
    key TEXT NOT NULL COLLATE NOCASE,
    item INTEGER NOT NULL REFERENCES items (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    PRIMARY KEY (key, item)
) WITHOUT ROWID;
CREATE INDEX item_tickets_by_item ON item_tickets (item);
CREATE TABLE item_people (
    item INTEGER NOT NULL REFERENCES items (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    PRIMARY KEY (item, position)
) WITHOUT ROWID;
CREATE TABLE item_changes (
    item INTEGER NOT NULL REFERENCES items (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    at INTEGER NOT NULL,
    field TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (item, position)
) WITHOUT ROWID;
CREATE TABLE marks (
    repo TEXT NOT NULL,
    ref TEXT NOT NULL,
    weight REAL NOT NULL,
    folded_into TEXT NOT NULL,
    ended INTEGER,
    ended_by TEXT NOT NULL,
    why TEXT NOT NULL,
    branch TEXT NOT NULL,
    PRIMARY KEY (ref, repo)
) WITHOUT ROWID;
CREATE INDEX marks_by_standing ON marks (folded_into) WHERE folded_into != '';
CREATE TABLE facts (
    repo TEXT NOT NULL,
    subject TEXT NOT NULL COLLATE NOCASE,
    relation TEXT NOT NULL,
    value TEXT NOT NULL,
    since INTEGER NOT NULL,
    ref TEXT NOT NULL,
    until INTEGER,
    ended_by TEXT NOT NULL,
    PRIMARY KEY (repo, subject, relation, since, value)
) WITHOUT ROWID;
CREATE TABLE withheld (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    rule TEXT NOT NULL,
    at INTEGER NOT NULL,
    pending INTEGER NOT NULL,
    UNIQUE (kind, rule)
);
CREATE TABLE withheld_refs (
    rule INTEGER NOT NULL REFERENCES withheld (id) ON DELETE CASCADE,
    repo TEXT NOT NULL,
    ref TEXT NOT NULL,
    PRIMARY KEY (rule, repo, ref)
) WITHOUT ROWID;
CREATE TABLE edits (
    chunk TEXT PRIMARY KEY,
    repo TEXT NOT NULL,
    ref TEXT NOT NULL,
    text TEXT NOT NULL,
    at INTEGER NOT NULL,
    pending INTEGER NOT NULL
) WITHOUT ROWID
"""

_LINK_TABLES = """
ALTER TABLE items ADD COLUMN path TEXT NOT NULL DEFAULT '';
CREATE INDEX items_by_path ON items (path) WHERE path != '';
CREATE INDEX items_by_any_ref ON items (ref COLLATE NOCASE);
CREATE TABLE item_links (
    item INTEGER NOT NULL REFERENCES items (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    target TEXT NOT NULL COLLATE NOCASE,
    PRIMARY KEY (item, position)
) WITHOUT ROWID;
CREATE INDEX item_links_by_target ON item_links (target);
CREATE TABLE commit_links (
    commit_id INTEGER NOT NULL REFERENCES commits (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    target TEXT NOT NULL COLLATE NOCASE,
    PRIMARY KEY (commit_id, position)
) WITHOUT ROWID;
CREATE INDEX commit_links_by_target ON commit_links (target)
"""

_SOURCE_TABLES = """
CREATE TABLE sources (
    name TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    options TEXT NOT NULL,
    cursor TEXT NOT NULL DEFAULT '',
    pending TEXT NOT NULL DEFAULT '',
    paused INTEGER NOT NULL DEFAULT 0,
    added INTEGER NOT NULL,
    tried INTEGER,
    synced INTEGER,
    waits_until INTEGER NOT NULL DEFAULT 0,
    stamp TEXT NOT NULL DEFAULT '',
    code TEXT NOT NULL DEFAULT '',
    error TEXT NOT NULL DEFAULT '',
    hint TEXT NOT NULL DEFAULT '',
    notes TEXT NOT NULL DEFAULT '[]'
) WITHOUT ROWID;
CREATE TABLE source_items (
    source TEXT NOT NULL REFERENCES sources (name) ON DELETE CASCADE,
    item INTEGER NOT NULL REFERENCES items (id) ON DELETE CASCADE,
    PRIMARY KEY (source, item)
) WITHOUT ROWID;
CREATE INDEX source_items_by_item ON source_items (item)
"""
