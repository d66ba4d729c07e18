"""The part of a change's diff that bears on a question: a line of code, a sentence of prose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from .reasons import paragraphs, sentences_of, shorten
from .words import overlap

LIMIT = 200
"""Characters of what is quoted."""
_LEAST = 0.34
"""Share of the question's terms that it must hold."""
_PROSE = re.compile(r"\.(?:md|rst|txt|adoc|[1-9])$", re.IGNORECASE)
_ROLES = re.compile(r"(?:\s*:(?:issue|pr|ghsa|user):`[^`]*`)+\s*$")
_SENTENCE = re.compile(r"[\"'`(\[*A-Z0-9].*[.!?][\"'`)\]*]*$")


def telling_change(diff: str, path: str, wanted: frozenset[str]) -> tuple[str, str] | None:
    """Given a file's diff and the question's terms, return ("added" or "took out", what), or None.

    In prose it is whole sentences, put together from the lines they are wrapped over; what is
    only part of one is left out.
    """
    best: tuple[float, str, str] | None = None
    for sign, lines in _runs(diff):
        texts = _sentences(lines) if _PROSE.search(path) else [line.strip() for line in lines]
        for text in texts:
            score = overlap(text, wanted)
            if len(text) >= 8 and score >= _LEAST and (best is None or score > best[0]):
                best = (score, sign, text)
    if best is None:
        return None
    return "added" if best[1] == "+" else "took out", shorten(best[2], LIMIT)


def _runs(diff: str) -> Iterator[tuple[str, list[str]]]:
    """Lines that were added or taken out together."""
    for sign, lines in groupby(diff.splitlines(), key=lambda line: line[:1]):
        kept = [line[1:] for line in lines if not line.startswith(("+++", "---"))]
        if sign in ("+", "-") and kept:
            yield sign, kept


def _sentences(lines: list[str]) -> list[str]:
    """Whole sentences, each with the next one of its paragraph where both are short."""
    found: list[str] = []
    for paragraph in paragraphs("\n".join(lines)):
        whole = [text for text in sentences_of(_ROLES.sub("", paragraph)) if _SENTENCE.match(text)]
        for place, text in enumerate(whole):
            pair = " ".join(whole[place : place + 2])
            found.append(pair if len(pair) <= LIMIT else text)
    return found
