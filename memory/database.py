"""One SQLite file: opened for writing, or for reading where the folder can't be written."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from .errors import HermesError, NoMemory, NoSpace, ReadOnly, StoreBusy, StoreDamaged, StoreTooNew
from .migrations import MIGRATIONS, Step, migrate, version
from .selection import add_functions

BUSY_SECONDS = 10.0
"""How long a write waits for another process's transaction."""


class Database:
    """A connection that several threads may share, one call or transaction at a time."""

    def __init__(self, path: Path, migrations: Sequence[Step] = MIGRATIONS) -> None:
        """Open ``path``, made and brought up to date by ``migrations`` if need be.

        Raise StoreTooNew before anything is touched, StoreDamaged, NoMemory or ReadOnly.
        """
        self.path = path
        self._migrations = migrations
        self.read_only = False
        self._lock = threading.RLock()
        self._depth = 0
        with self.errors():
            self._refuse_newer()
            self._connection = self._open()

    @contextmanager
    def errors(self) -> Generator[None]:
        """Turn SQLite's complaints into errors a person can act on."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise _translated(error, self.path) from error
        except sqlite3.DatabaseError as error:
            if isinstance(error, (sqlite3.IntegrityError, sqlite3.ProgrammingError)):
                raise
            raise StoreDamaged(self.path, str(error)) from error

    @contextmanager
    def reading(self) -> Generator[sqlite3.Connection]:
        """Hand out the connection for one or a few queries."""
        with self._lock, self.errors():
            yield self._connection

    @contextmanager
    def writing(self) -> Generator[sqlite3.Connection]:
        """Hand out the connection inside a transaction: all of the block or nothing."""
        if self.read_only:
            raise ReadOnly(self.path.parent)
        with self._lock, self.errors():
            db = self._connection
            if self._depth:  # inside another block of this thread: part of its transaction
                yield db
                return
            db.execute("BEGIN IMMEDIATE")
            self._depth += 1
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:  # a full disk has rolled back already
                    db.execute("ROLLBACK")
                raise
            finally:
                self._depth -= 1

    def rewrite(self) -> None:
        """Write the file anew and empty its log, so that nothing deleted is left in either. Raise
        StoreBusy if somebody goes on reading."""
        with self.reading() as db:
            db.execute("VACUUM")
        with self.reading() as db:
            # It waits for readers of other processes, who have still the old pages, as a write does.
            if db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                raise StoreBusy(self.path)

    def close(self) -> None:
        """Close the connection; the last one out folds the write-ahead log into the file."""
        with self._lock:
            self._connection.close()

    def _refuse_newer(self) -> None:
        if not self.path.exists() or self.path.stat().st_size == 0:
            return
        # Through SQLite, although the number stands in the header: closing the file ourselves
        # would drop the locks that other connections of this process hold on it. Immutable, so
        # that nothing is made beside it; what stands only in the log is looked at again below.
        db = _connect(self.path, "ro&immutable=1")
        try:
            found = version(db)
        except sqlite3.DatabaseError:
            # Not whole without its log: a full disk or a kill cut the folding-in short. SQLite
            # mends that when it opens both, and says there if the file is really damaged.
            return
        finally:
            db.close()
        self._refuse_newer_than_ours(found)

    def _open(self) -> sqlite3.Connection:
        folder = self.path.parent
        with suppress(OSError):  # a folder that can't be made is told of below
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK) or (
            self.path.exists() and not os.access(self.path, os.W_OK)
        ):
            return self._open_read_only()
        if not self.path.exists():
            # Made by us, so that it is private from its first byte on.
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        db = _connect(self.path, "rw")
        if version(db) > len(self._migrations):  # it stood in the write-ahead log only
            found = version(db)
            db.close()
            self._refuse_newer_than_ours(found)
        # Said only once: asking for it anew needs a lock that several starting at once don't get.
        if db.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            db.execute("PRAGMA journal_mode = WAL")
        # FULL: an intent must be on disk before the chunks it announces. Without it a power cut
        # could keep the chunks and lose the intent, and the batch would be read in twice.
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("PRAGMA secure_delete = ON")
        migrate(db, self._migrations)
        return db

    def _open_read_only(self) -> sqlite3.Connection:
        self.read_only = True
        if not self.path.exists():
            raise NoMemory(self.path.parent)
        try:
            db = _connect(self.path, "ro")
            found = version(db)
        except sqlite3.OperationalError:
            # A write-ahead log needs a shared-memory file, which can't be made here.
            db = _connect(self.path, "ro&immutable=1")
            found = version(db)
        if found != len(self._migrations):
            db.close()
            self._refuse_newer_than_ours(found)
            raise ReadOnly(self.path.parent)
        return db

    def _refuse_newer_than_ours(self, found: int) -> None:
        if found > len(self._migrations):
            raise StoreTooNew(self.path, found, len(self._migrations))


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    db = sqlite3.connect(
        f"file:{quote(str(path))}?mode={mode}",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    add_functions(db)
    return db


def _translated(error: sqlite3.OperationalError, path: Path) -> HermesError:
    name = getattr(error, "sqlite_errorname", "")
    if name == "SQLITE_FULL":
        return NoSpace(path.parent)
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreBusy(path)
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
        return ReadOnly(path.parent)
    if name == "SQLITE_IOERR_WRITE":
        return NoSpace(path.parent)
    return StoreDamaged(path, str(error))
