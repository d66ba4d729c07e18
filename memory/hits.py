"""Hits: what a search of the store finds, without the text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .filters import REFS_IN_SQL, where
from .records import Filters, Kind

_HIT_COLUMNS = ("id", "ref", "path", "time")
"""Each more costs about half a millisecond a search: they are read row by row."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that a search found, without its text."""

    id: str
    ref: str
    kind: Kind
    path: str
    time: int
    score: float
    """BM25 for full text, cosine similarity for vectors."""


def find(
    search: Callable[[], Any],
    kind: Kind,
    score: str,
    filters: Filters,
    limit: int,
) -> list[Hit]:
    """Run a search of one kind of chunk, best first; ``score`` is the column it ranks by.

    With more refs than a condition holds it asks for more and sifts, until there are enough.
    """
    condition = where(filters)
    sift = filters.refs if filters.refs and len(filters.refs) > REFS_IN_SQL else None
    wanted = limit if sift is None else limit * 4
    while True:
        query = search().limit(wanted).select([*_HIT_COLUMNS, score])
        if condition:
            query = query.where(condition)
        columns = query.to_arrow().to_pydict()
        scores = columns[score]
        if score == "_distance":
            scores = [1.0 - distance for distance in scores]
        rows = zip(*(columns[name] for name in _HIT_COLUMNS), scores, strict=True)
        hits = [
            Hit(id, ref, kind, path, time, value)
            for id, ref, path, time, value in rows
            if sift is None or ref in sift
        ]
        if sift is None or len(hits) >= limit or len(columns[score]) < wanted:
            return hits[:limit]
        wanted *= 4
