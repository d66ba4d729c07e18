"""Drafts of commit messages, by the tree that they are for."""

from __future__ import annotations

import sqlite3

from .database import Database


def m003_drafts(db: sqlite3.Connection) -> None:
    """Make the table of drafts."""


class Drafts:
    """The newest draft of each repository's staged tree."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def forget(self, repo: str) -> None:
        """Remove everything of one repository."""
