"""How far the Web API was read, channel by channel: what a cursor holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from .fields import as_row

MOST_HEADS = 1_000
"""Discussions of a channel that are remembered, to see which of them are gone or as they were."""


@dataclass(slots=True)
class Sweep:
    """A reading of a channel from its newest message down to where it was read before.

    Slack lists messages newest first, so a sweep that was broken off goes on below ``upto``.
    """

    top: str
    """The newest ``ts`` when it began, of messages and answers."""
    floor: str = ""
    """Down to where; empty: to the first message."""
    deep: bool = False
    upto: str = ""
    """Down to where it has come; empty: nowhere yet."""
    found: dict[str, str] = field(default_factory=dict[str, str])
    """The discussions that it came across, as `Read.heads`."""


@dataclass(slots=True)
class Read:
    """How far a channel was read."""

    seen: str = ""
    """The newest ``ts`` there was when it was last read through."""
    deep: str = ""
    """The same of the last reading that looked far back."""
    heads: dict[str, str] = field(default_factory=dict[str, str])
    """The latest discussions by their ``ts``; of threads with a fingerprint of their state."""
    sweep: Sweep | None = None
    """What was broken off."""


def read_cursor(cursor: str) -> dict[str, Read]:
    """Return what a cursor holds; nothing where it is empty or not one of ours."""
    try:
        said = as_row(json.loads(cursor or "{}"))
        return {channel: _read(state) for channel, state in as_row(said.get("channels")).items()}
    except (ValueError, TypeError):
        return {}


def as_cursor(states: Mapping[str, Read]) -> str:
    """Return the cursor of what was read."""
    channels = {channel: asdict(state) for channel, state in states.items()}
    return json.dumps({"channels": channels}, separators=(",", ":"))


def latest(heads: Mapping[str, str], floor: str) -> dict[str, str]:
    """Return the discussions from ``floor`` on, not more than are remembered."""
    kept = sorted(ts for ts in heads if ts >= floor)[-MOST_HEADS:]
    return {ts: heads[ts] for ts in kept}


def _read(value: object) -> Read:
    state: dict[str, Any] = dict(as_row(value))
    sweep: dict[str, Any] = dict(as_row(state.pop("sweep", None)))
    return Read(**state, sweep=Sweep(**sweep) if sweep else None)
