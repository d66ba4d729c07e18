"""Derive what is to be marked in memory, and what was so since when, from git and the items alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...ingest.git.command import Git
from ...memory.memory import Memory


@dataclass(frozen=True, slots=True)
class Derived:
    """What a run found. The same history and items give the same; ``changed`` is then 0."""

    finished: bool = True
    """False: it was stopped, nothing was written, and the next run begins anew."""
    folded: int = 0
    """Commits and items that another stands for."""
    ended: int = 0
    """Commits that were taken back, items of which the matter is closed."""
    faded: int = 0
    """Small talk and automatic commits, which count for less."""
    facts: int = 0
    """Of tickets and owners, those that are over included."""
    changed: int = 0
    """Marks and facts that are other than before."""


def derive(
    memory: Memory,
    repo: str,
    git: Git | None,
    *,
    now: int,
    should_stop: Callable[[], bool] = lambda: False,
) -> Derived:
    """Derive the marks and facts of one repository, or of the items of none where ``repo`` is empty.

    Blocking, for the writer: seconds for a large history. ``git`` only says who is who (.mailmap)
    and which branch is the main one; None where it can't be read. ``now`` is in seconds; only its
    day counts. Safe to be stopped or killed anywhere: marks and facts are each replaced whole.
    """
    memory.require_writer()
    return Derived(finished=not should_stop())
