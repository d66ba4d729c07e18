"""The tables of the vector store: their names, columns, and how chunks become rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .embedders.protocol import Embedder, Vectors
from .lance import lancedb, pyarrow
from .records import INDEX_TEXT_LIMIT, Chunk, Kind, chunk_id
from .text import storable
from .tokens import terms

CHUNKS = "chunks"

LIGHT = ("id", "repo", "source", "kind", "ref", "path", "part", "author", "email", "time")
"""Columns that filters use and that hits carry."""

SHOWN = (*LIGHT, "title", "text", "gist")
"""Columns that make a chunk again."""

MAX_TERM_BYTES = 300
"""Longest token full text keeps; the tokenizer cuts its terms well below it."""


@dataclass(frozen=True, slots=True)
class VectorSet:
    """The vectors of one embedder: one table for each kind of chunk."""

    embedder: str
    dimension: int
    scheme: str

    @property
    def name(self) -> str:
        """What its tables start with, e.g. ``vectors_static_256_wordllama-2``."""
        return f"vectors_{self.embedder}_{self.dimension}_{self.scheme}"

    def table(self, kind: Kind) -> str:
        """Return the table of one kind."""
        return f"{self.name}_{kind.value}"


def vector_set(embedder: Embedder) -> VectorSet:
    """Return the set that ``embedder`` writes and reads."""
    return VectorSet(_word(embedder.name), embedder.dimension, _word(embedder.scheme))


def parse_vector_set(name: str) -> VectorSet | None:
    """Given a table's name, with or without its kind, return the set; None for another table."""
    found = re.fullmatch(r"vectors_([a-z0-9.-]+)_(\d+)_([a-z0-9.-]+)(?:_message|_context)?", name)
    return VectorSet(found[1], int(found[2]), found[3]) if found else None


def is_ours(name: str) -> bool:
    """Return whether a table is one of memory's; its place may hold others."""
    return name == CHUNKS or parse_vector_set(name) is not None


def _word(text: str) -> str:
    return re.sub(r"[^a-z0-9.-]+", "-", text.lower())


def chunk_schema() -> Any:
    """Return the schema of the chunks table."""
    pa = pyarrow()
    return pa.schema([*_light_fields(), *((name, pa.string()) for name in _HEAVY)])


_HEAVY = ("title", "text", "message", "context", "gist")


def vector_schema(dimension: int) -> Any:
    """Return the schema of a vector table."""
    pa = pyarrow()
    return pa.schema([*_light_fields(), ("vector", pa.list_(pa.float32(), dimension))])


def _light_fields() -> list[tuple[str, Any]]:
    pa = pyarrow()
    types = {"part": pa.int32(), "time": pa.int64()}
    return [(name, types.get(name, pa.string())) for name in LIGHT]


def chunk_rows(chunks: Sequence[Chunk]) -> Any:
    """Given chunks, return the rows of the chunks table."""
    columns = _light_columns(chunks)
    columns["title"] = [storable(chunk.title) for chunk in chunks]
    columns["text"] = [storable(chunk.text) for chunk in chunks]
    for kind in Kind:
        columns[kind.value] = [
            " ".join(terms(storable(chunk.index_text))) if chunk.kind is kind else None
            for chunk in chunks
        ]
    columns["gist"] = [_gist(chunk) for chunk in chunks]
    return pyarrow().table(columns, schema=chunk_schema())


def _gist(chunk: Chunk) -> str | None:
    return None if chunk.index_text == chunk.text else storable(chunk.index_text)[:INDEX_TEXT_LIMIT]


def vector_rows(light: Any, vectors: Vectors) -> Any:
    """Given rows with the light columns and one vector for each, return a vector table's rows."""
    pa = pyarrow()
    dimension = vectors.shape[1]
    column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), dimension)
    return pa.table(
        [*(light[name].combine_chunks() for name in LIGHT), column],
        schema=vector_schema(dimension),
    )


def _light_columns(chunks: Sequence[Chunk]) -> dict[str, list[Any]]:
    return {
        "id": [
            chunk_id(chunk.repo, chunk.ref, storable(chunk.path), chunk.part) for chunk in chunks
        ],
        "repo": [chunk.repo for chunk in chunks],
        "source": [chunk.source for chunk in chunks],
        "kind": [chunk.kind.value for chunk in chunks],
        "ref": [chunk.ref for chunk in chunks],
        "path": [storable(chunk.path) for chunk in chunks],
        "part": [chunk.part for chunk in chunks],
        "author": [storable(chunk.author) for chunk in chunks],
        "email": [storable(chunk.email) for chunk in chunks],
        "time": [chunk.time for chunk in chunks],
    }


def as_chunk(row: dict[str, Any], edited: int | None = None) -> Chunk:
    """Given a row with the SHOWN columns, and when a person changed it, return the chunk; its index
    text may be cut short."""
    gist: str | None = row.pop("gist")
    row["kind"] = Kind(row["kind"])
    return Chunk(**row, index_text=row["text"] if gist is None else gist, edited=edited)


def full_text_index() -> Any:
    """Return the index over text that is tokenised already: split at blanks, nothing else."""
    return lancedb("index").FTS(
        base_tokenizer="whitespace",
        max_token_length=MAX_TERM_BYTES,
        lower_case=False,
        stem=False,
        remove_stop_words=False,
        ascii_folding=False,
        with_position=False,
    )
