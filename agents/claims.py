"""The facts a sentence claims, found by rule: citations, shas, paths, quotations, days, numbers,
names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from .words import word_list, word_set

_CITATION = re.compile(r"\[\s*(?:source\s+)?\d+(?:\s*[,;]\s*\d+)*\s*\]", re.IGNORECASE)
_QUOTE = re.compile(r"`([^`]+)`|\"([^\"]+)\"|“([^”]+)”|«([^»]+)»")
_SHA = re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b")
_PATH = re.compile(
    r"(?<![\w/.:-])(?:[\w.@+-]+/)+[\w.@+-]*\w"
    r"|(?<![\w/.-])[\w-]+\.(?:py|js|ts|tsx|jsx|rs|go|c|h|cc|cpp|hpp|java|kt|rb|php|cs|swift|sh|md|rst|"
    r"txt|toml|yaml|yml|json|cfg|ini|html|css|sql|lock|xml)\b"
)
_MONTHS = word_list(
    "january february march april may june july august september october november december"
)
_MONTH = r"(?P<month>" + "|".join(f"{m}|{m[:3]}\\.?" for m in _MONTHS) + r"|sept\.?)"
_DAYS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?P<year>(?:19|20)\d\d)-(?P<number>\d\d)-(?P<day>\d\d)(?:T[\d:.Z+-]+)?\b",
        rf"\b{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>(?:19|20)\d\d)\b",
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH},?\s+(?P<year>(?:19|20)\d\d)\b",
        rf"\b{_MONTH}\s+(?P<year>(?:19|20)\d\d)\b",
        rf"\b{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b",
    )
)
_NUMBER = re.compile(r"(?<![\w.])#?v?\d+(?:[.,]\d+)*(?:\.\w+)?%?(?!\w)")
_NUMBER_WORDS = dict(
    zip(
        word_list("two three four five six seven eight nine ten eleven twelve"),
        range(2, 13),
        strict=True,
    )
)
_SYMBOL = re.compile(
    r"(?<![\w.])(?:--?[a-z][\w-]+|\w*_\w+(?:\(\))?|[a-z]+[A-Z]\w*(?:\(\))?|[A-Z][a-z0-9]+[A-Z]\w*(?:\(\))?"
    r"|[A-Za-z]\w+(?:\.[A-Za-z]\w+)+(?:\(\))?|\w+\(\))"
)
_NAME = re.compile(r"(?<![\w'’.-])[A-Z][\w'’-]*")
_COMMON = word_set(
    "The This That These Those It Its They Their He She His Her We I You A An In On At By For From To "
    "With Without After Before Since When While Where Which What Who Why How As Because If But And Or "
    "So Then There Also However Therefore Thus Instead Later Earlier Finally First Second Third Both "
    "Each Every All Some Most Many No Not Only Other Another According Based Due During Until Once "
    "Additionally Furthermore Previously Originally Initially Currently Now Here Commit Commits "
    "Source Sources Yes Although Though Despite Rather Users User Support Adding Removing Using "
    "API CLI PR ID OK"
)


@dataclass(frozen=True, slots=True)
class Day:
    """A day, a month or a day without its year, as far as the sentence says it."""

    text: str
    year: int | None
    month: int
    day: int | None


@dataclass(frozen=True, slots=True)
class Claims:
    """What a sentence claims that can be looked up."""

    numbers: tuple[int, ...]
    """The sources it cites."""
    prose: str
    """The sentence without citations."""
    words: str
    """What is left of it without paths, shas and days."""
    shas: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    days: tuple[Day, ...] = ()
    figures: tuple[str, ...] = ()
    """Numbers in digits, e.g. ``3``, ``v1.2``, ``#482``, and number words as digits."""
    names: tuple[str, ...] = ()
    """Names of people, products and code."""


def find_claims(sentence: str) -> Claims:
    """Given a sentence, return the facts it claims."""
    numbers = [int(n) for cited in _CITATION.findall(sentence) for n in re.findall(r"\d+", cited)]
    prose = _CITATION.sub("", sentence).strip()
    prose = re.sub(r"^\s*(?:[-*•]|\d+[.)])\s+", "", prose)
    quoted = [next(group for group in found if group) for found in _QUOTE.findall(prose)]
    rest = _QUOTE.sub(" ", prose)
    paths, rest = _take(_PATH, rest)
    shas, rest = _take(_SHA, rest)
    # A sha or a path in quotes is a name, not what somebody said.
    shas += [text for text in quoted if _SHA.fullmatch(text)]
    paths += [text for text in quoted if _PATH.fullmatch(text)]
    quotes = [text for text in quoted if text not in shas and text not in paths]
    days: list[Day] = []
    for form in _DAYS:
        days += [_day(found) for found in form.finditer(rest)]
        rest = form.sub(" ", rest)
    words = _without(prose, [*paths, *shas, *(day.text for day in days)])
    symbols, rest = _take(_SYMBOL, rest)
    figures, rest = _take(_NUMBER, rest)
    figures += [str(_NUMBER_WORDS[w]) for w in re.findall(r"[a-z]+", rest) if w in _NUMBER_WORDS]
    names = [name for name in _NAME.findall(rest) if _bare(name) not in _COMMON]
    if names and rest.lstrip().startswith(names[0]) and _ordinary(names[0]):
        names = names[1:]
    return Claims(
        numbers=tuple(dict.fromkeys(numbers)),
        prose=prose,
        words=words,
        shas=tuple(shas),
        paths=tuple(paths),
        quotes=tuple(quotes),
        days=tuple(days),
        figures=tuple(figures),
        names=tuple(dict.fromkeys([*symbols, *(_bare(name) for name in names)])),
    )


def _without(text: str, parts: Iterable[str]) -> str:
    for part in parts:
        text = text.replace(part, " ")
    return text


def _take(form: re.Pattern[str], text: str) -> tuple[list[str], str]:
    return [found.group() for found in form.finditer(text)], form.sub(" ", text)


def _day(found: re.Match[str]) -> Day:
    parts = found.groupdict()
    month = parts.get("month")
    number = (
        int(parts["number"])
        if month is None
        else next(n for n, m in enumerate(_MONTHS, 1) if m[:3] == month[:3].lower())
    )
    year, day = parts.get("year"), parts.get("day")
    return Day(found.group(), int(year) if year else None, number, int(day) if day else None)


def _bare(name: str) -> str:
    return re.sub(r"['’]s?$", "", name)


def _ordinary(word: str) -> bool:
    """Whether a capital at the start of a sentence may be there only because of its place."""
    return word[1:].islower() and len(word) > 1
