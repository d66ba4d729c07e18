"""Numbered steps, each taken once, all or nothing."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from hermes.memory.database import Database
from hermes.memory.history import State
from hermes.memory.index import Index
from hermes.memory.migrations import MIGRATIONS, migrate, version


def test_a_new_database_takes_every_step_and_takes_it_once(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / "x.db", isolation_level=None)
    migrate(db)
    assert version(db) == len(MIGRATIONS)
    migrate(db)
    db.close()


def test_an_older_database_takes_the_steps_it_lacks_and_keeps_its_rows(tmp_path: Path) -> None:
    index = Index(tmp_path / "memory.db")
    repo = index.add_repo("shop", "/shop/.git", None, None)
    index.close()

    def add_column(db: sqlite3.Connection) -> None:
        db.execute("ALTER TABLE repos ADD COLUMN colour TEXT")

    Database(tmp_path / "memory.db", [*MIGRATIONS, add_column]).close()
    db = sqlite3.connect(tmp_path / "memory.db")
    assert db.execute("SELECT id, colour FROM repos").fetchall() == [(repo.id, None)]
    assert version(db) == len(MIGRATIONS) + 1
    db.close()


def test_what_older_versions_read_is_to_be_linked(tmp_path: Path) -> None:
    Database(tmp_path / "memory.db", MIGRATIONS[:3]).close()
    db = sqlite3.connect(tmp_path / "memory.db", isolation_level=None)
    db.execute("INSERT INTO repos VALUES ('a1', 'shop', '/shop/.git', NULL, NULL, 0)")
    db.execute("INSERT INTO people VALUES (1, 'Kim', 'kim@example.org')")
    for row, state in enumerate(State, start=1):
        values = (row, "a1", f"{row:040}", state, "", 1, 5, 5, "Count", 1)
        db.execute(f"INSERT INTO commits VALUES ({', '.join('?' * len(values))})", values)
    db.execute(
        "INSERT INTO items VALUES"
        " (1, 'council', 'council:7', 'thread', '', '', 'Redis', '', '', '', 5, 5, '', NULL, '', '', 1)"
    )
    db.close()
    index = Index(tmp_path / "memory.db")
    assert [item.ref for item in index.items.unread()] == ["council:7"]
    assert [(each.repo, each.sha) for each in index.unlinked.some(10)] == [("a1", f"{1:040}")]
    index.close()


def test_a_step_that_fails_leaves_the_database_as_it_was(tmp_path: Path) -> None:
    Index(tmp_path / "memory.db").close()

    def half(db: sqlite3.Connection) -> None:
        db.execute("ALTER TABLE repos ADD COLUMN colour TEXT")
        db.execute("ALTER TABLE no_such_table ADD COLUMN colour TEXT")

    db = sqlite3.connect(tmp_path / "memory.db", isolation_level=None)
    with pytest.raises(sqlite3.OperationalError):
        migrate(db, [*MIGRATIONS, half])
    assert version(db) == len(MIGRATIONS)
    assert "colour" not in [row[1] for row in db.execute("PRAGMA table_info(repos)")]
    db.close()
