"""What the person is doing, as far as can be told: at work, between two things, or not to be
disturbed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import tzinfo
from typing import Any

from ..ledger.ledger import Ledger
from .decide import Moment
from .quiet import Quiet

IDLE_SECONDS = 300.0
"""After so long without a sign of the person, they are not in the middle of anything."""
BOUNDARY_SECONDS = 60.0
"""So long after a commit, or until the next save, a person has not begun with the next thing."""
BOUNDARIES = {
    "commit": "a commit",
    "tests": "the end of a test run",
    "idle": "a pause in your work",
}


class Person:
    """Kept in memory only: a restart may forget it."""

    def __init__(
        self, ledger: Ledger, quiet: Quiet | None, zone: Callable[[], tzinfo], now: float
    ) -> None:
        self._ledger = ledger
        self._quiet = quiet
        self._zone = zone
        self._active = now
        self._boundary = ("", float("-inf"))

    def active(self, now: float) -> None:
        """Note a sign of the person in the middle of something."""
        self._active = now
        self._boundary = ("", float("-inf"))

    def boundary(self, kind: str, now: float) -> None:
        """Note that they have just finished something, a key of BOUNDARIES."""
        self._boundary = (BOUNDARIES[kind], now)

    def moment(self, now: float) -> Moment:
        """Return what kind of moment it is."""
        self._active = min(self._active, now)  # the clock may have been put back
        what, at = self._boundary
        boundary = what if 0 <= now - at <= BOUNDARY_SECONDS else ""
        if not boundary and now - self._active >= IDLE_SECONDS:
            boundary = BOUNDARIES["idle"]
        pause = self._pause()
        paused = pause is not None and (pause.get("until") is None or pause["until"] > now)
        quiet = self._quiet is not None and self._quiet.at(now, self._zone())
        return Moment(now, quiet, paused, boundary)

    def changes(self, now: float) -> list[float]:
        """Return when the moment may be another one, if nothing happens before."""
        found = [self._active + IDLE_SECONDS]
        if self._quiet is not None and self._quiet.at(now, self._zone()):
            found.append(self._quiet.ends(now, self._zone()))
        pause = self._pause()
        if pause is not None and pause.get("until") is not None:
            found.append(pause["until"])
        return found

    def _pause(self) -> dict[str, Any] | None:
        found: dict[str, Any] | None = self._ledger.values.get("pause")
        return found
