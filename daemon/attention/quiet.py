"""Quiet hours: on the wall clock, over midnight, also on the days when the clocks change."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import tzinfo

from ...memory.errors import HermesError
from ..triggers.cron import Cron

DAYS_3 = 3 * 86_400.0


class QuietRefused(HermesError):
    """Something else than two times of day."""

    code = "quiet"


@dataclass(frozen=True, slots=True)
class Quiet:
    """From one time of day to another, every day."""

    start: Cron
    end: Cron

    @classmethod
    def parse(cls, text: str) -> Quiet | None:
        """Given ``22:00-08:00``, return the quiet hours; None for an empty text, which means that
        there are none. Raise QuietRefused."""
        if not text.strip():
            return None
        found = re.fullmatch(r"\s*(\d{1,2}):(\d\d)\s*-\s*(\d{1,2}):(\d\d)\s*", text)
        if not found or int(found[1]) > 23 or int(found[3]) > 23 or max(found[2], found[4]) > "59":
            raise QuietRefused(f"{text!r} is not two times of day, such as 22:00-08:00")
        if found[1].zfill(2) + found[2] == found[3].zfill(2) + found[4]:
            raise QuietRefused(f"{text!r} begins when it ends; leave it empty for no quiet hours")
        return cls(
            Cron.parse(f"{int(found[2])} {int(found[1])} * * *"),
            Cron.parse(f"{int(found[4])} {int(found[3])} * * *"),
        )

    def at(self, now: float, zone: tzinfo) -> bool:
        """Return whether it is quiet at a moment: they began later than they last ended."""
        return self._last(self.start, now, zone) > self._last(self.end, now, zone)

    def ends(self, now: float, zone: tzinfo) -> float:
        """Return when they end next."""
        return self.end.next(now, zone)

    @staticmethod
    def _last(time: Cron, now: float, zone: tzinfo) -> float:
        return next(time.backwards(now, now - DAYS_3, zone), 0.0)
