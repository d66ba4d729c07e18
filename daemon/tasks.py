"""The tasks of the worker, the one process that writes memory."""

from __future__ import annotations

from enum import StrEnum

from ..agents.contract import Lane


class Task(StrEnum):
    """What the worker can do, most urgent first."""

    FORGET = "forget"
    AMEND = "amend"
    """What a person changed or deleted by hand."""
    MINUTES = "minutes"
    """What councils decided."""
    DISCOVER = "discover"
    """What a source that a person is adding has to offer."""
    READ = "read"
    SYNC = "sync"
    """What is new in one source."""
    REBUILD = "rebuild"
    LINKS = "links"
    """What the commits name that an older version read."""
    VECTORS = "vectors"
    REHEARSE = "rehearse"
    """A night that writes nothing, and says what one would change."""
    THEMES = "themes"
    """The part of a night that makes themes, of one repository or of all."""
    CONSOLIDATE = "consolidate"
    """A whole night."""
    UPKEEP = "upkeep"


YIELDING = frozenset(
    {
        *(Task.SYNC, Task.REBUILD, Task.LINKS, Task.VECTORS, Task.REHEARSE, Task.THEMES),
        *(Task.CONSOLIDATE, Task.UPKEEP),
    }
)
"""Tasks that stop for a more urgent one and go on afterwards where they were."""

_URGENCY = {task: number for number, task in enumerate(Task)}


def urgency(task: Task, lane: Lane) -> tuple[bool, int, int]:
    """Return by what tasks are ordered; the least goes first.

    What makes memory searchable goes before what only makes it better, whoever asked for that:
    vectors of a large history take minutes, and a commit is read in a moment.
    """
    return task in YIELDING, int(lane), _URGENCY[task]
