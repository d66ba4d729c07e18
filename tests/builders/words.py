"""An embedder whose vectors say how many words two texts share; no weights, no server."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import numpy as np

from hermes.memory.embedders.protocol import Vectors


class WordEmbedder:
    """Hashes words into a few dimensions. Real enough for the store: near texts are near."""

    def __init__(self, name: str = "words", dimension: int = 64, scheme: str = "1") -> None:
        self.name = name
        self.dimension = dimension
        self.scheme = scheme
        self.seen: list[str] = []
        """Every document embedded, in order."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector for each text."""
        self.seen += texts
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        """Return the text's unit vector."""
        vector = np.zeros(self.dimension, dtype=np.float32)
        for word in re.findall(r"\w+", text.lower()) or [""]:
            digest = hashlib.sha256(f"{self.scheme}{word}".encode()).digest()
            for place, weight in zip(digest[:8], digest[8:16], strict=True):
                vector[place % self.dimension] += 0.5 + weight / 256
        return vector / np.float32(np.linalg.norm(vector))
