"""Which tables and which vectors searches use: settings of the index, so that every process changes
over at once."""

from __future__ import annotations

from pathlib import Path

from .index import Index
from .tables import VectorSet, parse_vector_set

_KEY = "vectors.serving"
_TABLES = "store.tables"


def serving_tables(index: Index) -> str:
    """Return which folder of the store's place holds the tables; empty for the place itself."""
    return index.setting(_TABLES) or ""


def serving_settings(tables: str, vectors: VectorSet | None) -> dict[str, str | None]:
    """Return the settings that let searches use these tables and these vectors."""
    return {_TABLES: tables or None, _KEY: vectors.name if vectors else None}


def serving(index: Index) -> VectorSet | None:
    """Return the vectors that searches use; None before there are any."""
    name = index.setting(_KEY)
    return parse_vector_set(name) if name else None


def serve(index: Index, vectors: VectorSet | None) -> None:
    """Let searches use these vectors from now on."""
    index.set_setting(_KEY, vectors.name if vectors else None)


def serving_embedder(folder: Path) -> str | None:
    """Given a memory's folder, return whose vectors it searches; None before there are any."""
    if not (folder / "memory.db").exists():
        return None
    index = Index(folder / "memory.db")
    try:
        now = serving(index)
    finally:
        index.close()
    return now.embedder if now else None
