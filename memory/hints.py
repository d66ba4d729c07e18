"""Read from a question's words when, who and where it asks about.

Hints narrow a search the way a colleague would take the words; recall says which it took.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from .dates import MONTHS, NUMBERS, WEEKDAYS, span

_MONTH = "|".join([*MONTHS, *(month[:3] for month in MONTHS), "sept"])
_WEEKDAY = "|".join([*WEEKDAYS, *(day[:3] for day in WEEKDAYS)])
_COUNT = r"(?:\d{1,4}|" + "|".join(sorted(NUMBERS, key=len, reverse=True)) + ")"
_UNITS = r"(?:minute|hour|day|week|month|year)s?"
_DAY = r"\d{4}[-/]\d{1,2}[-/]\d{1,2}"
_DAY_NAME = "|".join(WEEKDAYS)
_NEAR = (
    rf"yesterday|today|(?:last|previous|this)\s+(?:week|month|year|{_WEEKDAY})"
    rf"|{_COUNT}\s+{_UNITS}\s+ago"
)
_MOMENT = (
    rf"({_DAY}|{_NEAR}|last\s+(?:{_MONTH})|(?:{_MONTH})\.?(?:\s+(?:19|20)\d\d)?|(?:19|20)\d\d)\b"
)
_SINCE = re.compile(
    rf"\b(?:since|after|starting)\s+(?:the\s+)?(?:{_MOMENT}|({_DAY_NAME})\b)", re.IGNORECASE
)
_UNTIL = re.compile(
    rf"\b(?:before|until|till|up to)\s+(?:the\s+)?(?:{_MOMENT}|({_DAY_NAME})\b)", re.IGNORECASE
)
_WITHIN = re.compile(rf"\b(?:in|during|of)\s+(?:the\s+)?{_MOMENT}", re.IGNORECASE)
_ON = re.compile(rf"\bon\s+({_DAY})\b", re.IGNORECASE)
_BARE = re.compile(rf"\b({_NEAR})\b", re.IGNORECASE)
_PAST = re.compile(
    rf"\b(?:(?:in|over|during|within|for)\s+)?(?:the\s+)?((?:last|past)\s+{_COUNT}\s+{_UNITS})\b",
    re.IGNORECASE,
)
_WIDTH = {"week": 7, "month": 31, "year": 366}
"""Days that "3 weeks ago" means when nobody says which day."""

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
        bounds = _bounds(match[1], now)
        return Span(_epoch(bounds[0]), None, match.group().strip()) if bounds else None
    opened, closed = _SINCE.search(text), _UNTIL.search(text)
    since = _bounds(opened[1] or opened[2], now) if opened else None
    until = _bounds(closed[1] or closed[2], now) if closed else None
    if since or until:
        words = " ".join(m.group() for m, b in ((opened, since), (closed, until)) if m and b)
        return Span(_epoch(since[0]) if since else None, _epoch(until[0]) if until else None, words)
    for pattern in (_WITHIN, _ON, _BARE):
        match = pattern.search(text)
        if match and (bounds := _bounds(match[1], now)):
            return Span(_epoch(bounds[0]), _epoch(bounds[1]), match.group().strip())
    return None


def _bounds(words: str, now: datetime) -> tuple[datetime, datetime] | None:
    if words == "may":  # the verb; the month has a capital or a year
        return None
    said = " ".join(words.lower().split()).replace("previous", "last")
    found = span(said, now)
    unit = re.search(r"(week|month|year)s? ago$", said)
    if found and unit:
        return found[0], min(found[0] + timedelta(days=_WIDTH[unit[1]]), now)
    return found


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
