"""Reads a document about something that went wrong: when, where, its incidents, and the sentence that
says why. Pure. The sentence is the document's own."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from .dates import day_of
from .formats import format_of
from .front_matter import Fields
from .headings import plain_title

MOST = 60_000
"""Characters of a document that are read."""
LONGEST = 240
"""Characters of a sentence that is quoted."""

_FOLDERS = re.compile(
    r"post-?_?mortem|incident|outage|(?:^|[/_-])rca(?:[/_.-]|$)|retrospective|root-?_?cause",
    re.IGNORECASE,
)
_TITLE = re.compile(
    r"\bpost-?[ _]?mortem\b|\b(?:incident|outage) (?:report|review|analysis)\b|\broot[- ]cause analysis\b",
    re.IGNORECASE,
)
_FIELD = re.compile(
    r"^[^\w\n]*(date|when|day|(?:services?|systems?|components?)(?: affected)?|affected(?: services?| systems?)?"
    r"|authors?|owners?)[*_]{0,2}\s*(?:\||:)[*_]{0,2}\s*(\S.*?)[\s|]*$",
    re.IGNORECASE | re.MULTILINE,
)
_TOP = 4_000
"""Characters in which a postmortem says when and where it was."""
_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*$|^([^\s#*>|-].*)\n(=+|-{3,})$", re.MULTILINE)
_CAUSE_HEADING = re.compile(r"\b(?:root )?causes?\b|\bwhy\b|what went wrong", re.IGNORECASE)
_CAUSE_LINE = re.compile(
    r"^\W*(?:the )?(?:root )?cause\b[\s*_]*(?::|was|is|-|–|—)[\s*_]*(?:that )?(.+)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"“(])")


@dataclass(frozen=True, slots=True)
class Incident:
    """Something that went wrong, as a document tells it."""

    title: str
    text: str
    cause: str
    """The sentence that says why; empty where none does."""

    def sentence(self, worth: Callable[[str], int]) -> str:
        """Return the sentence to quote: the cause, else the one that is worth most."""
        return self.cause or best_sentence(self.text, worth)


@dataclass(frozen=True, slots=True)
class Postmortem:
    """What a postmortem says of itself."""

    date: int | None
    """Seconds: the day it went wrong, or was written down."""
    services: tuple[str, ...]
    """What it was that went wrong: ``checkout``, ``payments``."""
    people: tuple[str, ...]


def read(path: str, title: str, text: str, fields: Fields) -> Postmortem | None:
    """Return what a document says of itself where it is a postmortem, by its path or title."""
    if not is_postmortem(path, title):
        return None
    said: dict[str, str] = {}
    for found in _FIELD.finditer(text[:_TOP]):
        said.setdefault(found[1].lower(), found[2])
    said |= {name: ", ".join(values) for name, values in fields.items()}

    def those(*names: str) -> list[str]:
        return [value for name, value in said.items() if name.startswith(names)]

    return Postmortem(
        date=day_of(*those("date", "when", "day"), path.rpartition("/")[2], title),
        services=_listed(those("service", "affected", "system", "component")),
        people=_listed(those("author", "owner")),
    )


def _listed(values: list[str]) -> tuple[str, ...]:
    names = (name.strip(" .@") for value in values for name in re.split(r",|;|\band\b", value))
    return tuple(dict.fromkeys(plain_title(name) for name in names if 0 < len(name) < 60))


def best_sentence(text: str, worth: Callable[[str], int]) -> str:
    """Return the sentence of a text that is worth most; empty where there is none."""
    return max(_sentences(text), key=worth, default="")


def is_postmortem(path: str, title: str = "") -> bool:
    """Say whether a document is about something that went wrong, by its path or its title."""
    return is_document(path) and bool(_FOLDERS.search(path) or _TITLE.search(title))


def is_document(path: str) -> bool:
    """Say whether a path is that of prose."""
    return format_of(path) is not None


def incidents(text: str, name: str) -> list[Incident]:
    """Return what a document tells of: one incident, or one for each heading of a document that
    tells of several causes. ``name`` is its title where it has none."""
    text = text[:MOST]
    headings = [
        (found.start(), found.end(), _level(found), (found[2] or found[3]).strip())
        for found in _HEADING.finditer(text)
    ]
    title = headings[0][3] if headings else name
    causes = sum(bool(_CAUSE_LINE.match(line)) for line in text.splitlines())
    causes += sum(bool(_CAUSE_HEADING.search(each[3])) for each in headings)
    levels = [each[2] for each in headings[1:] if not _CAUSE_HEADING.search(each[3])]
    if causes < 2 or not levels:
        return [Incident(title, text, _cause(text))]
    top = min(levels)
    starts = [each for each in headings[1:] if each[2] == top]
    parts: list[Incident] = []
    for number, (begin, _, _, heading) in enumerate(starts):
        end = starts[number + 1][0] if number + 1 < len(starts) else len(text)
        part = text[begin:end]
        parts.append(Incident(heading, part, _cause(part)))
    return parts


def _cause(text: str) -> str:
    for line in _paragraphs(text):
        found = None if _is_heading(line) else _CAUSE_LINE.match(line)
        if found:
            return _first(found[1])
    for found in _HEADING.finditer(text):
        if _CAUSE_HEADING.search(found[2] or found[3]):
            for paragraph in _paragraphs(text[found.end() :]):
                return "" if _is_heading(paragraph) else _first(paragraph)
    return ""


def _sentences(text: str) -> list[str]:
    found: list[str] = []
    for paragraph in _paragraphs(text):
        if not _is_heading(paragraph):
            found += [_cut(each) for each in _SENTENCE.split(paragraph) if len(each) > 10]
    return found


def _paragraphs(text: str) -> list[str]:
    """Return paragraphs, list items and headings, each in one line."""
    marked = re.sub(
        r"\n(?=[ \t]*(?:[-*+]|\d+\.)\s|#{1,6}\s|[^\w\n]*(?:root )?cause\b)",
        "\n\n",
        text,
        flags=re.IGNORECASE,
    )
    lines = (" ".join(part.split()) for part in re.split(r"\n\s*\n", marked))
    return [re.sub(r"^(?:[-*+]|\d+\.)\s+", "", line) for line in lines if line]


def _is_heading(line: str) -> bool:
    return line.startswith("#") or re.search(r"\s(?:=+|-{3,})$", line) is not None


def _first(text: str) -> str:
    return _cut(_SENTENCE.split(text.strip())[0])


def _cut(sentence: str) -> str:
    sentence = sentence.strip()
    return sentence if len(sentence) <= LONGEST else f"{sentence[: LONGEST - 1].rstrip()}…"


def _level(found: re.Match[str]) -> int:
    if found[1]:
        return len(found[1])
    return 1 if found[4].startswith("=") else 2
