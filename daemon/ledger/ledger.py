"""The ledger: one SQLite file with all that the runtime must not forget."""

from __future__ import annotations

import sqlite3
from contextlib import AbstractContextManager
from pathlib import Path

from ...memory.database import Database
from ...memory.errors import StoreDamaged
from . import trimming
from .calls import Calls
from .errors import LedgerDamaged
from .intake import Intake
from .journal import Journal
from .queue import Queue
from .schema import MIGRATIONS
from .traces import Traces
from .values import Values


class Ledger:
    """The open ledger and its parts. Safe to share between threads; calls take milliseconds, and
    what they wrote is on disk when they return.

    Any of them may raise NoSpace, ReadOnly or StoreBusy: then nothing of the call was done.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        self.journal = Journal(database)
        self.intake = Intake(database, self.journal)
        self.queue = Queue(database, self.journal)
        self.calls = Calls(database)
        self.traces = Traces(database)
        self.values = Values(database)

    @classmethod
    def open(cls, path: Path) -> Ledger:
        """Open ``path`` (``runtime.db``), made and brought up to date if need be.

        Raise LedgerDamaged, or as `Database` does StoreTooNew, NoMemory or ReadOnly.
        """
        try:
            return cls(Database(path, MIGRATIONS))
        except StoreDamaged as error:
            raise LedgerDamaged(path, str(error.__cause__ or error)) from error

    def close(self) -> None:
        """Close the file; calls after that fail."""
        self.database.close()

    def writing(self) -> AbstractContextManager[sqlite3.Connection]:
        """Hand out the connection in a transaction that the parts' calls in the block join, e.g.
        a row of another table and its journal entry; followers are woken when it is through."""
        return self.journal.writing()

    def trim(self, now: float) -> int:
        """Remove what is old or too much (see `trimming`); return how many rows went."""
        return trimming.trim(self.database, now)

    def bytes(self) -> int:
        """Return how much disk it takes, its write-ahead log included."""
        path = self.database.path
        files = (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm"))
        return sum(file.stat().st_size for file in files if file.exists())
