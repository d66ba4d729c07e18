"""Vectors made unit length."""

from __future__ import annotations

import numpy as np

from .protocol import Vectors


def unit(vectors: Vectors) -> Vectors:
    """Scale rows to length 1; a row that is no direction at all becomes zero."""
    vectors = np.nan_to_num(vectors, nan=0.0, posinf=0.0, neginf=0.0)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return np.asarray(scaled, dtype=np.float32)
