"""The schedule's entries: what runs when, and what becomes of a time that passed unused."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from .cron import Cron

Late = Literal["skip", "once", "always"]
"""``skip``: a time that passed is dropped; ``once``: all that passed make one run; ``always``:
each makes a run of its own."""

GRACE_SECONDS = 300.0
"""A run that starts so much after its time is not late yet."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the schedule."""

    name: str
    cron: Cron
    agent: str
    subject: str = ""
    late: Late = "once"
    grace: float = GRACE_SECONDS
    repo: str | None = None


def defaults(home: str) -> Mapping[str, Entry]:
    """Given where hermes's state lies, return the entries there are without any settings.

    The rescan's minute is the home's own, so that the daemons of one machine, or of a whole team
    on one file server, don't all start at once.
    """
    minute = zlib.crc32(home.encode("utf-8", "surrogateescape")) % 60
    return {
        "upkeep": Entry("upkeep", Cron.parse("10 3 * * *"), "indexer", "upkeep", "once"),
        "rescan": Entry("rescan", Cron.parse(f"{minute} * * * *"), "indexer", "rescan", "skip"),
    }
