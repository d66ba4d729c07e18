"""Drift that was found in documents, the fixes that are proposed, and what a person said to them."""

from __future__ import annotations

import sqlite3

from .database import Database


def m004_drift(db: sqlite3.Connection) -> None:
    """Make the tables of proposals and dismissals."""


class Proposals:
    """Drift that is open, accepted, dismissed, or gone by itself."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def forget(self, repo: str) -> None:
        """Remove everything of one repository."""
