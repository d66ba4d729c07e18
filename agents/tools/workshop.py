"""What the tools of one question work on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ...ingest.git.command import Git
from ...memory.memory import Memory
from ...memory.records import Filters, Recollection
from ..evidence import Evidence
from ..people import People


@dataclass(frozen=True, slots=True)
class Workshop:
    """Everything is for reading; what a tool shows is numbered into ``evidence``."""

    memory: Memory
    recall: Callable[[Memory, str, Filters, int], Recollection]
    filters: Filters
    """What the question is confined to; no tool looks beyond it."""
    gits: Mapping[str, Git]
    """Repository id to its git; tools read no other repository."""
    evidence: Evidence
    people: People
    response_tokens: int
    """What one tool response may take."""
