"""Moments and lengths of time, as people read and type them."""

from __future__ import annotations

import re
import time

from ...memory.errors import HermesError
from .text import duration

UNITS = {"s": 1, "m": 60, "min": 60, "h": 3_600, "d": 86_400}
_LENGTH = re.compile(r"(\d+(?:\.\d+)?)\s*(s|min|m|h|d)", re.ASCII)
_LENGTHS = re.compile(rf"(?:{_LENGTH.pattern}\s*)+", re.ASCII)
LONGEST = 366 * 86_400.0
"""Seconds that may be asked for."""
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})")


class TimeRefused(HermesError):
    """The text is no time that we understand."""

    code = "usage"


def ago(then: float, now: float) -> str:
    """Return e.g. ``just now``, ``4 min ago``, ``in 3 h``."""
    passed = now - then
    if abs(passed) < 1:
        return "just now"
    return f"{duration(passed)} ago" if passed > 0 else f"in {duration(-passed)}"


def clock(at: float, now: float) -> str:
    """Return the local time, e.g. ``14:03``; with the date if it is not today's."""
    moment, today = time.localtime(at), time.localtime(now)
    if moment[:3] == today[:3]:
        return time.strftime("%H:%M", moment)
    return time.strftime("%Y-%m-%d %H:%M", moment)


def exactly(at: float, now: float) -> str:
    """Return the local time to the second; with the date if it is not today's."""
    return f"{clock(at, now)}{time.strftime(':%S', time.localtime(at))}"


def length(text: str) -> float | None:
    """Given e.g. ``15min`` or ``1h 30m``, return the seconds; None if it is no length of time."""
    wanted = " ".join(text.lower().split())
    if not _LENGTHS.fullmatch(wanted):
        return None
    return sum(float(number) * UNITS[unit] for number, unit in _LENGTH.findall(wanted))


def how_long(text: str, now: float) -> float | None:
    """Given what was typed (``2h``, ``1h 30m``, ``until 18:00``, ``today``), return the seconds it
    names from now on; None for nothing: until further notice. Raise TimeRefused."""
    wanted = " ".join(text.lower().split())
    if not wanted:
        return None
    seconds = length(wanted) or 0.0
    if seconds > LONGEST:
        raise TimeRefused(
            f"{text} is longer than a year", hint="without a length it is until `hermes resume`"
        )
    if seconds > 0:
        return seconds
    local = time.localtime(now)
    if wanted in ("today", "until tomorrow"):
        return _local(local, local.tm_mday + 1, 0, 0) - now
    if found := _CLOCK.fullmatch(wanted.removeprefix("until ")):
        hour, minute = int(found[1]), int(found[2])
        if hour < 24 and minute < 60:
            until = _local(local, local.tm_mday, hour, minute)
            # 08:00, said in the evening, is tomorrow's.
            return (until if until > now else _local(local, local.tm_mday + 1, hour, minute)) - now
    raise TimeRefused(
        f"don't know how long '{text}' is", hint="for example 2h, 90min, until 18:00 or today"
    )


def _local(day: time.struct_time, of_month: int, hour: int, minute: int) -> float:
    # mktime carries a day beyond the month's end over, and knows when clocks change.
    return time.mktime((day.tm_year, day.tm_mon, of_month, hour, minute, 0, 0, 0, -1))
