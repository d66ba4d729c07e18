"""Messages set down on disk while an export is read, to be had again thread by thread.

A thread may go on for months, and its answers stand in the files of their days. SQLite keeps what
it can't hold in a few megabytes in a temporary file of its own, which is gone when it is closed.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from types import TracebackType
from typing import Self

from .messages import Message, Voice

_BATCH = 500
_TABLE = """
CREATE TABLE messages (
    channel INTEGER NOT NULL, ts TEXT NOT NULL, thread TEXT NOT NULL, voice TEXT NOT NULL,
    version TEXT NOT NULL, said TEXT NOT NULL,
    PRIMARY KEY (channel, ts)
) WITHOUT ROWID;
CREATE INDEX by_thread ON messages (channel, thread, ts);
CREATE TABLE told (channel INTEGER NOT NULL, ts TEXT NOT NULL, PRIMARY KEY (channel, ts)) WITHOUT ROWID;
"""
_PUT = """
INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (channel, ts) DO UPDATE
SET thread = excluded.thread, voice = excluded.voice, version = excluded.version,
    said = excluded.said
WHERE excluded.version >= messages.version
"""


class Spool:
    """Messages by channel, whose number the caller gives; of each its latest state."""

    def __init__(self) -> None:
        self._db = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._db.executescript(f"PRAGMA journal_mode = OFF; PRAGMA cache_size = -8000; {_TABLE}")

    def __enter__(self) -> Self:
        self._db.execute("BEGIN")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._db.close()

    def put(self, channel: int, message: Message, version: str) -> None:
        """Set a message down, unless a later state of it is there."""
        said = json.dumps(
            [message.user, message.profile, message.text, message.files, message.edited]
            + [message.answered]
        )
        row = (channel, message.ts, message.thread, message.voice.value, version, said)
        self._db.execute(_PUT, row)

    def count(self, before: int | None = None, channel: int = -1, upto: str = "") -> int:
        """Return how many messages of persons there are: all; or only in the channels before a
        number and, of one channel, in the discussions up to a ``ts``."""
        where = "" if before is None else " AND (channel < ? OR (channel = ? AND thread <= ?))"
        values = () if before is None else (before, channel, upto)
        row = self._db.execute(
            f"SELECT count(*) FROM messages WHERE voice = 'person'{where}", values
        ).fetchone()
        return int(row[0])

    def tell(self, channel: int, ts: str) -> None:
        """Note that a discussion was made that is called after this message."""
        self._db.execute("INSERT OR IGNORE INTO told VALUES (?, ?)", (channel, ts))

    def lacks(self, channel: int, ts: str) -> bool:
        """Say whether there is no such discussion, though its time lies between the first message of
        the channel and the last."""
        first, last = self._db.execute(
            "SELECT min(ts), max(ts) FROM messages WHERE channel = ?", (channel,)
        ).fetchone()
        if first is None or not first <= ts <= last:
            return False
        told = self._db.execute("SELECT 1 FROM told WHERE channel = ? AND ts = ?", (channel, ts))
        return told.fetchone() is None

    def top(self, channel: int, after: str) -> Iterator[Message]:
        """Yield what answers nothing and a person said, oldest first, from behind a ``ts``."""
        while rows := self._db.execute(
            "SELECT ts, thread, voice, said, EXISTS (SELECT 1 FROM messages a INDEXED BY by_thread"
            " WHERE a.channel = m.channel AND a.thread = m.ts AND a.ts <> m.ts) FROM messages m"
            " WHERE channel = ? AND ts > ? AND ts = thread AND voice = 'person'"
            " ORDER BY ts LIMIT ?",
            (channel, after, _BATCH),
        ).fetchall():
            yield from map(_message, rows)
            after = rows[-1][0]

    def answers(self, channel: int, thread: str) -> Iterator[Message]:
        """Yield what was answered in a thread, oldest first."""
        yield from map(
            _message,
            self._db.execute(
                "SELECT ts, thread, voice, said, 0 FROM messages INDEXED BY by_thread"
                " WHERE channel = ? AND thread = ? AND ts <> thread ORDER BY ts",
                (channel, thread),
            ),
        )

    def lone_threads(self, channel: int, after: str) -> Iterator[tuple[str, Message | None]]:
        """Yield the threads whose first message no person said, or is gone, with that message, in
        order, from behind a ``ts``."""
        while rows := self._db.execute(
            "SELECT DISTINCT thread FROM messages m INDEXED BY by_thread"
            " WHERE channel = ? AND thread > ? AND ts <> thread AND NOT EXISTS"
            " (SELECT 1 FROM messages r WHERE r.channel = m.channel AND r.ts = m.thread"
            "  AND r.voice = 'person') ORDER BY thread LIMIT ?",
            (channel, after, _BATCH),
        ).fetchall():
            for (thread,) in rows:
                root = self._db.execute(
                    "SELECT ts, thread, voice, said, 1 FROM messages WHERE channel = ? AND ts = ?",
                    (channel, thread),
                ).fetchone()
                yield thread, _message(root) if root else None
            after = rows[-1][0]


def _message(row: tuple[str, str, str, str, int]) -> Message:
    ts, thread, voice, said, has_answers = row
    user, profile, text, files, edited, answered = json.loads(said)
    return Message(
        ts=ts,
        thread=thread,
        voice=Voice(voice),
        user=user,
        profile=profile,
        text=text,
        files=tuple(files),
        edited=edited,
        answered=answered or bool(has_answers),
    )
