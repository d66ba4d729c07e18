"""The code-aware tokenizer that full text is written and asked with.

A word of code is found whole and by its parts: ``getUserName`` gives ``getusername``, ``get``,
``user``, ``name``; ``worker/retry_queue.py`` gives the path, ``retry_queue.py`` and its words. Prose is
stemmed (Snowball English). Scripts without spaces are cut into overlapping pairs of characters.
"""

from __future__ import annotations

import re
from functools import lru_cache

import Stemmer

MAX_TERM = 64
"""Characters of a term; longer ones are cut (both when written and when asked)."""

# A word may hold dots, dashes and slashes inside: module.path, v1.2.3, worker/queue.py, no-cache.
_WORD = re.compile(r"\w(?:[\w]|[.\-/+](?=\w))*")
_SEPARATOR = re.compile(r"[./\-+]")
_HEX = re.compile(r"(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}")
_PIECE = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")
_PLURAL = re.compile(r"[A-Z]{2,}s")
"""``PDFs``: no name of two words."""
_UNSPACED = re.compile(
    r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]"
)
_STOP = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "been",
        "but",
        "by",
        "can",
        "did",
        "do",
        "does",
        "for",
        "from",
        "had",
        "has",
        "have",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "of",
        "on",
        "or",
        "our",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "to",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "who",
        "why",
        "will",
        "with",
        "you",
        "your",
    ]
)

_stem = Stemmer.Stemmer("english").stemWord


def terms(text: str) -> list[str]:
    """Given any text, return its terms in order, with repeats; stop words are left out."""
    found: list[str] = []
    for word in _WORD.findall(text):
        found.extend(_expand(word))
    return found


def symbols(text: str) -> list[str]:
    """Given a question, return the words in it that can only be names of code, as whole terms.

    A word counts when its form gives it away: an underscore, a dot, a slash, an inner capital.
    """
    found: list[str] = []
    for word in _WORD.findall(text):
        if len(_PIECE.findall(word)) > 1 and _looks_like_code(word):
            found.append(word.lower()[:MAX_TERM])
    return list(dict.fromkeys(found))


def _looks_like_code(word: str) -> bool:
    inner = word[1:]
    return (
        "_" in word.strip("_")
        or ("/" in word and word.count("/") + word.count(".") > 1)
        or bool(re.search(r"[A-Za-z]{2}\.[A-Za-z]{2}", word))
        or (bool(re.search(r"[a-z][A-Z]", inner)) and not _SEPARATOR.search(word))
    )


@lru_cache(maxsize=1 << 17)
def _expand(word: str) -> tuple[str, ...]:
    whole = word.lower()
    if _HEX.fullmatch(whole):
        return (whole,)
    if _PLURAL.fullmatch(word):
        return (whole[:MAX_TERM], *_simple(whole))
    pieces = _PIECE.findall(word)
    if len(pieces) <= 1 and "_" not in word:
        return _simple(whole)
    found = [whole[:MAX_TERM]]
    _, slash, base = whole.rpartition("/")
    if slash and "." in base:
        found.append(base[:MAX_TERM])
    parts = _SEPARATOR.split(word)
    if len(parts) > 1:
        found.extend(part.lower()[:MAX_TERM] for part in parts if len(_PIECE.findall(part)) > 1)
    for piece in pieces:
        if len(piece) > 1 or piece.isdigit():
            found.extend(_simple(piece.lower()))
    return tuple(found)


def _simple(word: str) -> tuple[str, ...]:
    if word in _STOP:
        return ()
    if _UNSPACED.search(word):
        return tuple(word[i : i + 2] for i in range(max(1, len(word) - 1)))
    return (_stem(word)[:MAX_TERM],)
