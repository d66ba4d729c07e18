"""Choosing the embedder that settings name, or the best one that is there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..errors import EmbedderError
from ..tables import VectorSet, vector_set
from .minilm import MiniLMEmbedder
from .ollama import DEFAULT_HOST, OllamaEmbedder
from .protocol import Embedder
from .static import StaticEmbedder

Provider = Literal["auto", "static", "ollama", "minilm", "none"]


@dataclass(frozen=True, slots=True)
class Choice:
    """The embedder to use, and what to tell the person about it."""

    embedder: Embedder | None
    note: str = ""
    """What is missing and what to do about it; empty when it is as the settings ask."""


def choose(
    provider: Provider,
    *,
    model: str = "nomic-embed-text",
    host: str = DEFAULT_HOST,
    minilm_folder: Path | None = None,
    keep: str | None = None,
) -> Embedder | None:
    """Return the embedder of ``choice``, without its note."""
    return choice(provider, model=model, host=host, minilm_folder=minilm_folder, keep=keep).embedder


def choice(
    provider: Provider,
    *,
    model: str = "nomic-embed-text",
    host: str = DEFAULT_HOST,
    minilm_folder: Path | None = None,
    keep: str | None = None,
) -> Choice:
    """Given the settings, choose an embedder. Never raises: without one, full text serves.

    ``keep`` names the embedder whose vectors the store has (`serving_embedder`): with ``auto``,
    Ollama's vectors are not thrown away because the server is off for a while.
    """
    try:
        match provider:
            case "none":
                return Choice(None)
            case "static":
                return Choice(StaticEmbedder())
            case "minilm":
                return Choice(_minilm(minilm_folder))
            case "ollama":
                return _ollama(OllamaEmbedder(model, host))
            case "auto":
                return _auto(model, host, keep)
    except EmbedderError as error:
        return Choice(None, f"full text only: {error.message}. {error.hint}".rstrip())


def _auto(model: str, host: str, keep: str | None) -> Choice:
    try:
        best = OllamaEmbedder(model, host)
        if keep == best.name or best.present():
            return _ollama(best)
    except EmbedderError:
        pass  # a model of unknown dimension, and no server to ask
    return Choice(
        StaticEmbedder(),
        f"the bundled embedder serves; with Ollama running, `ollama pull {model}` brings a better one",
    )


def _ollama(embedder: OllamaEmbedder) -> Choice:
    if embedder.present():
        return Choice(embedder)
    return Choice(
        embedder,
        f"full text only for now: Ollama at {embedder.host} is not there or lacks"
        f" {embedder.model}. Start it, or run `ollama pull {embedder.model}`.",
    )


def _minilm(folder: Path | None) -> MiniLMEmbedder:
    if folder is None:
        raise EmbedderError(
            "`[embedder] minilm_folder` is not set",
            hint="Name a folder with all-MiniLM-L6-v2's model.onnx and tokenizer.json there.",
        )
    return MiniLMEmbedder(folder)


def for_vectors(vectors: VectorSet) -> Embedder | None:
    """Given vectors that are in the store, return the embedder to ask them with, if it is there.

    That is needed only while another's are made, so a former MiniLM folder or Ollama host is not
    looked for.
    """
    try:
        match vectors.embedder:
            case "static":
                embedder: Embedder = StaticEmbedder()
            case "ollama":
                embedder = OllamaEmbedder(vectors.scheme.removesuffix("-1"))
                if not embedder.present():
                    return None
            case _:
                return None
    except EmbedderError:
        return None
    return embedder if vector_set(embedder) == vectors else None
