"""Chunks that a person changed by hand: what they say instead, kept over every reading of their
source."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from .database import Database
from .history import LISTED, listed
from .records import Chunk, Kind
from .text import storable

TITLE_LIMIT = 500
"""Characters of a message's first line that stand for it."""

_COLUMNS = "chunk, repo, ref, text, at, pending"


class Stage(IntEnum):
    """How far an edit is carried out."""

    DONE = 0
    WRITING = 1
    """The store does not say so yet."""
    UNDOING = 2
    """The person wants back what the source says."""


@dataclass(frozen=True, slots=True)
class Edit:
    """What one chunk says since a person changed it."""

    chunk: str
    """The chunk's id."""
    repo: str
    ref: str
    text: str
    at: int
    stage: Stage


class Edits:
    """The edits of one database. Safe to share between threads."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, chunk: Chunk, text: str, at: int) -> None:
        """Write down what a chunk is to say."""
        with self._database.writing() as db:
            db.execute(
                f"INSERT INTO edits ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (chunk) DO UPDATE SET text = excluded.text, at = excluded.at,"
                " pending = excluded.pending",
                (chunk.id, chunk.repo, chunk.ref, storable(text), at, Stage.WRITING),
            )

    def undo(self, chunk: str) -> None:
        """Write down that a chunk is to say what its source says."""
        with self._database.writing() as db:
            db.execute("UPDATE edits SET pending = ? WHERE chunk = ?", (Stage.UNDOING, chunk))

    def all(self) -> list[Edit]:
        """Return every edit, in order of the chunks' ids."""
        return self._read("1", ())

    def pending(self) -> list[Edit]:
        """Return what is not carried out yet."""
        return self._read("pending", ())

    def of(self, ids: Iterable[str]) -> dict[str, Edit]:
        """Return those of these chunks that were edited, each with its edit; most were not."""
        return {edit.chunk: edit for edit in self._read(f"chunk IN {LISTED}", (listed(ids),))}

    def finish(self, edit: Edit, *, undone: bool = False) -> None:
        """Say that the store says so now, or what its source says again. What a person has asked
        for meanwhile is left to the next time."""
        same = (edit.chunk, edit.text, edit.at, edit.stage)
        where = "chunk = ? AND text = ? AND at = ? AND pending = ?"
        with self._database.writing() as db:
            if undone:
                db.execute(f"DELETE FROM edits WHERE {where}", same)
            else:
                db.execute(f"UPDATE edits SET pending = {Stage.DONE:d} WHERE {where}", same)

    def delete(self, ids: Iterable[str]) -> None:
        """Forget the edits of chunks that are gone for good."""
        with self._database.writing() as db:
            db.execute(f"DELETE FROM edits WHERE chunk IN {LISTED}", (listed(ids),))

    def dates(self, ids: Iterable[str]) -> dict[str, int]:
        """Return when those of these chunks were edited that say so by now."""
        found = self.of(ids).values()
        return {edit.chunk: edit.at for edit in found if edit.stage is not Stage.WRITING}

    def applied(self, chunks: Sequence[Chunk]) -> list[Chunk]:
        """Return chunks as their source has them with what a person made of some of them."""
        edits = self.of(chunk.id for chunk in chunks)
        return [
            chunk
            if (edit := edits.get(chunk.id)) is None or edit.stage is Stage.UNDOING
            else edited(chunk, edit.text, edit.at)
            for chunk in chunks
        ]

    def _read(self, where: str, values: Sequence[str]) -> list[Edit]:
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT {_COLUMNS} FROM edits WHERE {where} ORDER BY chunk", values
            ).fetchall()
        return [Edit(row[0], row[1], row[2], row[3], row[4], Stage(row[5])) for row in rows]


def edited_on(at: int | None) -> str:
    """Return how it is said of a chunk when a person changed it; empty where nobody did."""
    return "" if at is None else f"edited by hand on {time.strftime('%Y-%m-%d', time.gmtime(at))}"


def edited(chunk: Chunk, text: str, at: int) -> Chunk:
    """Return a chunk with other words: all of them are searched, a message's first line is its
    title."""
    if chunk.source == "git" and chunk.kind is Kind.MESSAGE and not chunk.path and not chunk.part:
        title = text.partition("\n")[0].strip()[:TITLE_LIMIT]
        return replace(chunk, title=title, text=text, index_text=text, edited=at)
    words = "\n".join(part for part in (chunk.title, chunk.path, text) if part)
    return replace(chunk, text=text, index_text=words, edited=at)
