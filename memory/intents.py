"""What a writer was about to do to the vector store, on disk before it is done."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from .database import Database
from .errors import HermesError
from .history import State, insert_commits, set_state
from .records import Commit


class Action(StrEnum):
    """What is being done."""

    WRITE = "write"
    ORPHAN = "orphan"
    FORGET = "forget"
    REBUILD = "rebuild"


@dataclass(frozen=True, slots=True)
class Intent:
    """Something begun and not finished."""

    id: int
    repo: str
    """Empty where it concerns them all."""
    action: Action
    shas: tuple[str, ...]


class Intents:
    """The intents of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, repo: str, action: Action, shas: Iterable[str] = ()) -> Intent:
        """Put on disk what is about to be done."""
        shas = tuple(shas)
        with self._database.writing() as db:
            row = db.execute(
                "INSERT INTO intents (repo, action, shas) VALUES (?, ?, ?) RETURNING id",
                (repo, action, json.dumps(shas)),
            ).fetchone()
        return Intent(int(row[0]), repo, action, shas)

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
        self, intent: Intent, commits: Sequence[Commit], chunks: Mapping[str, int]
    ) -> None:
        """Put ``commits`` in and remove the intent, in one transaction."""
        with self._database.writing() as db:
            if not db.execute("SELECT 1 FROM repos WHERE id = ?", (intent.repo,)).fetchone():
                raise HermesError(
                    f"repository {intent.repo} is not in memory",
                    hint="It may have been removed meanwhile; add it again with `hermes up`.",
                )
            insert_commits(db, commits, chunks)
            db.execute("DELETE FROM intents WHERE id = ?", (intent.id,))

    def finish_orphan(self, intent: Intent) -> None:
        """Mark the intent's commits as orphaned and remove it, in one transaction."""
        with self._database.writing() as db:
            set_state(db, intent.repo, intent.shas, State.ORPHANED)
            db.execute("DELETE FROM intents WHERE id = ?", (intent.id,))
