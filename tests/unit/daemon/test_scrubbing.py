"""A database without what is forgotten, whatever its tables are."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes.daemon.scrubbing import cleaned_cell, count, forget_repo, scrub
from hermes.memory.database import Database
from hermes.tests.builders.searching import where_is


def clean(text: str) -> str:
    """Take a name out."""
    return text.replace("Zoë Roe", "[forgotten]")


def tables(db: sqlite3.Connection) -> None:
    """Make tables as the ledger has them."""
    db.execute("CREATE TABLE journal (number INTEGER PRIMARY KEY, at REAL, repo TEXT, text TEXT,"
               " fields TEXT)")  # fmt: skip
    db.execute("CREATE TABLE jobs (id INTEGER PRIMARY KEY, repo TEXT, text TEXT, ended_at REAL)")
    db.execute("CREATE TABLE tests (test TEXT PRIMARY KEY, why TEXT) WITHOUT ROWID")
    db.execute("CREATE TABLE trust (repo TEXT, path TEXT)")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A database with a name in all places."""
    opened = Database(tmp_path / "some.db", [tables])
    with opened.writing() as db:
        fields = json.dumps({"who": ["Zoë Roe"], "n": 1})
        db.execute("INSERT INTO journal VALUES (1, 10.0, 'r', 'Zoë Roe did it', ?)", (fields,))
        db.execute("INSERT INTO journal VALUES (2, 20.0, 's', 'Sam did it', '{}')")
        db.execute("INSERT INTO jobs VALUES (1, 'r', 'ask Zoë Roe', 10.0)")
        db.execute("INSERT INTO jobs VALUES (2, 's', 'ask Sam', NULL)")
        db.execute("INSERT INTO tests VALUES ('test_Zoë Roe', 'x')")
        db.execute("INSERT INTO tests VALUES ('test_a', 'as Zoë Roe said')")
        db.execute("INSERT INTO trust VALUES ('r', '/home/Zoë Roe/shop')")
    yield opened
    opened.close()


def rows(database: Database, table: str) -> list[tuple[object, ...]]:
    """Return all rows of a table."""
    with database.reading() as db:
        return db.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall()


def test_texts_are_cleaned_and_rows_that_are_known_by_one_go(database: Database) -> None:
    assert count(database, clean) == 4
    assert scrub(database, clean) == 4
    assert rows(database, "journal")[0][3:] == (
        "[forgotten] did it",
        '{"who": ["[forgotten]"], "n": 1}',
    )
    assert rows(database, "jobs")[0][2] == "ask [forgotten]"
    assert rows(database, "tests") == [("test_a", "as [forgotten] said")]
    assert count(database, clean) == 0
    left = where_is(database.path.parent, "Zoë Roe")
    assert left
    assert all("trust" in place or place.endswith("some.db") for place in left), left
    assert rows(database, "trust") == [("r", "/home/Zoë Roe/shop")], "a place is not renamed"


def test_what_is_old_goes_but_the_journal_has_no_holes(database: Database) -> None:
    assert scrub(database, str, before=15.0) == 2
    assert rows(database, "journal") == [
        (1, 10.0, "r", "", "{}"),
        (2, 20.0, "s", "Sam did it", "{}"),
    ]
    assert [row[0] for row in rows(database, "jobs")] == [2]


def test_a_repositorys_rows_go(database: Database) -> None:
    forget_repo(database, "r")
    assert [row[0] for row in rows(database, "jobs")] == [2]
    assert rows(database, "trust") == []
    assert rows(database, "journal")[0] == (1, 10.0, None, "", "{}")


@pytest.mark.parametrize(
    ("cell", "left"),
    [
        ("by Zoë Roe", "by [forgotten]"),
        ('{"a": "Zo\\u00eb Roe"}', '{"a": "[forgotten]"}'),
        ('["x", {"Zoë Roe": 1}]', '["x", {"[forgotten]": 1}]'),
        ('{"a":1}', '{"a":1}'),
        ("[Zoë Roe", "[[forgotten]"),
    ],
)
def test_the_texts_in_json_are_cleaned(cell: str, left: str) -> None:
    assert cleaned_cell(cell, clean) == left
