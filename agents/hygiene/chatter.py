"""Small talk: discussions that say little fade with time, and what is said again and again counts
for less. Nothing is removed; only a share of the score is left.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence

from ...ingest.sources.transcript import spoken
from ...memory.council_records import SOURCE as COUNCIL
from ...memory.records import Item, ItemKind, Mark
from ...memory.tokens import terms
from ..reasons import find_reasons

ENOUGH = 30
"""Different terms with which a discussion says enough to count in full: some five sentences."""
HALF_LIFE = 30 * 86_400
"""Seconds after which half of what freshness lends is left."""
LEAST = 0.2
"""Share of the score that the oldest "+1" keeps: it is found where nothing else is."""
AGAIN = 0.5
"""What is left of a message that was sent before in other numbers only."""
STEPS = 20
"""Weights are rounded to so many steps, so that a night changes few of them."""
COPY, CHATTER, REPEATED = "copy", "small talk", "automatic message"

_POINTS_AT = re.compile(
    r"https?://\S+|(?<!\w)#\d+|\b[A-Z][A-Z0-9]{1,9}-\d+\b|\b[0-9a-f]{7,40}\b|`[^`\n]+`"
)
"""A link, a ticket, a commit, a piece of code."""
_WORTH_OF_POINTER, _WORTH_OF_REASON = 4, 10
"""Terms that one of them is worth."""
_VARYING = re.compile(r"https?://\S+|\b[0-9a-f]{7,40}\b|\d+(?:[.:\-/]\d+)*")
_SPACE = re.compile(r"[\W_]+")


def marks(repo: str, items: Sequence[Item], now: int) -> list[Mark]:
    """Return the marks of discussions that are copies of others, repeated or small talk.

    ``now`` counts by its day.
    """
    oldest_first = sorted(items, key=lambda item: (item.time, item.ref))
    found: dict[str, Mark] = {}
    by_text: dict[tuple[str, str], str] = {}
    for item in oldest_first:
        said = _SPACE.sub(" ", f"{item.title} {item.text}".casefold()).strip()
        first = by_text.setdefault((item.kind.value, said), item.ref)
        if first != item.ref and not item.key:
            found[item.ref] = Mark(repo, item.ref, folded_into=first, why=COPY)
    threads = [
        item
        for item in oldest_first
        if item.kind is ItemKind.THREAD and item.source != COUNCIL and item.ref not in found
    ]
    again = repeated(threads)
    for item in threads:
        weight = weight_of(item, now)
        why = CHATTER
        if item.ref in again:
            weight, why = min(weight, AGAIN), REPEATED  # a reason that no day changes
        if weight < 1.0:
            found[item.ref] = Mark(repo, item.ref, weight=weight, why=why)
    return [found[ref] for ref in sorted(found)]


def weight_of(item: Item, now: int) -> float:
    """Return which share of its score a discussion keeps, LEAST..1.

    Forgetting as a curve over time, R = 2^(-t / h) (Ebbinghaus 1885; for a program's memory in
    Zhong et al. 2024, "MemoryBank"), of which only what a discussion lacks in substance s is
    subject to: s + (1 - s) · R / 2. So a decision never fades, and a fresh "+1" counts half.
    """
    substance = substance_of(item)
    days = max(0, now // 86_400 - item.changed // 86_400)
    kept = 0.5 * math.exp2(-days * 86_400 / HALF_LIFE)
    weight = max(LEAST, substance + (1 - substance) * kept)
    return round(weight * STEPS) / STEPS


def substance_of(item: Item) -> float:
    """Return how much a discussion says, 0..1: by its different terms, by what it points at, and
    by the reasons it gives. Who said it, and when, tells nothing."""
    names = {term for name, _ in item.people for term in terms(name)}
    text = spoken(item.text)
    said = set(terms(text)) - names
    points = len(set(_POINTS_AT.findall(text)))
    reasons = len(find_reasons(spoken(f"{item.title}\n\n{text}"), frozenset()))
    worth = len(said) + points * _WORTH_OF_POINTER + reasons * _WORTH_OF_REASON
    return min(1.0, worth / ENOUGH)


def repeated(threads: Sequence[Item]) -> frozenset[str]:
    """Given discussions, oldest first, return those that say what an earlier one said, but for
    numbers, dates, shas and links: what a build or a bot writes each time."""
    seen: dict[tuple[str, str], list[str]] = defaultdict(list)
    for item in threads:
        form = _SPACE.sub(" ", _VARYING.sub("0", f"{item.title} {item.text}".casefold())).strip()
        seen[item.source, form].append(item.ref)
    return frozenset(ref for refs in seen.values() for ref in refs[1:])
