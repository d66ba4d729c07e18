"""What a writer was about to do to the vector store, on disk before it is done."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from .database import Database
from .errors import HermesError
from .history import State, insert_commits, set_state
from .items import delete_items, insert_items, mark_items_unread
from .marks import drop_marks
from .records import Commit, Item
from .withheld import note_touched, set_withheld


class Action(StrEnum):
    """What is being done."""

    WRITE = "write"
    ORPHAN = "orphan"
    FORGET = "forget"
    REBUILD = "rebuild"
    WRITE_ITEMS = "write_items"
    DELETE_ITEMS = "delete_items"


@dataclass(frozen=True, slots=True)
class Intent:
    """Something begun and not finished."""

    id: int
    repo: str
    """Empty where it concerns them all."""
    action: Action
    refs: tuple[str, ...]
    """Shas of commits, or references of items."""


class Intents:
    """The intents of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, repo: str, action: Action, refs: Iterable[str] = ()) -> Intent:
        """Put on disk what is about to be done."""
        refs = tuple(refs)
        with self._database.writing() as db:
            row = db.execute(
                "INSERT INTO intents (repo, action, shas) VALUES (?, ?, ?) RETURNING id",
                (repo, action, json.dumps(refs)),
            ).fetchone()
        return Intent(int(row[0]), repo, action, refs)

    def pending(self) -> list[Intent]:
        """Return what was begun and not finished, oldest first."""
        with self._database.reading() as db:
            rows = db.execute("SELECT id, repo, action, shas FROM intents ORDER BY id").fetchall()
        return [Intent(row[0], row[1], Action(row[2]), tuple(json.loads(row[3]))) for row in rows]

    def drop(self, intent: Intent) -> None:
        """Remove an intent that leaves nothing to do."""
        with self._database.writing() as db:
            db.execute("DELETE FROM intents WHERE id = ?", (intent.id,))

    def finish_write(
        self,
        intent: Intent,
        commits: Sequence[Commit],
        chunks: Mapping[str, int],
        withheld: Collection[str] = (),
        touched: Mapping[int, Collection[str]] = MappingProxyType({}),
    ) -> None:
        """Put ``commits`` in and remove the intent, in one transaction. Of those of ``withheld``
        nothing but the sha is told; ``touched`` says what rules have left something out of."""
        with self._database.writing() as db:
            if not db.execute("SELECT 1 FROM repos WHERE id = ?", (intent.repo,)).fetchone():
                raise HermesError(
                    f"repository {intent.repo} is not in memory",
                    hint="It may have been removed meanwhile; add it again with `hermes up`.",
                )
            insert_commits(db, commits, chunks)
            set_withheld(db, intent.repo, withheld)
            note_touched(db, intent.repo, touched)
            db.execute("DELETE FROM intents WHERE id = ?", (intent.id,))

    def finish_orphan(self, intent: Intent) -> None:
        """Mark the intent's commits as orphaned and remove it, in one transaction."""
        with self._database.writing() as db:
            set_state(db, intent.repo, intent.refs, State.ORPHANED)
            drop_marks(db, intent.refs)
            db.execute("DELETE FROM intents WHERE id = ?", (intent.id,))

    def finish_items(
        self,
        intent: Intent,
        items: Sequence[Item],
        chunks: Mapping[str, int],
        touched: Mapping[int, Collection[str]] = MappingProxyType({}),
    ) -> None:
        """Put ``items`` in and remove the intent, in one transaction."""
        with self._database.writing() as db:
            insert_items(db, items, chunks)
            note_touched(db, "", touched)
            db.execute("DELETE FROM intents WHERE id = ?", (intent.id,))

    def undo_items(self, intent: Intent) -> None:
        """Say of the intent's items, as they were before, that their chunks are to be made again,
        and remove it, in one transaction."""
        with self._database.writing() as db:
            mark_items_unread(db, intent.refs)
            db.execute("DELETE FROM intents WHERE id = ?", (intent.id,))

    def finish_delete(self, intent: Intent) -> None:
        """Remove the intent's items and it, in one transaction."""
        with self._database.writing() as db:
            delete_items(db, intent.refs)
            drop_marks(db, intent.refs)
            db.execute("DELETE FROM intents WHERE id = ?", (intent.id,))
