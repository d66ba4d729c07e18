"""Choosing the embedder that settings name, or the best one that is there."""

from __future__ import annotations

from ..errors import EmbedderError
from ..tables import VectorSet, vector_set
from .protocol import Embedder
from .static import StaticEmbedder


def for_vectors(vectors: VectorSet) -> Embedder | None:
    """Given vectors that are in the store, return the embedder to ask them with, if it is there."""
    try:
        embedder = StaticEmbedder() if vectors.embedder == "static" else None
    except EmbedderError:
        return None
    return embedder if embedder is not None and vector_set(embedder) == vectors else None
