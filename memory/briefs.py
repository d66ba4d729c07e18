"""What briefs have told, and what the person said to it."""

from __future__ import annotations

import sqlite3

from .database import Database


def m005_briefs(db: sqlite3.Connection) -> None:
    """Make the tables of what was told and how it was rated."""


class Briefs:
    """What was told, by day, and ratings by topic."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def forget(self, repo: str) -> None:
        """Remove everything of one repository."""
