"""Opens the memory as paths and settings say: for the daemon to read, for the worker to write."""

from __future__ import annotations

from ..memory.embedders.choose import Choice, choice
from ..memory.embedders.protocol import Embedder
from ..memory.memory import Memory
from ..memory.serving import serving_embedder
from .paths import Paths
from .settings import Settings


def indexed_key(repo: str) -> str:
    """Return under which setting of the index it says when a repository was last read."""
    return f"indexed.{repo}"


def choose_embedder(paths: Paths, settings: Settings) -> Choice:
    """Return the embedder that the settings mean, and what is missing for a better one."""
    return choice(
        settings.embedder.provider,
        model=settings.embedder.model,
        host=settings.ollama.host,
        minilm_folder=settings.embedder.minilm_folder,
        keep=serving_embedder(paths.memory),
    )


def open_memory(
    paths: Paths,
    settings: Settings,
    embedder: Embedder | None,
    *,
    write: bool = False,
    wait: float = 0.0,
) -> Memory:
    """Return the memory of this home. Raise as `Memory.open` does."""
    return Memory.open(
        paths.memory,
        embedder=embedder,
        uri=settings.store.uri or None,
        storage_options=settings.store.storage_options or None,
        write=write,
        wait=wait,
    )
