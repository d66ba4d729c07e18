"""The one SQLite file: what a failed transaction leaves behind."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from hermes.memory.database import Database


def test_an_end_that_fails_leaves_no_transaction_open(tmp_path: Path) -> None:
    database = Database(tmp_path / "memory.db")
    with pytest.raises(sqlite3.IntegrityError), database.writing() as db:
        db.execute("PRAGMA defer_foreign_keys = ON")  # so that it is the end that fails
        db.execute("INSERT INTO tips VALUES ('nowhere', 'refs/heads/main', 'a')")
    with database.writing() as db:
        db.execute("INSERT INTO settings VALUES ('key', 'value')")
    with database.reading() as db:
        assert db.execute("SELECT count(*) FROM tips").fetchone() == (0,)
        assert db.execute("SELECT value FROM settings").fetchone() == ("value",)
    database.close()
