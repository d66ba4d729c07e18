"""How many jobs may run at once, and which of them may start now. Pure."""

from __future__ import annotations

from collections.abc import Collection

from ..agents.contract import Lane
from .machine import Restraint

SLOTS = 3
"""Jobs that may run on the daemon's loop at once; one place is always free for on-demand."""
LONG_SLOTS = 3
"""The same for what takes minutes, beside these: nobody's draft waits until their tests have run."""
LIGHT_SLOTS = 2
"""The same for what takes a fraction of a second and is wanted in a moment: it is done also while
the machine is busy."""
BULK_SLOTS = 5
"""Jobs that may have a task with the worker at once, which does one of them. Vectors, upkeep and a
night can take three, one is left for a read, and one is always free for on-demand."""

BACKGROUND = frozenset({Lane.REACTIVE, Lane.SCHEDULED})
_NONE: frozenset[Lane] = frozenset()


def open_lanes(
    running: Collection[Lane], slots: int, restraint: Restraint = "go"
) -> frozenset[Lane]:
    """Given the lanes of what runs in a pool, return those of which one more may start there."""
    free = slots - len(running)
    if free <= 0:
        return _NONE
    on_demand = frozenset({Lane.ON_DEMAND})
    background = sum(lane in BACKGROUND for lane in running)
    most = {"go": slots, "slow": 1, "pause": 0}[restraint]
    return on_demand | BACKGROUND if free > 1 and background < most else on_demand
