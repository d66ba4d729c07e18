"""What makes two failures the same one: their message, without what differs from time to time."""

from __future__ import annotations

import re

MOST = 300
"""Characters that are kept."""
READ = 4_000
"""Characters of a message that are looked at."""

_UNITS = r"ns|us|µs|ms|s|secs?|seconds?|min|minutes?|h|hours?|days?|bytes?|[kmgt]i?b|%"
_PASSING = tuple(
    (re.compile(pattern, re.IGNORECASE), put)
    for pattern, put in (
        # Whatever lies in a folder for temporary files has a name made up for the occasion.
        (r"(?:/private)?(?:/var)?/(?:tmp|folders)/[^\s'\":,;)]+", "<temporary>"),
        (r"[A-Z]:\\[^\s'\":,;)]*\\te?mp\\[^\s'\":,;)]+", "<temporary>"),
        (r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?", "<time>"),
        (r"\b\d\d?:\d\d(?::\d\d(?:[.,]\d+)?)?\b", "<time>"),
        (r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", "<id>"),
        (r"\b0x[0-9a-f]+\b", "<id>"),
        (r"\b(?=[a-f]*\d)[0-9a-f]{7,64}\b", "<id>"),
        (rf"\b\d+(?:[.,]\d+)*\s*(?:{_UNITS})(?![a-z])", "<amount>"),
        (r"\d+(?:[.,]\d+)*", "<number>"),
    )
)


def normalise(message: str) -> str:
    """Given a message, return what stays the same of it when it happens again."""
    message = message[:READ]
    for pattern, put in _PASSING:
        message = pattern.sub(put, message)
    return " ".join(message.split()).lower()[:MOST]
