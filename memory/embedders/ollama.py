"""Ollama's embedder, nomic-embed-text by default: better than the bundled one, needs the server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import EmbedderError
from .protocol import Vectors
from .unit import unit

DEFAULT_HOST = "http://127.0.0.1:11434"
_DIMENSIONS = {"nomic-embed-text": 768, "mxbai-embed-large": 1024, "all-minilm": 384}
"""Known beforehand, so that a server that is away for an hour does not change the store."""
_PREFIXES = {"nomic-embed-text": ("search_document: ", "search_query: ")}
_AT_ONCE = 32
_CHARACTERS = 2_000
_SHORTEST = 32
"""A text that fails even when cut down to so many characters gets the zero vector."""
_OPTIONS = {"num_ctx": 2048}
"""The same on every call: another value would make the server load the model again."""


class OllamaEmbedder:
    """Vectors from an Ollama server. Asks it when first used; raises EmbedderError."""

    name = "ollama"

    def __init__(self, model: str = "nomic-embed-text", host: str = DEFAULT_HOST) -> None:
        """Nothing is asked yet, except of a model whose dimension isn't known beforehand."""
        self.model = model.removesuffix(":latest")
        self.host = host
        self.scheme = f"{self.model}-1"
        family = self.model.partition(":")[0]
        self._document, self._query = _PREFIXES.get(family, ("", ""))
        self._client: Any = None
        self._dimension = _DIMENSIONS.get(family) or self._ask(["dimension"]).shape[1]

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return self._dimension

    def present(self, *, seconds: float = 1.0) -> bool:
        """Ask whether the server is there and has the model; False after ``seconds`` at most."""
        import httpx

        try:
            with httpx.Client(timeout=seconds, trust_env=False) as client:
                answer = client.get(f"{_base(self.host)}/api/tags")
                names = {str(model["name"]) for model in answer.json()["models"]}
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, TypeError):
            return False
        return bool({self.model, f"{self.model}:latest"} & names)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Given documents, return one unit vector each."""
        parts: list[Vectors] = [np.zeros((0, self.dimension), dtype=np.float32)]
        for start in range(0, len(texts), _AT_ONCE):
            some = [text[:_CHARACTERS] for text in texts[start : start + _AT_ONCE]]
            parts.append(self._embed(some, self._document))
        return unit(np.concatenate(parts))

    def embed_query(self, text: str) -> Vectors:
        """Given a question, return its unit vector."""
        vector: Vectors = unit(self._embed([text[:_CHARACTERS]], self._query))[0]
        return vector

    def _embed(self, texts: list[str], prefix: str) -> Vectors:
        """One bad text fails a whole batch: halve the batch, and then the text, until it goes."""
        vectors = self._try([prefix + text for text in texts])
        if vectors is not None and vectors.shape == (len(texts), self.dimension):
            return vectors
        if vectors is not None:
            raise EmbedderError(
                f"{self.model} gave vectors of shape {vectors.shape},"
                f" not {(len(texts), self.dimension)}",
                hint="The model was exchanged: name it with its tag in `[embedder] model`.",
            )
        if len(texts) > 1:
            middle = len(texts) // 2
            halves = (texts[:middle], texts[middle:])
            return np.concatenate([self._embed(half, prefix) for half in halves])
        if len(texts[0]) <= _SHORTEST:
            return np.zeros((1, self.dimension), dtype=np.float32)
        return self._embed([texts[0][: len(texts[0]) // 2]], prefix)

    def _try(self, texts: list[str]) -> Vectors | None:
        """Ask once; None where the server refuses what the texts hold."""
        import ollama

        try:
            vectors = self._ask(texts)
        except ollama.ResponseError as error:
            if error.status_code == 400 or "context length" in error.error:
                return None
            if error.status_code == 404:
                raise EmbedderError(
                    f"Ollama at {self.host} has no model {self.model}",
                    hint=f"Run `ollama pull {self.model}`.",
                ) from error
            raise EmbedderError(
                f"Ollama at {self.host} failed to embed: {error.error[:200]}",
                hint="See the server's log; it is tried again later.",
            ) from error
        return vectors if np.isfinite(vectors).all() else None

    def _ask(self, texts: list[str]) -> Vectors:
        import httpx
        import ollama

        if self._client is None:
            self._client = ollama.Client(
                self.host,
                timeout=httpx.Timeout(120.0, connect=2.0),  # a load may take a minute
                trust_env=False,  # a proxy has no business with a local server
            )
        try:
            answer = self._client.embed(
                model=self.model, input=texts, truncate=False, options=_OPTIONS
            )
            vectors = np.asarray(answer.embeddings, dtype=np.float32)
        except ollama.ResponseError:
            raise
        except (ConnectionError, httpx.TransportError) as error:
            raise EmbedderError(
                f"Ollama at {self.host} does not answer ({type(error).__name__})",
                hint="Start it with `ollama serve`; until then full text search serves.",
            ) from error
        except (ValueError, TypeError) as error:  # not JSON, or not what was asked for
            raise EmbedderError(
                f"what answers at {self.host} is not an Ollama server that can embed",
                hint="Check `[ollama] host`.",
            ) from error
        if vectors.ndim != 2:
            raise EmbedderError(
                f"Ollama at {self.host} gave no vectors for {self.model}",
                hint="Name an embedding model in `[embedder] model`, e.g. nomic-embed-text.",
            )
        return vectors


def _base(host: str) -> str:
    return (host if "://" in host else f"http://{host}").rstrip("/")
