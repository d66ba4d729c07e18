"""Changes by hand, on the worker's side: what was edited, taken back or deleted is carried out."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ..ingest.git.command import Git
from ..ingest.git.ingest import read_again
from ..ingest.items import chunks_of
from ..memory import amending
from ..memory.edits import Edit
from ..memory.errors import HermesError
from ..memory.memory import Memory
from ..memory.records import Chunk
from .settings import Settings


class NoOriginal(HermesError):
    """What was edited can't be had from its source any more."""

    code = "no_original"


def amend(memory: Memory, settings: Settings) -> dict[str, Any]:
    """Carry out what waits, and return a report."""
    return asdict(amending.amend(memory, lambda edit: _original(memory, settings, edit)))


def _original(memory: Memory, settings: Settings, edit: Edit) -> Chunk:
    """Read again what an edit was made of."""
    item = memory.index.items.get(edit.ref)
    if item is not None:
        found = chunks_of(item)
    else:
        repo = memory.index.repo(edit.repo)
        if repo is None:
            raise NoOriginal("its repository is not in memory any more")
        found = read_again(
            Git.open(repo.path),
            repo.id,
            edit.ref,
            exclude=settings.ingest.exclude,
            max_file_bytes=settings.ingest.max_file_bytes,
        )
    left = memory.index.withheld.sieve().history((), found).chunks
    for chunk in left:
        if chunk.id == edit.chunk:
            return chunk
    raise NoOriginal("its source does not hold it any more")
