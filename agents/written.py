"""What people wrote outside of git, quoted: who said it, on what, and which of it gives a reason."""

from __future__ import annotations

import re

from ..memory.records import Chunk, Kind, Passage
from .answer_events import GIT, place_of
from .evidence import Source
from .reasons import Reason, find_reasons, shorten

_STAMP = re.compile(
    r"^([^\n:()]{1,80}) \(\d{1,2} [A-Z][a-z]+ \d{4} \d\d:\d\d(?:, ([^\n)]*))?\): ", re.MULTILINE
)
"""``Kim Noor (12 March 2026 10:04, limits/counter.py:21): ``: how a turn begins."""
_OPENING = 0.6
"""What a sentence gains that opens a pull request or a ticket: it is there to say what it is for."""
_OPENED = re.compile(r"^(#\d+) (.+)$")
_WHY = re.compile(r"^\s*(?:why|how come|what (?:speaks|spoke|was wrong))\b", re.IGNORECASE)


def reasons_in(chunk: Chunk, wanted: frozenset[str]) -> list[Reason]:
    """Return the sentences of a message, or of what was said, that look like the why that is asked
    for; of what was said, each with who said it."""
    if chunk.kind is not Kind.MESSAGE:
        return []
    if chunk.source == GIT:
        return find_reasons(chunk.text, wanted)
    first = _STAMP.search(chunk.text)
    opening = chunk.text[: first.start()] if first else ""
    found = [
        Reason(each.text, each.score + (_OPENING if each.text in opening else 0.0))
        for each in find_reasons(_STAMP.sub(r"\1: ", chunk.text), wanted)
    ]
    return sorted(found, key=lambda reason: -reason.score)


def discussed(passage: Passage, question: str) -> Chunk | None:
    """Return what was said on a commit where a question asks why, and that is known: the pull
    request that it was."""
    if not _WHY.match(question):
        return None
    others = (each for each in passage.also if each.ref != passage.chunk.ref)
    return next((each for each in others if each.kind is Kind.MESSAGE and each.source != GIT), None)


def who_wrote(source: Source) -> str:
    """Return who wrote what where and when, of an item: ``Kim Noor opened #482 "Count in Redis" in
    GitHub on 2025-03-17``."""
    ref, place = source.ref, place_of(source.ref.source)
    if ref.author and (opened := _OPENED.match(ref.subject)):
        title = quoted(shorten(opened[2]))
        return f"{ref.author} opened {opened[1]} {title} in {place} on {ref.date}"
    title = quoted(shorten(ref.subject))
    if not ref.author:  # a note that was never committed
        return f"{title} is in {place}, of {ref.date}"
    return f"{ref.author} wrote {title} in {place} on {ref.date}"


def quoted(text: str) -> str:
    """Put marks around words that are somebody's own."""
    return f"“{text}”" if '"' in text else f'"{text}"'
