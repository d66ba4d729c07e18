"""How well a text bears on a failure: 0 to 1. Pure, and measured on a labelled table (tests)."""

from __future__ import annotations

import builtins
import re
from collections.abc import Collection
from dataclasses import dataclass

from .records import Failure

FLOOR = 0.5
"""Nothing below is attached."""

_GENERIC = frozenset(
    [
        "AssertionError",
        "Exception",
        "Error",
        "RuntimeError",
        "ValueError",
        "TypeError",
        "KeyError",
        "AttributeError",
        "IndexError",
        "NameError",
        "OSError",
        "ImportError",
        "Failed",
    ]
)
"""Exceptions that say little: half of all failures are of these."""
_BUILT_IN = frozenset(name for name in dir(builtins) if name.endswith("Error"))
"""They say more, but not whose they are."""
_STOP = frozenset(
    [
        "test",
        "tests",
        "should",
        "returns",
        "return",
        "when",
        "with",
        "without",
        "that",
        "this",
        "does",
        "from",
        "into",
        "after",
        "before",
        "have",
        "been",
        "same",
        "only",
        "case",
        "and",
        "the",
        "for",
        "not",
        "are",
        "was",
        "were",
        "none",
        "true",
        "false",
        "assert",
        "error",
        "failed",
        "fails",
        "raises",
        "raise",
        "expected",
        "actual",
        "value",
        "object",
        "line",
        "file",
        "self",
        "class",
        "function",
    ]
)
_FAILING = re.compile(
    r"\b(?:fix\w*|flak\w+|fail\w*|revert\w*|regress\w*|broke\w*|race|skew|time-?outs?|bugs?|incident"
    r"|outage|causes?d?|because|workaround|hang|hung|deadlock|crash\w*|wrong)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z][a-z]+|[A-Z]{2,}|\d+")
_TOKEN = re.compile(r"[A-Za-z_][\w.-]*\w")


@dataclass(frozen=True, slots=True)
class Features:
    """What of a failure can be found again in a text."""

    name: str
    """The test function's name."""
    name_words: frozenset[str]
    files: frozenset[str]
    """Base names of the files it went through."""
    exception: str
    message_words: frozenset[str]


def features(test: str, failure: Failure) -> Features:
    """Return what is looked for of a failing test."""
    file, _, rest = test.partition("::")
    name = re.sub(r"\[.*", "", rest.rpartition("::")[2] or rest)
    paths = [file, failure.path, *(path for path, _ in failure.frames)]
    return Features(
        name=name,
        name_words=_words(name),
        files=frozenset(path.rpartition("/")[2] for path in paths if path),
        exception=failure.exception.rpartition(".")[2],
        message_words=_words(failure.message),
    )


def question(test: str, failure: Failure) -> str:
    """Return what memory is asked about a failure."""
    wanted = features(test, failure)
    words = [re.sub(r"[_\W]+", " ", wanted.name), failure.message]
    if wanted.exception not in _GENERIC:
        words.insert(1, wanted.exception)
    stems = [name.rpartition(".")[0] or name for name in sorted(wanted.files)]
    return " ".join([*words, *(stem.removeprefix("test_") for stem in stems)])[:1_000]


def score(wanted: Features, text: str, *, postmortem: bool = False, told: bool = True) -> float:
    """Return how well a text bears on a failure. ``told``: it is prose about something that went
    wrong for its own sake, as documents are; a commit's message has to say so."""
    words = _words(text)
    tokens = frozenset(_TOKEN.findall(text)) | frozenset(re.findall(r"\w+", text))
    total = 0.0
    if wanted.name and wanted.name in tokens:
        total += 0.55 if wanted.name.count("_") >= 2 or len(wanted.name) >= 12 else 0.25
    total += 0.2 * bool(_named(wanted.files, text))
    if wanted.exception and wanted.exception in tokens:
        own = wanted.exception not in _BUILT_IN
        total += 0.05 if wanted.exception in _GENERIC else 0.42 if own else 0.25
    total += 0.45 * _share(wanted.message_words, words)
    total += 0.4 * _share(wanted.name_words, words)
    if postmortem:
        total *= 1.2
    elif not told and not tells_of_failing(text):
        total *= 0.5
    return min(1.0, total)


def tells_of_failing(text: str) -> bool:
    """Say whether a text says that something goes or went wrong."""
    return _FAILING.search(text) is not None


def same_message(one: str, other: str) -> bool:
    """Say whether two messages are the same but for numbers, addresses and quoted values."""
    return _normal(one) == _normal(other)


def says_much(message: str) -> bool:
    """Say whether a message is more than numbers compared."""
    return len(_words(message)) >= 3


def matches(wanted: Features, sentence: str) -> int:
    """Return how many of the things looked for a sentence holds."""
    words = _words(sentence)
    named = bool(wanted.name and wanted.name in sentence) + bool(_named(wanted.files, sentence))
    return 2 * named + len(words & (wanted.message_words | wanted.name_words))


def _named(files: Collection[str], text: str) -> list[str]:
    return [
        name
        for name in files
        if len(name) >= 6 and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)
    ]


def _share(wanted: Collection[str], words: Collection[str]) -> float:
    """Return which share of the words is there; one alone is chance."""
    found = sum(word in words for word in wanted)
    return found / max(len(wanted), 3) if found >= 2 else 0.0


def _words(text: str) -> frozenset[str]:
    found = (_stem(word.lower()) for word in _WORD.findall(text) if not word.isdigit())
    return frozenset(word for word in found if len(word) >= 3 and word not in _STOP)


def _stem(word: str) -> str:
    for ending in ("ing", "ies", "es", "ed", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word.removesuffix(ending)
    return word


def _normal(message: str) -> str:
    text = re.sub(r"0x[0-9a-f]+|'[^']*'|\"[^\"]*\"|\d+(?:\.\d+)?", "#", message)
    return " ".join(text.split()).lower()
