"""The ledger: one SQLite file with all that the runtime must not forget."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ...memory.database import Database
from .schema import MIGRATIONS


class Ledger:
    """The open ledger. Safe to share between threads; calls take milliseconds and fsync."""

    def __init__(self, database: Database) -> None:
        self.database = database

    @classmethod
    def open(cls, path: Path) -> Ledger:
        """Open ``path`` (``runtime.db``), made and brought up to date if need be.

        Raise as `Database` does: StoreTooNew, StoreDamaged, NoMemory or ReadOnly.
        """
        return cls(Database(path, MIGRATIONS))

    def close(self) -> None:
        """Close the file; calls after that fail."""
        self.database.close()

    @contextmanager
    def writing(self) -> Generator[sqlite3.Connection]:
        """Hand out the connection in a transaction; parts that are called in the block join it."""
        with self.database.writing() as db:
            yield db
