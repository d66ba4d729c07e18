"""The bundled embedder: a table of word vectors that is part of a wheel; no server, no download."""

from __future__ import annotations

import importlib
import importlib.util
import logging
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import EmbedderError
from .protocol import Vectors
from .unit import unit

_DIMENSION = 256
_CHARACTERS = 800
"""Longer texts are cut: what comes later takes time and finds nothing more (docs/benchmarks.md)."""
_AT_ONCE = 64


class StaticEmbedder:
    """wordllama's 256 dimensions. Thousands of texts a second on one core.

    Its weights are loaded when the first vector is made (0.2 s, 80 MB).
    """

    name = "static"
    dimension = _DIMENSION
    scheme = "wordllama-2"

    def __init__(self) -> None:
        """Raise EmbedderError where there is no wheel."""
        if importlib.util.find_spec("wordllama") is None:
            raise _missing()
        self._loading = threading.Lock()
        self._model: Any = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Given documents, return one unit vector each; an empty text gets the zero vector."""
        if not texts:
            return np.zeros((0, _DIMENSION), dtype=np.float32)
        model = self._loaded()
        parts: list[Vectors] = []
        for start in range(0, len(texts), _AT_ONCE):
            some = [text[:_CHARACTERS] for text in texts[start : start + _AT_ONCE]]
            parts.append(np.asarray(model.embed(some, norm=False), dtype=np.float32))
        return unit(np.concatenate(parts))

    def embed_query(self, text: str) -> Vectors:
        """Given a question, return its unit vector."""
        vector: Vectors = self.embed([text])[0]
        return vector

    def _loaded(self) -> Any:
        with self._loading:
            if self._model is None:
                self._model = _load()
            return self._model


def _load() -> Any:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        module = importlib.import_module("wordllama")
    except ImportError as error:
        raise _missing() from error
    # It sets up logging for all, and everybody's log lines would be on the terminal.
    for handler in set(root.handlers).difference(handlers):
        root.removeHandler(handler)
    root.setLevel(level)
    # Its default looks in the wrong folder and then on the network.
    place = Path(str(module.__file__)).parent
    return module.WordLlama.load(cache_dir=place, disable_download=True)


def _missing() -> EmbedderError:
    return EmbedderError(
        "the bundled embedder is not available for this platform or Python",
        hint="Full text search still serves; with Ollama, `ollama pull nomic-embed-text`.",
    )
