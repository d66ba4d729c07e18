"""What is known of one model call when it is over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Call:
    """One call. Of one that did not end as it should, ``tokens_out`` counts the pieces that came."""

    agent: str
    model: str
    prompt: str
    """The prompt's name and version, e.g. ``route@2``; never its text."""
    tokens_in: int
    tokens_out: int
    seconds: float
    waited: float
    """Seconds before it, at the gate."""
    outcome: str
    """``ok``, ``preempted``, ``cancelled``, or the code of its error."""
    at: float
    host: str = ""
    job: int | None = None
    event: int | None = None


OnCall = Callable[[Call], None]
"""Told of each call when it is over, on the loop: it must not block."""
