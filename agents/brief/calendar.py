"""When the person works, and from when on a brief tells what happened.

A person's day begins at 04:00: who commits at half past one in the night still works on the day
before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache

from ...memory import dates
from ...memory.errors import HermesError
from .records import Period

DAY_BEGINS = 4
"""The hour of the clock at which a person's day begins."""
FURTHEST = 370
"""Days that are gone back to find one with work."""
AWAY = 35
"""Days without a commit that are taken for an absence that no setting tells of."""
NAMES = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

_HOURS = re.compile(r"(\d{1,2}):(\d\d)\s*-\s*(\d{1,2}):(\d\d)")


class CalendarRefused(HermesError):
    """Days, hours or days off that can't be read."""

    code = "calendar"


@dataclass(frozen=True, slots=True)
class Calendar:
    """The person's working time, as settings have it."""

    days: str = "mon-fri"
    hours: str = "09:00-17:30"
    off: Sequence[str] = ()
    """Days and spans without work: ``2026-12-25``, ``2026-12-27..2027-01-03``."""

    @classmethod
    def parse(
        cls, days: str = "mon-fri", hours: str = "09:00-17:30", off: Sequence[str] = ()
    ) -> Calendar:
        """Return a calendar of which all parts can be read. Raise CalendarRefused."""
        read_days(days)
        read_hours(hours)
        for text in off:
            read_off(text)
        return cls(days, hours, tuple(off))

    def works_on(self, day: date) -> bool:
        """Say whether the person works on a day. Raise CalendarRefused."""
        if day.weekday() not in read_days(self.days):
            return False
        spans = (read_off(text) for text in self.off)
        return not any(first <= day <= last for first, last in spans)

    def last_working_day(self, before: date) -> date | None:
        """Return the last day before another on which the person works; None if there is none."""
        days = (before - timedelta(back) for back in range(1, FURTHEST))
        return next((day for day in days if self.works_on(day)), None)

    def begins(self, day: date, zone: tzinfo | None = None) -> float:
        """Return when the working hours of a day begin, in seconds since 1970."""
        start, _ = read_hours(self.hours)
        return _moment(day, start, zone)

    def ends(self, day: date, zone: tzinfo | None = None) -> float:
        """Return when the working hours of a day end; those over midnight end on the next."""
        start, end = read_hours(self.hours)
        return _moment(day + timedelta(1) if end <= start else day, end, zone)

    def period_for(
        self,
        today: date,
        now: float,
        last_worked: float | None = None,
        zone: tzinfo | None = None,
    ) -> Period:
        """Return the time since the beginning of the person's last working day before ``today``.

        ``last_worked`` is when they last committed before today, if they did: work on a weekend
        counts, and an absence that settings do not tell of does too. ``zone`` is the person's; None
        stands for the machine's. A clock that was set back gives a shorter period, never a negative
        one.
        """
        usual = start = self.last_working_day(today) or today - timedelta(1)
        worked = None if last_worked is None else day_of(last_worked, zone)
        if worked is not None and worked < today and start - worked <= timedelta(AWAY):
            start = worked
        since = min(start_of(start, zone), now)
        words = words_for(start, today)
        if start < usual:  # there may have been days without a commit, but not without work
            words = f"{words.replace('since ', 'since your last commit on ', 1)}"
        return Period(today, since, now, words, zone)


def week_period(today: date, now: float, zone: tzinfo | None = None) -> Period:
    """Return the week that began on Monday, until now; on a Monday the one before, since a few
    hours are no week."""
    monday = today - timedelta(today.weekday())
    if monday == today:
        monday -= timedelta(7)
        return Period(today, min(start_of(monday, zone), now), now, "last week", zone)
    return Period(today, min(start_of(monday, zone), now), now, "this week", zone)


def period_since(text: str, now: float, zone: tzinfo | None = None) -> Period:
    """Return the time since a date as people type it, until now. Raise dates.DateRefused, also for
    one that is yet to come."""
    local = _local(now, zone)
    found = dates.span(" ".join(text.lower().split()).removeprefix("since "), local)
    if found is None:
        dates.parse(text, local)  # raises, and says what can be read
        raise AssertionError(text)
    first, after = found
    named = first.date()
    whole = after - first >= timedelta(1)
    aware = first if first.tzinfo else first.replace(tzinfo=zone)
    since = start_of(named, zone) if whole else aware.timestamp()
    if since > now:
        raise dates.DateRefused(f"{text!r} is yet to come", hint="name a day in the past")
    today = day_of(now, zone)
    words = words_for(named, today) if whole else f"since {text.strip().removeprefix('since ')}"
    return Period(today, since, now, words, zone)


def day_of(moment: float, zone: tzinfo | None = None) -> date:
    """Return the person's day that a moment belongs to."""
    return (_local(moment, zone) - timedelta(hours=DAY_BEGINS)).date()


def start_of(day: date, zone: tzinfo | None = None) -> float:
    """Return when a person's day begins, in seconds since 1970."""
    return _moment(day, time(DAY_BEGINS), zone)


def words_for(start: date, today: date) -> str:
    """Return ``since yesterday``, ``since Friday``, ``since 18 December``."""
    back = (today - start).days
    if back <= 0:
        return "today"
    if back == 1:
        return "since yesterday"
    if back < 7:
        return f"since {start:%A}"
    year = "" if start.year == today.year else f" {start.year}"
    return f"since {start.day} {start:%B}{year}"


def when(moment: float, now: float, zone: tzinfo | None = None) -> str:
    """Return how a person names a past moment: ``at 17:12``, ``yesterday at 17:12``, ``on Friday``,
    ``on 18 December``."""
    day, today = day_of(moment, zone), day_of(now, zone)
    clock = f"{_local(moment, zone):%H:%M}"
    back = (today - day).days
    if back <= 0:
        return f"today at {clock}"
    if back == 1:
        return f"yesterday at {clock}"
    if back < 7:
        return f"on {day:%A} at {clock}"
    return words_for(day, today).replace("since", "on", 1)


@lru_cache(maxsize=16)
def read_days(text: str) -> frozenset[int]:
    """Given ``mon-fri`` or ``mon,tue,thu``, return the days, Monday being 0. Raise
    CalendarRefused; an empty text is nobody's week."""
    found: set[int] = set()
    for part in re.split(r"[,\s]+", text.strip().lower()):
        first, dash, last = part.partition("-")
        start = _weekday(first, text)
        end = _weekday(last, text) if dash else start
        found.update((start + step) % 7 for step in range((end - start) % 7 + 1))
    return frozenset(found)


@lru_cache(maxsize=16)
def read_hours(text: str) -> tuple[time, time]:
    """Given ``09:00-17:30``, return both; the second may be after midnight. Raise
    CalendarRefused."""
    match = _HOURS.fullmatch(text.strip())
    if match is None or int(match[1]) > 23 or int(match[3]) > 23 or max(match[2], match[4]) > "59":
        raise CalendarRefused(f"{text!r} is not two times of day, such as 09:00-17:30")
    start, end = time(int(match[1]), int(match[2])), time(int(match[3]), int(match[4]))
    if start == end:
        raise CalendarRefused(f"{text!r} begins when it ends")
    return start, end


@lru_cache(maxsize=256)
def read_off(text: str) -> tuple[date, date]:
    """Given ``2026-12-25`` or ``2026-12-27..2027-01-03``, return the first and the last day. Raise
    CalendarRefused."""
    first, dots, last = (part.strip() for part in text.partition(".."))
    try:
        start = date.fromisoformat(first)
        end = date.fromisoformat(last) if dots else start
    except ValueError as error:
        raise CalendarRefused(
            f"{text!r} is no day such as 2026-12-25 and no span such as 2026-12-27..2027-01-03"
        ) from error
    if end < start:
        raise CalendarRefused(f"{text!r} ends before it begins")
    return start, end


def _weekday(word: str, text: str) -> int:
    names = [name for name in NAMES if len(word) >= 3 and _full(name).startswith(word)]
    if not names:
        raise CalendarRefused(
            f"{text!r} are no days of the week, such as mon-fri or mon,tue,thu"
            + (f": {word!r} is none" if word else "")
        )
    return NAMES.index(names[0])


def _full(name: str) -> str:
    return next(day for day in dates.WEEKDAYS if day.startswith(name))


def _moment(day: date, at: time, zone: tzinfo | None) -> float:
    return datetime.combine(day, at, zone).timestamp()


def _local(moment: float, zone: tzinfo | None) -> datetime:
    """Return the wall clock's time, without zone. A moment that no calendar has is 1970's."""
    try:
        return datetime.fromtimestamp(moment, zone).replace(tzinfo=None)
    except (OverflowError, ValueError, OSError):
        return datetime.fromtimestamp(0, UTC).replace(tzinfo=None)
