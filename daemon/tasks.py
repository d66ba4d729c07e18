"""The tasks of the worker, the one process that writes memory."""

from __future__ import annotations

from enum import StrEnum

from ..agents.contract import Lane


class Task(StrEnum):
    """What the worker can do, most urgent first."""

    FORGET = "forget"
    READ = "read"
    REBUILD = "rebuild"
    VECTORS = "vectors"
    UPKEEP = "upkeep"


YIELDING = frozenset({Task.VECTORS, Task.UPKEEP})
"""Tasks that stop for a more urgent one and go on afterwards where they were."""

_URGENCY = {task: number for number, task in enumerate(Task)}


def urgency(task: Task, lane: Lane) -> tuple[bool, int, int]:
    """Return by what tasks are ordered; the least goes first.

    What makes memory searchable goes before what only makes it better, whoever asked for that:
    vectors of a large history take minutes, and a commit is read in a moment.
    """
    return task in YIELDING, int(lane), _URGENCY[task]
