"""The words of a question, and where they occur in a text."""

from __future__ import annotations

import re

from ..memory.tokens import terms

_WORD = re.compile(r"\w+")
ASKING = frozenset(
    terms(
        "anyone tell me explain please give show say know knows knew happen happened happens reason "
        "reasons recently lately ever still also some any other another who's what's use used using"
    )
)
"""Terms that belong to the asking, not to what is asked about."""


def question_terms(question: str) -> frozenset[str]:
    """Given a question, return the terms it is about; all its terms if nothing else is left."""
    found = frozenset(terms(question))
    return found - ASKING or found


def find_marks(text: str, wanted: frozenset[str]) -> tuple[tuple[int, int], ...]:
    """Given a text and terms, return the spans of the words that match, in order."""
    return tuple(
        word.span() for word in _WORD.finditer(text) if not wanted.isdisjoint(terms(word.group()))
    )


def overlap(text: str, wanted: frozenset[str]) -> float:
    """Given a text and terms, return the share of the terms that the text holds, 0..1."""
    if not wanted:
        return 0.0
    return len(wanted.intersection(terms(text))) / len(wanted)


def word_list(text: str) -> list[str]:
    """Given words with spaces between, return them: long tables are easier to read so."""
    return text.split()


def word_set(text: str) -> frozenset[str]:
    """The same, as a set."""
    return frozenset(text.split())
