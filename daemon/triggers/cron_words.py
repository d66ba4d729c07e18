"""A cron expression in words, so that a person sees whether it is what they meant."""

from __future__ import annotations

import calendar
from collections.abc import Sequence

from .cron import Cron

MOST_TIMES = 6
"""So many times of day are listed one by one."""


def in_words(cron: Cron) -> str:
    """Given an expression, return e.g. ``at 03:10 on Monday to Friday``."""
    parts = [_time(cron), _days(cron)]
    if len(cron.months) < 12:
        parts.append("in " + _spans(sorted(cron.months), list(calendar.month_name)))
    return " ".join(part for part in parts if part)


def _time(cron: Cron) -> str:
    minutes, hours = cron.minutes, cron.hours
    if len(hours) == 24:
        return _minutes(minutes, "of every hour")
    if len(minutes) * len(hours) <= MOST_TIMES:
        return "at " + _listed([f"{h:02}:{m:02}" for h in hours for m in minutes])
    return _minutes(minutes, "of the hours " + _spans(hours, [f"{h:02}" for h in range(24)]))


def _minutes(minutes: Sequence[int], of: str) -> str:
    if len(minutes) == 60:
        return "every minute" if of == "of every hour" else f"every minute {of}"
    step = minutes[1] - minutes[0] if len(minutes) > 1 else 60
    if len(minutes) > 2 and list(minutes) == list(range(minutes[0], 60, step)) and 60 % step == 0:
        begin = f" from minute {minutes[0]}" if minutes[0] else ""
        return f"every {step} minutes{begin}" + ("" if of == "of every hour" else f" {of}")
    which = "minute" if len(minutes) == 1 else "minutes"
    return f"at {which} {_spans(minutes, [str(n) for n in range(60)])} {of}"


def _days(cron: Cron) -> str:
    dates = "" if len(cron.days) == 31 else "day " + _spans(sorted(cron.days), _NUMBERS)
    # From Monday on, as people count them.
    week = sorted(n or 7 for n in cron.weekdays)
    weekdays = "" if len(week) == 7 else _spans(week, ["", *calendar.day_name])
    if cron.either:
        if not dates or not weekdays:
            return "every day"
        return f"on {dates} of the month and on every {weekdays}"
    if dates and weekdays:
        return f"on {weekdays}, if it is {dates} of the month"
    if dates:
        return f"on {dates} of the month"
    if weekdays:
        return f"on {weekdays}"
    return "" if len(cron.hours) == 24 else "every day"


def _spans(numbers: Sequence[int], names: Sequence[str]) -> str:
    """Given sorted numbers and the names of all, return them with runs of three drawn together."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    shown: list[str] = []
    for run in runs:
        if len(run) > 2:
            shown.append(f"{names[run[0]]} to {names[run[-1]]}")
        else:
            shown += [names[number] for number in run]
    return _listed(shown)


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


_NUMBERS = [str(number) for number in range(32)]
