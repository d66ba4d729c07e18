"""All that a council needs to begin, and to go on after the daemon was away: packet, seats, reserve."""

from __future__ import annotations

from dataclasses import dataclass

from .perspectives import Mode, Perspective
from .records import Absent, Juror, Packet


@dataclass(frozen=True, slots=True)
class Docket:
    """One council as it was set up."""

    packet: Packet
    mode: Mode
    preset: str
    rounds: int
    """Of debate, at most."""
    jury: tuple[Juror, ...] = ()
    """Who sits, each with a perspective; empty: rules alone."""
    reserve: tuple[Juror, ...] = ()
    """Who takes the place of one that fails, in this order."""
    perspectives: tuple[Perspective, ...] = ()
    absent: tuple[Absent, ...] = ()
    """Who would have been asked and was not there."""
    notices: tuple[str, ...] = ()
    """What a person should know of it: what leaves the machine, too few families."""
    worktree: str = ""
    """Where the report goes; empty: nowhere."""

    def perspective(self, name: str) -> Perspective:
        """Return a perspective by its name; one without a name weighs for and against."""
        return next((one for one in self.perspectives if one.name == name), Perspective(name, ""))
