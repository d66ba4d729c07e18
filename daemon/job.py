"""A piece of bulk work: what it does, where it stands, and who is told."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

Fields = dict[str, Any]


class Task(StrEnum):
    """What a job does, most urgent first."""

    FORGET = "forget"
    INDEX = "index"
    REBUILD = "rebuild"
    VECTORS = "vectors"
    MAINTAIN = "maintain"


URGENCY = {task: number for number, task in enumerate(Task)}
YIELDING = frozenset({Task.VECTORS, Task.MAINTAIN})
"""Tasks that stop for a more urgent one and go on afterwards where they were."""


class State(StrEnum):
    """Where a job stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


ENDED = frozenset({State.DONE, State.FAILED, State.CANCELLED})


@dataclass
class Job:
    """One piece of bulk work. ``changed`` is set, and replaced, at each change."""

    id: int
    task: Task
    repo: str | None
    state: State = State.WAITING
    phase: str = ""
    done: int = 0
    total: int = 0
    note: str = ""
    """The last thing that went wrong on the way, and what was done about it."""
    report: Fields = field(default_factory=dict[str, Any])
    error: Fields = field(default_factory=dict[str, Any])
    """If it failed: ``error``, ``hint`` and ``code``."""
    again: bool = False
    """Asked for once more while it was running."""
    unwanted: bool = False
    """Cancelled while it was running."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def change(self, **fields: Any) -> None:
        """Set fields and wake whoever watches."""
        for name, value in fields.items():
            setattr(self, name, value)
        before, self.changed = self.changed, asyncio.Event()
        before.set()

    def summary(self) -> Fields:
        """Return it for status."""
        fields: Fields = {
            "id": self.id,
            "task": str(self.task),
            "repo": self.repo,
            "state": str(self.state),
            "phase": self.phase,
            "done": self.done,
            "total": self.total,
        }
        if self.note:
            fields["note"] = self.note
        return fields | self.error
