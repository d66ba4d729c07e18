"""Read from a question's words when, who and where it asks about.

Hints narrow a search the way a colleague would take the words; recall says which it took.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

_MONTHS = [
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
]
_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_MONTH = "|".join(sorted({*_MONTHS, *(m[:3] for m in _MONTHS), "sept"}, key=len, reverse=True))
_WEEKDAY = "|".join(sorted({*_WEEKDAYS, *(d[:3] for d in _WEEKDAYS)}, key=len, reverse=True))
_UNIT = r"(?P<unit>minute|hour|day|week|month|year)s?"
_NUMBERS = {
    word: n
    for n, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ]
    )
} | {"a": 1, "an": 1, "couple of": 2, "a couple of": 2, "few": 3, "a few": 3}
_COUNT = r"(?P<count>\d{1,4}|" + "|".join(sorted(_NUMBERS, key=len, reverse=True)) + ")"
_DATE = r"(?P<date>\d{4}-\d{2}-\d{2}|\d{4}/\d{2}/\d{2})"
_OPEN = r"\b(?:since|after|starting)\s+(?:the\s+)?"
_CLOSE = r"\b(?:before|until|till|up to)\s+(?:the\s+)?"
_IN = r"\b(?:in|during|of)\s+(?:the\s+)?"
_MOMENT = (
    rf"(?:{_DATE}|(?P<yesterday>yesterday)|(?P<today>today)"
    rf"|(?:last|previous|past)\s+(?P<last>week|month|year|{_WEEKDAY}|{_MONTH})"
    rf"|this\s+(?P<this>week|month|year)"
    rf"|{_COUNT}\s+{_UNIT}\s+ago"
    rf"|(?P<month>{_MONTH})\.?(?:\s+(?P<monthyear>(?:19|20)\d\d))?"
    r"|(?P<year>(?:19|20)\d\d))\b"
)
_SINCE = re.compile(_OPEN + _MOMENT, re.IGNORECASE)
_UNTIL = re.compile(_CLOSE + _MOMENT, re.IGNORECASE)
_WITHIN = re.compile(_IN + _MOMENT, re.IGNORECASE)
_BARE = re.compile(
    rf"\b(?:on\s+{_DATE}|(?P<yesterday>yesterday)|(?P<today>today)"
    rf"|last\s+(?P<last>week|month|year|{_WEEKDAY})|this\s+(?P<this>week|month|year)"
    rf"|{_COUNT}\s+{_UNIT}\s+ago)\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    rf"\b(?:in|over|during|within|for)?\s*(?:the\s+)?(?:last|past)\s+{_COUNT}\s+{_UNIT}\b",
    re.IGNORECASE,
)
_MAY_VERB = re.compile(r"^may$", re.IGNORECASE)
_AUXILIARIES = ("did", "has", "have", "was", "does")
# A name counts where a colleague would take it for a person: an address, "did Sam …", "Sam's commits",
# and "by Sam" at the end of a clause ("powered by GitHub Actions" goes on, so it names no one).
_NAME = r"@?[\w.'\-]+(?:\s+[A-Z][\w.'\-]+){0,2}"
_WORK = "work|changes?|commits?|fix(?:es)?|edits?|patch(?:es)?|code|prs?|pull requests?"
_ENDS = r"(?=\s*(?:$|[?!,;)]|\.(?:\s|$)|(?:in|on|to|of|at|for|since|before|after|and|last|this|during)\b))"
_PERSON = re.compile(
    r"(?i:\b(?:by|from)\s+)?<?([\w.+\-]+@[\w.\-]+\w)>?"
    rf"|\b(?i:by|from)\s+({_NAME}){_ENDS}"
    rf"|\b(?i:{'|'.join(_AUXILIARIES)})\s+({_NAME})"
    rf"|\b([A-Z][\w.\-]+)['’]s\s+(?=(?:\w+\s+)?(?:{_WORK})\b)"
)

Authors = Callable[[], Sequence[tuple[str, str]]]
"""Gives the known (name, email) authors; asked only when the question seems to name one."""


@dataclass(frozen=True, slots=True)
class Span:
    """A span of time read from words; seconds since the epoch, either end open as None."""

    since: int | None = None
    until: int | None = None
    """Exclusive."""
    words: str = ""
    """The words it was read from."""


@dataclass(frozen=True, slots=True)
class Hints:
    """What a question narrows itself to, and the question without those words."""

    span: Span | None
    author: str | None
    rest: str


def read_hints(question: str, authors: Authors, now: datetime) -> Hints:
    """Given a question, the known authors and the local time ``now`` (naive),
    return its hints.

    Only a person who is in memory counts as an author: "by Redis" is no hint.
    """
    span = read_span(question, now)
    rest = _without(question, span.words) if span else question
    author, words = _read_author(rest, authors)
    if words:
        rest = _without(rest, words)
    return Hints(span=span, author=author, rest=rest)


def read_span(text: str, now: datetime) -> Span | None:
    """Given words such as "since April" or "in the last 3 weeks", return the span they mean.

    ``now`` is local wall-clock time, naive, so that days begin at local midnight in summer and in
    winter. None where no time is meant.
    """
    if match := _PAST.search(text):
        since = _back(now, match["count"], match["unit"])
        return Span(_epoch(since), None, match.group().strip())
    opened = _SINCE.search(text)
    closed = _UNTIL.search(text)
    if opened or closed:
        since = _moment(opened, now) if opened else None
        until = _moment(closed, now) if closed else None
        words = " ".join(m.group() for m in (opened, closed) if m)
        if since or until:
            return Span(
                _epoch(since[0]) if since else None, _epoch(until[0]) if until else None, words
            )
    for pattern in (_WITHIN, _BARE):
        match = pattern.search(text)
        if match and (bounds := _moment(match, now)):
            return Span(_epoch(bounds[0]), _epoch(bounds[1]), match.group().strip())
    return None


def read_moment(text: str, now: datetime) -> int | None:
    """Given a whole date as a person types it ("2025-01-01", "2 weeks ago", "last friday"),
    return its beginning, or None where it is none."""
    match = re.fullmatch(_MOMENT, text.strip(), re.IGNORECASE)
    bounds = _moment(match, now) if match else None
    return _epoch(bounds[0]) if bounds else None


def _moment(match: re.Match[str], now: datetime) -> tuple[datetime, datetime] | None:
    found = {name: value for name, value in match.groupdict().items() if value}
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if date := found.get("date"):
        try:
            start = datetime.strptime(date.replace("/", "-"), "%Y-%m-%d")
        except ValueError:
            return None
        return start, start + timedelta(days=1)
    if "yesterday" in found:
        return today - timedelta(days=1), today
    if "today" in found:
        return today, today + timedelta(days=1)
    if "this" in found:
        start, _ = _unit_bounds(today, found["this"].lower())
        return start, today + timedelta(days=1)
    if last := found.get("last", "").lower():
        return _last(today, last)
    if "count" in found and "unit" in found:
        start = _back(now, found["count"], found["unit"])
        if found["unit"].lower() in ("minute", "hour"):
            return start, now
        day = start.replace(hour=0, minute=0, second=0, microsecond=0)
        return day, _unit_end(day, found["unit"].lower())
    if month := found.get("month"):
        if _MAY_VERB.match(month) and not (month[0].isupper() or "monthyear" in found):
            return None
        number = _month_number(month)
        year = int(found["monthyear"]) if "monthyear" in found else _recent_year(today, number)
        start = today.replace(year=year, month=number, day=1)
        return start, _unit_end(start, "month")
    if year_text := found.get("year"):
        start = today.replace(year=int(year_text), month=1, day=1)
        return start, start.replace(year=start.year + 1)
    return None


def _last(today: datetime, word: str) -> tuple[datetime, datetime]:
    if word in ("week", "month", "year"):
        this, _ = _unit_bounds(today, word)
        start, _ = _unit_bounds(this - timedelta(days=1), word)
        return start, this
    weekday = next((n for n, day in enumerate(_WEEKDAYS) if day[:3] == word[:3]), None)
    if weekday is not None:
        start = today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1)
        return start, start + timedelta(days=1)
    number = _month_number(word)
    start = today.replace(year=_recent_year(today, number), month=number, day=1)
    return start, _unit_end(start, "month")


def _unit_bounds(day: datetime, unit: str) -> tuple[datetime, datetime]:
    start = {
        "week": day - timedelta(days=day.weekday()),
        "month": day.replace(day=1),
        "year": day.replace(month=1, day=1),
    }[unit]
    return start, _unit_end(start, unit)


def _unit_end(start: datetime, unit: str) -> datetime:
    if unit == "year":
        return start.replace(year=start.year + 1)
    if unit == "month":
        return (start.replace(day=28) + timedelta(days=4)).replace(day=min(start.day, 28))
    return start + (timedelta(days=7) if unit == "week" else timedelta(days=1))


def _back(now: datetime, count: str, unit: str) -> datetime:
    number = int(count) if count.isdigit() else _NUMBERS[" ".join(count.lower().split())]
    days = {"day": 1, "week": 7, "month": 30.4375, "year": 365.25}.get(unit.lower())
    delta = timedelta(days=number * days) if days else timedelta(**{unit.lower() + "s": number})
    return max(now - delta, now.replace(year=1971))


def _month_number(word: str) -> int:
    return next(n for n, month in enumerate(_MONTHS, 1) if month[:3] == word.lower()[:3])


def _recent_year(today: datetime, month: int) -> int:
    """The latest year in which that month has begun."""
    return today.year if month <= today.month else today.year - 1


def _epoch(moment: datetime) -> int:
    return int(moment.timestamp())


def _read_author(question: str, authors: Authors) -> tuple[str | None, str | None]:
    for match in _PERSON.finditer(question):
        said = next(group for group in match.groups() if group).lstrip("@")
        asks = match.group().split()[0].lower() in _AUXILIARIES
        for words in _shrinking(said) if asks else [said]:
            if known := _known_author(words, authors()):
                return known, words if asks else match.group().strip()
    return None, None


def _shrinking(said: str) -> list[str]:
    parts = said.split()
    return [" ".join(parts[:n]) for n in range(len(parts), 0, -1)]


def _known_author(said: str, authors: Sequence[tuple[str, str]]) -> str | None:
    folded = said.casefold()
    if len(folded) < 3:
        return None
    for name, email in authors:
        names = name.casefold().split()
        if folded in (name.casefold(), email.casefold()):
            return name
        if folded in (*names, email.casefold().partition("@")[0]) and folded not in _COMMON:
            return said
    return None


_COMMON = frozenset(["the", "this", "that", "bot", "and", "for", "not", "now"])


def _without(text: str, words: str) -> str:
    for part in [words] if words in text else words.split():
        text = text.replace(part, " ", 1)
    return " ".join(text.split())
