"""A question, taken apart: what is searched for, what it names to the letter, how it is narrowed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from .authority import RECORD
from .hints import Hints
from .records import Filters
from .tokens import symbols, terms

_FILLER = frozenset(
    terms(
        "happen happened change changed new news recent recently latest lately work worked done "
        "going commit commits update updated everything anything something stuff things us me "
        "tell show list summarize summary"
    )
)
"""Words that ask without saying about what."""
_RECENT = "recent"
_OPEN_ENDED = re.compile(r"\s*(?:what|who|show|tell|list|summari[sz]e)\b", re.IGNORECASE)
_QUOTED = re.compile(r"`([^`]+)`")
_SHA = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b", re.IGNORECASE)
_TICKET = re.compile(r"(?<![\w&])#\d{1,7}\b|\b[A-Z][A-Z0-9]{1,9}-\d{1,6}\b")
_SHORTENED = re.compile(r"(?<=\w)['’](?:s|re|ve|ll|d|m|t)\b", re.IGNORECASE)
"""The tail of "what's" and "didn't", which would be searched for as a letter."""
_NEGATED = re.compile(
    r"\b(?:do|does|did|is|are|was|were|has|have|had|ca|could|wo|would|should)n['’]t\b",
    re.IGNORECASE,
)
"""``don't`` would be searched for as "don"."""
FEW = 3
"""Other terms up to which a question is about the symbols, or the ticket, that it names."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, taken apart."""

    terms: list[str]
    """What full text searches for; empty when the question has no subject."""
    text: str
    """Without the words that were hints; what is embedded."""
    subjectless: bool
    """It asks, but about nothing in particular ("what happened last week?")."""
    symbols: list[str]
    pins_symbols: bool
    """Whether it asks for its symbols alone, so that their exact matches come first."""
    shas: list[str]
    tickets: list[str]


def take_apart(text: str, whole: str, *, narrowed: bool) -> Asked:
    """Given a question without its hints and as it was asked, return its parts.

    ``narrowed``: words of it were taken as who or when, so that the rest may well be no subject.
    """
    text = _SHORTENED.sub("", _NEGATED.sub(" ", text))
    unique = [term for term in dict.fromkeys(terms(text)) if term != _RECENT]
    subjectless = bool(terms(whole)) and _FILLER.issuperset(unique)
    if not (narrowed or _OPEN_ENDED.match(text)):
        subjectless = False
    named = symbols(text)
    quoted = [word for part in _QUOTED.findall(text) for word in symbols(part) or terms(part)[:1]]
    covered = {term for name in named for term in terms(name)}
    others = [term for term in unique if term not in covered]
    records = [f"ADR-{found['number']}" for found in RECORD.finditer(whole)]
    return Asked(
        terms=[] if subjectless else unique,
        text=text,
        subjectless=subjectless,
        symbols=list(dict.fromkeys([*named, *quoted])),
        pins_symbols=bool(quoted) or (bool(named) and len(others) <= FEW),
        shas=list(dict.fromkeys(sha.lower() for sha in _SHA.findall(whole))),
        tickets=list(dict.fromkeys([*_TICKET.findall(RECORD.sub(" ", whole)), *records])),
    )


def narrow(filters: Filters, hints: Hints) -> tuple[Filters, dict[str, str]]:
    """Fill what the filters leave open from the hints; also return what was taken, as words."""
    said: dict[str, str] = {}
    if hints.author and filters.author is None:
        filters = replace(filters, author=hints.author)
        said["author"] = hints.author
    if hints.span and filters.since is None and filters.until is None:
        until = hints.span.until
        filters = replace(
            filters, since=hints.span.since, until=until - 1 if until is not None else None
        )
        said["when"] = hints.span.words
    return filters, said


def spoken(said: Mapping[str, str]) -> str:
    """Say in words what a question was narrowed by."""
    return " and ".join(f"{what} “{words}”" for what, words in said.items())
