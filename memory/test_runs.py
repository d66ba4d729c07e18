"""The history of tests: every run, every result, and how each test stands now."""

from __future__ import annotations

import sqlite3

from .database import Database


def m002_test_runs(db: sqlite3.Connection) -> None:
    """Make the tables of runs, results and standings."""


class Runs:
    """What became of tests, by repository."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def forget(self, repo: str) -> None:
        """Remove everything of one repository."""
