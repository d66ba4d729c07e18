"""When the person works: days, hours, holidays and vacations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Calendar:
    """The person's working time, as settings have it."""

    days: str = "mon-fri"
    hours: str = "09:00-17:30"
    off: Sequence[str] = ()
    """Days and spans without work: ``2026-12-25``, ``2026-12-27..2027-01-03``."""
