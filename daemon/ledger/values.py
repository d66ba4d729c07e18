"""Small things by name: whether hermes is paused, the tips seen last, when something ran last."""

from __future__ import annotations

import json
from typing import Any

from ...memory.database import Database


class Values:
    """What JSON can hold, by name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, name: str) -> Any | None:
        """Return the value, or None."""
        with self._database.reading() as db:
            row = db.execute('SELECT value FROM "values" WHERE name = ?', (name,)).fetchone()
        return json.loads(row[0]) if row else None

    def set(self, name: str, value: Any, now: float) -> None:
        """Keep ``value``, in place of what was there; nothing is written if it is the same."""
        text = json.dumps(value)
        with self._database.reading() as db:
            row = db.execute('SELECT value FROM "values" WHERE name = ?', (name,)).fetchone()
            if row and row[0] == text:
                return
            with self._database.writing():
                db.execute('INSERT OR REPLACE INTO "values" VALUES (?, ?, ?)', (name, text, now))

    def delete(self, name: str) -> None:
        """Forget it, if it is there."""
        with self._database.writing() as db:
            db.execute('DELETE FROM "values" WHERE name = ?', (name,))
