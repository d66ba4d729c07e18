"""Dates as people type them: ``2025-03-01``, ``yesterday``, ``2 weeks ago``, ``last friday``.

A small grammar of its own: a library that knows them all costs more to import than the whole of a
question may take.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

from .errors import HermesError

UNITS = {"d": "day", "w": "week", "mo": "month", "y": "year", "h": "hour", "m": "minute"}
NUMBERS = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "couple of": 2,
    "three": 3,
    "few": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)


class DateRefused(HermesError):
    """The text is no date that we understand."""

    code = "date"


def parse(text: str, now: datetime, *, end: bool = False) -> int:
    """Given a date as typed and the local time (naive), return seconds since the epoch: the
    start of the day, month or year it names, or its last second when ``end``. Raise DateRefused.
    """
    found = span(" ".join(text.lower().split()), now)
    if found is None:
        raise DateRefused(
            f"don't know when {text!r} is",
            hint="try 2025-03-01, yesterday, 2 weeks ago, last friday, april 2024 or 2023",
        )
    start, after = found
    if end:
        return int(after.timestamp()) - (1 if after > start else 0)
    return int(start.timestamp())


def span(text: str, now: datetime) -> tuple[datetime, datetime] | None:
    """Return the first moment of what the text names, and the first moment after it."""
    for reader in (_moment, _word, _ago, _last, _weekday, _month, _year):
        try:
            found = reader(text, now)
        except (ValueError, OverflowError):
            return None
        if found:
            return found
    return None


def _moment(text: str, now: datetime) -> tuple[datetime, datetime] | None:
    if re.fullmatch(r"\d{4}[-/]\d{1,2}[-/]\d{1,2}", text):
        year, month, day = (int(part) for part in re.split(r"[-/]", text))
        return _days(date(year, month, day), 1)
    if re.fullmatch(r"\d{4}-\d\d-\d\d[t ]\d\d:?\d\d.*", text):
        moment = datetime.fromisoformat(text.upper())
        return moment, moment
    return None


def _word(text: str, now: datetime) -> tuple[datetime, datetime] | None:
    today = now.date()
    monday = today - timedelta(today.weekday())
    match text:
        case "now":
            return now, now
        case "today":
            return _days(today, 1)
        case "yesterday":
            return _days(today - timedelta(1), 1)
        case "the day before yesterday":
            return _days(today - timedelta(2), 1)
        case "this week":
            return _days(monday, 7)
        case "last week":
            return _days(monday - timedelta(7), 7)
        case "this month":
            return _months(today.year, today.month, 1)
        case "last month":
            return _months(today.year, today.month - 1, 1)
        case "this year":
            return _months(today.year, 1, 12)
        case "last year":
            return _months(today.year - 1, 1, 12)
        case _:
            return None


def _ago(text: str, now: datetime) -> tuple[datetime, datetime] | None:
    number = rf"(\d{{1,6}}|{'|'.join(sorted(NUMBERS, key=len, reverse=True))})"
    match = re.fullmatch(
        number + r" ?(minute|hour|day|week|month|year)s? ago", text
    ) or re.fullmatch(r"(\d{1,6})(mo|[mhdwy])( ago)?", text)
    if not match:
        return None
    count = NUMBERS.get(match[1]) or int(match[1])
    unit = UNITS.get(match[2], match[2])
    if unit in ("minute", "hour"):
        moment = now - timedelta(**{unit + "s": count})
        return moment, moment
    if unit in ("day", "week"):
        return _days(now.date() - timedelta(count * (7 if unit == "week" else 1)), 1)
    months = count * (12 if unit == "year" else 1)
    first = _first_of(now.year, now.month - months)
    # The same day of the month, or its last one if it is shorter.
    last = (_first_of(first.year, first.month + 1) - timedelta(1)).day
    return _days(first.date().replace(day=min(now.day, last)), 1)


def _last(text: str, now: datetime) -> tuple[datetime, datetime] | None:
    """``last 3 months``: from then until now."""
    match = re.fullmatch(r"(?:the )?(?:last|past) ((?:\w+ )?\w+ \w+)", text)
    found = _ago(f"{match[1]} ago", now) if match else None
    return (found[0], now) if found else None


def _weekday(text: str, now: datetime) -> tuple[datetime, datetime] | None:
    """The most recent such day before today, whether ``last`` is said or not."""
    match = re.fullmatch(r"(?:(?:last|on) )?([a-z]+)", text)
    names = [n for n in WEEKDAYS if match and len(match[1]) >= 3 and n.startswith(match[1])]
    if not names:
        return None
    back = (now.weekday() - WEEKDAYS.index(names[0]) - 1) % 7 + 1
    return _days(now.date() - timedelta(back), 1)


def _month(text: str, now: datetime) -> tuple[datetime, datetime] | None:
    """``april``, ``last april``, ``apr 2024``, ``2024-04``; without a year the most recent."""
    if match := re.fullmatch(r"(\d{4})-(\d{1,2})", text):
        if not 1 <= int(match[2]) <= 12:
            return None
        return _months(int(match[1]), int(match[2]), 1)
    match = re.fullmatch(r"(?:last )?([a-z]+)\.?(?: (\d{4}))?", text)
    names = [n for n in MONTHS if match and len(match[1]) >= 3 and n.startswith(match[1])]
    if not match or not names:
        return None
    month = MONTHS.index(names[0]) + 1
    year = int(match[2]) if match[2] else now.year - (month > now.month)
    return _months(year, month, 1)


def _year(text: str, now: datetime) -> tuple[datetime, datetime] | None:
    return _months(int(text), 1, 12) if re.fullmatch(r"(19|20)\d\d", text) else None


def _days(first: date, count: int) -> tuple[datetime, datetime]:
    return _midnight(first), _midnight(first + timedelta(count))


def _months(year: int, month: int, count: int) -> tuple[datetime, datetime]:
    return _first_of(year, month), _first_of(year, month + count)


def _first_of(year: int, month: int) -> datetime:
    """Given a month that may lie outside 1..12, return its first midnight."""
    years, index = divmod(month - 1, 12)
    return _midnight(date(year + years, index + 1, 1))


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time())
