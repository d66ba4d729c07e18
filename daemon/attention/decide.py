"""What becomes of a finding: a pure function of it, of what was said before, and of the moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ...agents.contract import Level

HOUR = 3_600.0
DAY = 86_400.0
RANK = {Level.LOG: 0, Level.DIGEST: 1, Level.GLANCE: 2, Level.INTERRUPT: 3}


class Place(StrEnum):
    """Where a finding is."""

    HELD = "held"
    """It waits for a better moment."""
    SHOWN = "shown"
    DIGEST = "digest"
    """It is for the next brief."""
    LOG = "log"
    TAKEN_BACK = "taken_back"
    """Its cause is gone."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What a person lets hermes ask of them."""

    per_hour: int = 2
    per_day: int = 8
    hold: float = 2 * HOUR
    """Seconds a finding waits for a good moment; then it goes to the digest."""
    same_cause: float = DAY
    """Seconds in which one cause is said once."""


@dataclass(frozen=True, slots=True)
class Said:
    """The last that was said of the same cause, within the policy's time."""

    ago: float
    wanted: Level
    place: Place
    told: bool = False
    """It was in the digest, and a brief has said it."""


@dataclass(frozen=True, slots=True)
class Past:
    """What went before."""

    interrupts: Sequence[float] = ()
    """When a person was interrupted, for a day back."""
    said: Said | None = None
    demoted: bool = False
    """What this agent shows is hardly ever opened."""


@dataclass(frozen=True, slots=True)
class Moment:
    """When it is decided."""

    now: float
    quiet: bool = False
    paused: bool = False
    boundary: str = ""
    """What a person has just finished, in words: ``a commit``. Empty in the middle of work."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What an agent would like."""

    level: Level
    urgent: bool = False
    waiting: float | None = None
    """Seconds it has been held already; None if it is new."""
    waits_for: str = ""
    """Why it was held."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of it, and why, in a few words."""

    place: Place
    level: Level
    reason: str


def decide(wish: Wish, past: Past, moment: Moment, policy: Policy) -> Decision:
    """Given what an agent would like to show, return what becomes of it."""
    level, note = wish.level, ""
    if level is Level.LOG:
        return Decision(Place.LOG, Level.LOG, "it is only for the log")
    if wish.waiting is None and past.said is not None:
        if repeated := _repeated(level, past.said):
            return repeated
        if past.said.place is Place.TAKEN_BACK and level is Level.INTERRUPT:
            level, note = Level.GLANCE, f"it comes and goes: it was said {ago(past.said.ago)} ago"
    if level is Level.DIGEST:
        return Decision(Place.DIGEST, level, "it can wait for the next brief")
    if past.demoted:
        return Decision(
            Place.DIGEST, Level.DIGEST, "what this agent shows is hardly ever opened, so it is told"
        )
    if wish.waiting is not None and wish.waiting >= policy.hold and not wish.urgent:
        why = f"it waited {ago(wish.waiting)}: {wish.waits_for}"
        return Decision(Place.DIGEST, Level.DIGEST, why)
    if moment.paused:
        return Decision(Place.HELD, level, "hermes is paused")
    if level is Level.GLANCE:
        return Decision(Place.SHOWN, level, note or "a glance disturbs nobody")
    return _interrupt(wish, past, moment, policy)


def free_at(interrupts: Sequence[float], now: float, policy: Policy) -> float:
    """Return when the budget allows the next interruption: ``now``, or a later moment."""
    if not policy.per_hour or not policy.per_day:
        return float("inf")
    times = sorted(interrupts)
    free = now
    for span, most in ((HOUR, policy.per_hour), (DAY, policy.per_day)):
        within = [time for time in times if time > now - span]
        if len(within) >= most:
            free = max(free, within[-most] + span)
    return free


def ago(seconds: float) -> str:
    """Given a time span, return it in one unit."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / HOUR:.0f} h"


def _repeated(level: Level, said: Said) -> Decision | None:
    """Return what becomes of a finding whose cause was said already, if that was enough."""
    if said.place is Place.TAKEN_BACK or RANK[said.wanted] < RANK[level]:
        return None  # it had gone away in between, or it is worse now
    if said.place is Place.HELD:
        reason = "the same is waiting to be shown already"
    elif said.place is Place.DIGEST and not said.told:
        reason = "the same stands in the next brief already"
    else:
        reason = f"the same was said {ago(said.ago)} ago"
    return Decision(Place.LOG, Level.LOG, reason)


def _interrupt(wish: Wish, past: Past, moment: Moment, policy: Policy) -> Decision:
    level = Level.INTERRUPT
    if not policy.per_hour or not policy.per_day:
        return Decision(Place.SHOWN, Level.GLANCE, "interruptions are switched off")
    if moment.quiet:
        return Decision(Place.HELD, level, "these are quiet hours")
    if free_at(past.interrupts, moment.now, policy) > moment.now:
        reason = f"{policy.per_hour} interruptions an hour and {policy.per_day} a day are enough"
        if wish.urgent:
            return Decision(Place.SHOWN, Level.GLANCE, f"urgent, but {reason}")
        return Decision(Place.HELD, level, reason)
    if wish.urgent:
        return Decision(Place.SHOWN, level, "it is urgent")
    if moment.boundary:
        return Decision(Place.SHOWN, level, f"this comes after {moment.boundary}")
    return Decision(Place.HELD, level, "you were in the middle of something")
