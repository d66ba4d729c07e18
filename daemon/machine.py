"""The machine: whether it has strength to spare for work that nobody waits for."""

from __future__ import annotations

import asyncio
import logging
import os
from dataclasses import dataclass, replace
from typing import Literal

import psutil

from .renewal import Renewal

Restraint = Literal["go", "slow", "pause"]
"""For what nobody waits for: as much as there is, one thing at a time, nothing."""
OnBattery = Literal["go", "slow", "pause"]

LOOK_SECONDS = 60.0
LOW_CHARGE = 20.0
"""Percent of charge below which a machine on battery is left alone."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Conditions:
    """How the machine stands."""

    battery: bool = False
    """It runs on battery now."""
    charge: float = 100.0
    """Percent."""
    load: float = 0.0
    """Processes that want to run, for each core, over the last minute; 0 where it can't be told."""
    rss: int = 0
    """Bytes of memory this process holds."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Where restraint begins, as settings say."""

    on_battery: OnBattery = "slow"
    slow_load: float = 1.5
    pause_load: float = 4.0
    rss: int = 1_500_000_000
    """Bytes beyond which the process is started anew; 0 for no limit."""


class Machine:
    """Looks at this machine and this process. A look takes less than a millisecond."""

    def __init__(self) -> None:
        self._process = psutil.Process()
        self._cores = max(1, len(os.sched_getaffinity(0)) if _CAN_TELL else os.cpu_count() or 1)

    def look(self) -> Conditions:
        """Return how it stands now. What the system does not tell counts as fine."""
        battery, charge = _battery()
        return Conditions(
            battery=battery,
            charge=charge,
            load=_load() / self._cores,
            rss=self._process.memory_info().rss,
        )


_CAN_TELL = hasattr(os, "sched_getaffinity")


def restraint(conditions: Conditions, limits: Limits) -> Restraint:
    """Return how much may be done that nobody waits for."""
    if conditions.battery:
        if limits.on_battery == "pause":
            return "pause"
        if limits.on_battery == "slow" and conditions.charge < LOW_CHARGE:
            return "pause"
    if conditions.load >= limits.pause_load:
        return "pause"
    if conditions.load >= limits.slow_load:
        return "slow"
    return "slow" if conditions.battery and limits.on_battery == "slow" else "go"


def why_restrained(conditions: Conditions, limits: Limits) -> str:
    """Return the reason for the restraint in a few words; empty when there is none."""
    if restraint(conditions, limits) == "go":
        return ""
    if conditions.load >= limits.slow_load:
        return f"the machine is busy (load {conditions.load:.1f} a core)"
    return f"on battery ({conditions.charge:.0f} %)"


class Strength:
    """How much the machine lets us do, looked at now and then while there is work."""

    def __init__(self, machine: Machine | None, limits: Limits | None = None) -> None:
        self._machine = machine
        self._limits = limits or Limits()
        self._renewal = Renewal(self._limits.rss)
        self._conditions = Conditions()
        self._looked: float | None = None
        self._overgrown = False
        self.restraint: Restraint = "go"

    def next_look(self, clock: float) -> float | None:
        """Return in how many seconds to look again; None if that changes nothing."""
        if self._machine is None:
            return None
        looked = clock - LOOK_SECONDS if self._looked is None else self._looked
        return max(0.0, looked + LOOK_SECONDS - clock)

    async def look(self, clock: float) -> bool:
        """Look if it is time to; return whether it was."""
        if self._machine is None or self.next_look(clock):
            return False
        self._looked = clock
        self._conditions = await asyncio.to_thread(self._machine.look)
        noted = self._renewal.note
        self._overgrown = self._renewal.is_due(self._conditions.rss, clock)
        if self._renewal.note and not noted:
            logger.warning("%s", self._renewal.note)
        before, self.restraint = self.restraint, restraint(self._conditions, self._limits)
        if before != self.restraint:
            logger.info("what nobody waits for: %s %s", self.restraint, self.why)
        return True

    @property
    def of_worker(self) -> Restraint:
        """The restraint of the worker: a busy machine holds it back anyway, being niced, and a
        commit is to be found also while something is built."""
        return restraint(replace(self._conditions, load=0.0), self._limits)

    @property
    def why(self) -> str:
        """The reason for the restraint; empty when there is none."""
        return why_restrained(self._conditions, self._limits)

    @property
    def overgrown(self) -> int:
        """The bytes this process holds if it should begin anew, to hold less, else 0."""
        return self._conditions.rss if self._overgrown else 0

    @property
    def note(self) -> str:
        """That more memory is held than settings allow, and why nothing is done about it."""
        return self._renewal.note


def _battery() -> tuple[bool, float]:
    """Return whether the machine runs on battery, and its charge in percent."""
    try:
        found = psutil.sensors_battery()
    except (AttributeError, OSError, RuntimeError):  # no such sensor, or one that can't be read
        found = None
    if found is None:
        return False, 100.0
    return found.power_plugged is False, float(found.percent)


def _load() -> float:
    try:
        return psutil.getloadavg()[0]
    except (AttributeError, OSError):
        return 0.0
