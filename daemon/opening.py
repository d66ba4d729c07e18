"""Opens the memory as paths and settings say: for the daemon to read, for the worker to write."""

from __future__ import annotations

from ..memory.embedders.choose import choose
from ..memory.memory import Memory
from .paths import Paths
from .settings import Settings


def open_memory(
    paths: Paths, settings: Settings, *, write: bool = False, wait: float = 0.0
) -> Memory:
    """Return the memory of this home with its embedder. Raise as `Memory.open` does."""
    embedder = choose(
        settings.embedder.provider,
        model=settings.embedder.model,
        host=settings.ollama.host,
        minilm_folder=settings.embedder.minilm_folder,
    )
    return Memory.open(
        paths.memory,
        embedder=embedder,
        uri=settings.store.uri or None,
        storage_options=settings.store.storage_options or None,
        write=write,
        wait=wait,
    )
