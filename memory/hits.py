"""Hits: what a search of the store finds, without the text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .filters import REFS_IN_SQL
from .records import Filters, Kind, chunk_id

_COLUMNS = ("repo", "ref", "path", "part", "time")
"""What a search reads of each row: cheap ones, and the ref. The id is made of them instead."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that a search found, without its text."""

    repo: str
    ref: str
    kind: Kind
    path: str
    part: int
    time: int
    score: float
    """BM25 for full text, cosine similarity for vectors."""

    @property
    def id(self) -> str:
        """The chunk's id. Reading it for hundreds of rows would cost as much as finding them."""
        return chunk_id(self.repo, self.ref, self.path, self.part)


def find(
    search: Callable[[], Any],
    kind: Kind,
    score: str,
    filters: Filters,
    condition: str,
    limit: int,
) -> list[Hit]:
    """Run a search of one kind of chunk, best first; ``score`` is the column it ranks by.

    ``condition`` is what the filters make. With more refs than a condition holds it asks for more and sifts, until there are enough.
    """
    sift = filters.refs if filters.refs and len(filters.refs) > REFS_IN_SQL else None
    wanted = limit if sift is None else limit * 4
    while True:
        query = search().limit(wanted).select([*_COLUMNS, score])
        if condition:
            query = query.where(condition)
        columns = query.to_arrow().to_pydict()
        scores = columns[score]
        if score == "_distance":
            scores = [1.0 - distance for distance in scores]
        rows = zip(*(columns[name] for name in _COLUMNS), scores, strict=True)
        hits = [
            Hit(repo, ref, kind, path, part, time, value)
            for repo, ref, path, part, time, value in rows
            if sift is None or ref in sift
        ]
        if sift is None or len(hits) >= limit or len(columns[score]) < wanted:
            return hits[:limit]
        wanted *= 4
