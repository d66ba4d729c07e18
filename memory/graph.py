"""The shape of history: who follows whom, read without what commits touch."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from .history import State


@dataclass(frozen=True, slots=True)
class Node:
    """A commit in the shape of history."""

    sha: str
    parents: tuple[str, ...]
    time: int
    """When it was authored."""
    committed: int
    subject: str
    author: str
    email: str


def read_graph(db: sqlite3.Connection, repo: str, since: int) -> list[Node]:
    """Return the live commits of a repository that were authored or committed ``since`` then, the
    first committed first."""
    rows = db.execute(
        "SELECT c.sha, c.parents, c.time, c.committed, c.subject, p.name, p.email"
        " FROM commits c JOIN people p ON p.id = c.person"
        f" WHERE c.repo = ? AND c.state = {State.LIVE:d} AND (c.time >= ? OR c.committed >= ?)"
        " ORDER BY c.committed, c.time, c.sha",
        (repo, since, since),
    )
    return [Node(row[0], tuple(row[1].split()), *row[2:]) for row in rows]
