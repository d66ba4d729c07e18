"""Times as cron writes them, on the wall clock of a zone.

What happens when the clocks change:

- where the hour is given (``30 2 * * *``), each of its times comes once: the first of the two
  where an hour comes twice, and at the moment of the jump where it is left out
- where the hour is left open (``17 * * * *``), real hours count: it comes in both of the two, and
  a time that is left out does not come
"""

from __future__ import annotations

import calendar
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo

from ...memory.errors import HermesError

NICKNAMES = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_abbr) if name}
WEEKDAYS = {"sun": 0, "mon": 1, "tue": 2, "wed": 3, "thu": 4, "fri": 5, "sat": 6}
"""Cron's own numbers; 7 is Sunday as well."""
CYCLE_YEARS = 40
"""Within so many years every date that comes at all falls on every weekday."""
DAY = timedelta(days=1)


class CronRefused(HermesError):
    """An expression that is not cron's, or whose dates never come."""

    code = "cron"


@dataclass(frozen=True, slots=True)
class Cron:
    """One expression, understood."""

    text: str
    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    either: bool
    """Day and weekday are both given: one of them is enough."""
    hour_open: bool
    """The hour begins with ``*``: real hours count, not the clock's."""

    @classmethod
    def parse(cls, text: str) -> Cron:
        """Given an expression, return it understood. Raise CronRefused with what is wrong."""
        words = text.split()
        if len(words) == 1 and words[0].startswith("@"):
            known = NICKNAMES.get(words[0].lower())
            if known is None:
                raise CronRefused(f"{words[0]} is none of {', '.join(NICKNAMES)}")
            words = known.split()
        if len(words) != 5:
            what = f"{text.strip()!r} is {len(words)} of them" if words else "it is empty"
            raise CronRefused(f"cron's five fields are minute hour day month weekday; {what}")
        minute, hour, day, month, weekday = words
        cron = cls(
            text=text.strip(),
            minutes=tuple(sorted(_field("minute", minute, 0, 59))),
            hours=tuple(sorted(_field("hour", hour, 0, 23))),
            days=frozenset(_field("day", day, 1, 31)),
            months=frozenset(_field("month", month, 1, 12, MONTHS)),
            weekdays=frozenset(n % 7 for n in _field("weekday", weekday, 0, 7, WEEKDAYS)),
            either=not day.startswith("*") and not weekday.startswith("*"),
            hour_open=hour.startswith("*"),
        )
        if not cron._ever():
            raise CronRefused(f"{text.strip()!r} never comes: no such date exists")
        return cron

    def on(self, day: date) -> bool:
        """Return whether it comes on a date."""
        if day.month not in self.months:
            return False
        by_day, by_weekday = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        return by_day or by_weekday if self.either else by_day and by_weekday

    def next(self, after: float, zone: tzinfo) -> float:
        """Return the first time later than ``after``. Times are seconds since 1970."""
        return next(self.forwards(after, zone))

    def forwards(self, after: float, zone: tzinfo) -> Iterator[float]:
        """Yield the times later than ``after``, for ever."""
        known: dict[date, list[float]] = {}
        begin = datetime.fromtimestamp(after, zone).date()
        while True:
            start, end = _midnight(begin, zone), _midnight(begin + DAY, zone)
            yield from (due for due in self._within(begin, start, end, zone, known) if due > after)
            begin += DAY

    def backwards(self, until: float, since: float, zone: tzinfo) -> Iterator[float]:
        """Yield the times at or before ``until`` and later than ``since``, the latest first."""
        known: dict[date, list[float]] = {}
        begin = datetime.fromtimestamp(until, zone).date()
        end = _midnight(begin + DAY, zone)
        while end > since:
            start = _midnight(begin, zone)
            for due in reversed(self._within(begin, start, end, zone, known)):
                if since < due <= until:
                    yield due
            begin, end = begin - DAY, start

    def _within(
        self, day: date, start: float, end: float, zone: tzinfo, known: dict[date, list[float]]
    ) -> list[float]:
        """Return the times from ``start`` until before ``end``, in order.

        The dates around it count as well: where the clocks change about midnight, a time of one
        date may come in the other's hours.
        """
        found: set[float] = set()
        for near in (day - DAY, day, day + DAY):
            if near not in known:
                known[near] = list(self._of_date(near, zone)) if self.on(near) else []
            found.update(due for due in known[near] if start <= due < end)
        known.pop(day - 3 * DAY, None)
        known.pop(day + 3 * DAY, None)
        return sorted(found)

    def _of_date(self, day: date, zone: tzinfo) -> Iterator[float]:
        for hour in self.hours:
            for minute in self.minutes:
                wall = datetime.combine(day, time(hour, minute), zone)
                first = wall.timestamp()
                second = wall.replace(fold=1).timestamp()
                if first <= second:
                    yield first
                    if self.hour_open and second > first:
                        yield second
                elif not self.hour_open:
                    # Left out: `second` lies before the jump and `first` behind it.
                    yield _jump(second, first, zone)

    def _ever(self) -> bool:
        start = date(2000, 1, 1)
        return any(self.on(start + n * DAY) for n in range(CYCLE_YEARS * 366))


def _midnight(day: date, zone: tzinfo) -> float:
    return datetime.combine(day, time(), zone).timestamp()


def _jump(before: float, behind: float, zone: tzinfo) -> float:
    """Given moments around a change of the clocks, return the first moment of the new time."""
    old = datetime.fromtimestamp(before, zone).utcoffset()
    low, high = int(before), int(behind)
    while high - low > 1:
        middle = (low + high) // 2
        if datetime.fromtimestamp(middle, zone).utcoffset() == old:
            low = middle
        else:
            high = middle
    return float(high)


def _field(
    name: str, text: str, lowest: int, highest: int, words: Mapping[str, int] | None = None
) -> set[int]:
    """Given one field, return the numbers it stands for. Raise CronRefused."""
    found: set[int] = set()
    for part in text.split(","):
        span, slash, step = part.partition("/")
        if slash and (not step.isdecimal() or int(step) == 0):
            raise CronRefused(f"{name}: {part!r} needs a whole number above 0 behind its /")
        if span == "*":
            first, last = lowest, highest
        else:
            begin, dash, end = span.partition("-")
            first = _number(name, begin, lowest, highest, words)
            last = _number(name, end, lowest, highest, words) if dash else first
            if dash and name == "weekday" and last == 0:
                last = 7  # fri-sun
            if slash and not dash:
                last = highest
        if last < first:
            raise CronRefused(f"{name}: {span!r} runs backwards; write it as a list of two ranges")
        found.update(range(first, last + 1, int(step) if slash else 1))
    return found


def _number(
    name: str, text: str, lowest: int, highest: int, words: Mapping[str, int] | None
) -> int:
    if words and text.lower() in words:
        return words[text.lower()]
    if not (text.isascii() and text.isdecimal()):
        takes = f"numbers from {lowest} to {highest}" + (f" or {', '.join(words)}" if words else "")
        raise CronRefused(f"{name}: {text!r} is not understood; it takes {takes}")
    if not lowest <= int(text) <= highest:
        raise CronRefused(f"{name}: {text} is not between {lowest} and {highest}")
    return int(text)
