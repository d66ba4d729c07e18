"""Secrets out, before anything is stored: each becomes ``[redacted:<kind>]``.

Two detectors look at everything: Kingfisher's catalogue of token formats (some 490 rules, run in
this process, offline), and our own rules for what only its surroundings give away.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import accumulate

from kingfisher_sdk import Rules, Scanner

from .assignments import Span, find, is_placeholder

_BETWEEN = b"\n\n"
"""Parts the pieces that are scanned together."""
_loading = threading.Lock()


def redact(text: str) -> tuple[str, int]:
    """Return the text without its secrets, and how many there were."""
    (clean,), (count,) = redact_all([text.encode("utf-8", "surrogatepass")])
    return clean.decode("utf-8", "surrogatepass"), count


def redact_all(pieces: Sequence[bytes]) -> tuple[list[bytes], list[int]]:
    """Return the pieces without their secrets, and how many each had.

    Scanning many small pieces at once costs a fraction of scanning them one by one; some 256 kB
    in all is a good size. A secret is never looked for across two pieces.
    """
    joined = _BETWEEN.join(pieces)
    spans = [*_catalogued(joined), *find(joined)]
    counts = [0] * len(pieces)
    if not spans:
        return list(pieces), counts
    starts = list(accumulate((len(piece) + len(_BETWEEN) for piece in pieces), initial=0))
    found: dict[int, list[Span]] = {}
    for span in spans:
        index = bisect_right(starts, span.start) - 1
        begin, end = starts[index], starts[index] + len(pieces[index])
        if span.start < end:
            inside = Span(span.start - begin, min(span.end, end) - begin, span.kind)
            found.setdefault(index, []).append(inside)
    clean = list(pieces)
    for index, overlapping in found.items():
        merged = _merged(overlapping)
        clean[index] = cover(pieces[index], merged)
        counts[index] = len(merged)
    return clean, counts


def cover(piece: bytes, spans: Sequence[Span]) -> bytes:
    """Replace spans, which are in order and apart. Lines stay lines, and keep a diff's sign."""
    parts: list[bytes] = []
    position = 0
    for span in spans:
        parts.append(piece[position : span.start])
        parts.append(f"[redacted:{span.kind}]".encode())
        for line in piece[span.start : span.end].split(b"\n")[1:]:
            parts.append(b"\n" + (line[:1] if line[:1] in (b"+", b"-", b" ") else b""))
        position = span.end
    parts.append(piece[position:])
    return b"".join(parts)


def warm_up() -> None:
    """Load the catalogue now: 0.3 s, or 4 s when this machine has no compiled copy cached yet."""
    _scanner()


def _scanner() -> Scanner:
    with _loading:  # who comes while it is loaded waits for it, and loads no second one
        return _loaded()


@cache
def _loaded() -> Scanner:
    return Scanner(Rules(), base64=False)


def _catalogued(data: bytes) -> list[Span]:
    spans: list[Span] = []
    for finding in _scanner().scan(data):
        place = finding.location
        kind = finding.rule_id.rpartition(".")[2]
        if kind == "generic-credential-uri" and is_placeholder(finding.secret.encode()):
            continue  # https://user:pass@…, as manuals have it
        spans.append(Span(place["start_offset"], place["end_offset"], kind))
    return spans


def _merged(spans: list[Span]) -> list[Span]:
    """Put spans in order and join those that overlap; the widest gives the kind."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = Span(last.start, max(last.end, span.end), last.kind)
        else:
            merged.append(span)
    return merged
