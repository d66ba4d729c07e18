"""How often each part of what is known was changed, so that what was made of it before can be told
from what would be made of it now.

SQLite's own triggers count, whoever writes; a number only ever grows. Commits are not counted: where
branches stand says as much.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

_COUNTED: Sequence[tuple[str, bool]] = (
    ("items", True),
    ("marks", True),
    ("facts", True),
    ("withheld", False),
    ("edits", False),
)
"""Tables, and whether each repository's rows are counted apart."""


def m003_generations(db: sqlite3.Connection) -> None:
    """Count the changes of what may change without a commit."""
    db.execute(
        "CREATE TABLE generations (part TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID"
    )
    for table, by_repo in _COUNTED:
        count_changes(db, table, by_repo=by_repo)


def count_changes(db: sqlite3.Connection, table: str, *, by_repo: bool) -> None:
    """Have every change of a table's rows counted in ``generations``."""
    for change, row in (("INSERT", "NEW"), ("UPDATE", "NEW"), ("DELETE", "OLD")):
        part = f"'{table}:' || {row}.repo" if by_repo else f"'{table}'"
        db.execute(
            f"CREATE TRIGGER {table}_{change.lower()} AFTER {change} ON {table} BEGIN"
            f" INSERT INTO generations VALUES ({part}, 1)"
            " ON CONFLICT (part) DO UPDATE SET number = number + 1; END"
        )


def forget_generations(db: sqlite3.Connection, repo: str) -> None:
    """Count nothing of a repository any more, in the transaction that is open."""
    db.execute("DELETE FROM generations WHERE substr(part, instr(part, ':') + 1) = ?", (repo,))


def read_generations(db: sqlite3.Connection) -> Mapping[str, int]:
    """Return how often each part was changed: ``items:<repository>``, ``withheld``."""
    return dict(db.execute("SELECT part, number FROM generations").fetchall())
