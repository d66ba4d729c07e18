"""What memory asks of an embedder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns text into unit vectors. Raises EmbedderError when it can't."""

    @property
    def name(self) -> str:
        """What settings call it, e.g. ``static``."""
        ...

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        ...

    @property
    def scheme(self) -> str:
        """Version of weights, prefixes and text limit; vectors of two schemes don't compare."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Given documents, return one unit vector each: (len(texts), dimension)."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """Given a question, return its unit vector: (dimension,)."""
        ...
