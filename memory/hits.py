"""Searches of the store, and the hits they find, without the text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from .embedders.protocol import Vectors
from .filters import REFS_IN_SQL
from .lance import lancedb
from .records import Filters, Kind, chunk_id

NOTHING = Filters()
"""Filters that confine nothing."""

_COLUMNS = ("repo", "ref", "path", "part", "time")
"""What a search reads of each row: cheap ones, and the ref. The id is made of them instead."""


class Hit(NamedTuple):
    """A chunk that a search found, without its text. A tuple, for a question makes a thousand."""

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


@dataclass(frozen=True, slots=True)
class TextSearch:
    """Full text: chunks of a kind that hold some of the terms, best first by BM25."""

    kind: Kind
    terms: str
    """Separated by blanks."""
    filters: Filters = NOTHING
    limit: int = 200


@dataclass(frozen=True, slots=True)
class VectorSearch:
    """Chunks of a kind whose vectors are nearest to a unit vector, by cosine similarity."""

    kind: Kind
    vector: Vectors
    filters: Filters = NOTHING
    limit: int = 200


Search = TextSearch | VectorSearch


async def find(table: Any, search: Search, condition: str) -> list[Hit]:
    """Run one search of a table, best first. ``condition`` is what its filters make.

    With more refs than a condition holds it asks for more and sifts, until there are enough.
    """
    refs, limit = search.filters.refs, search.limit
    sift = refs if refs and len(refs) > REFS_IN_SQL else None
    wanted = limit if sift is None else limit * 4
    while True:
        if isinstance(search, TextSearch):
            match = lancedb("query").MatchQuery(search.terms, search.kind.value)
            query, score = table.query().nearest_to_text(match), "_score"
        else:
            query, score = table.query().nearest_to(search.vector), "_distance"
            query = query.distance_type("cosine")
        query = query.limit(wanted).select([*_COLUMNS, score])
        if condition:
            query = query.where(condition)
        columns = (await query.to_arrow()).to_pydict()
        scores = columns[score]
        if score == "_distance":
            scores = [1.0 - distance for distance in scores]
        rows = zip(*(columns[name] for name in _COLUMNS), scores, strict=True)
        hits = [
            Hit(repo, ref, search.kind, path, part, time, value)
            for repo, ref, path, part, time, value in rows
            if sift is None or ref in sift
        ]
        if sift is None or len(hits) >= limit or len(scores) < wanted:
            return hits[:limit]
        wanted *= 4
