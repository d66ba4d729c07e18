"""What all watched repositories share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from .batch import LONGEST, QUIET
from .heads import Accept, Heads
from .inotify import Inotify


@dataclass(frozen=True, slots=True)
class Timing:
    """All in seconds."""

    quiet: float = QUIET
    longest: float = LONGEST
    rescan: float = 900.0
    """Between two looks at everything, which find what events missed."""
    poll: float = 10.0
    """The same where there are no events, at least."""
    gone: float = 60.0
    """Between two looks for a repository that is gone, if nothing tells of its return."""


@dataclass(slots=True)
class Around:
    """The surroundings of each repository's watch."""

    accept: Accept
    heads: Heads
    folder: Path
    """Where snapshots are kept."""
    own: tuple[Path, ...]
    """Folders that hermes writes to."""
    report: Callable[[], None]
    """Called when a repository is watched better or worse than before."""
    on_heads: Callable[[], None] = lambda: None
    """Called at once when HEAD or a ref may have moved; it is told once that is certain."""
    timing: Timing = field(default_factory=Timing)
    inotify: Inotify | None = None
    why_not: str = ""
    """Why there is no inotify."""
    walking: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))
    """Held while a whole worktree is looked at: one at a time."""
