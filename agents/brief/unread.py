"""Which sources could not be read, and since when what they say is as it was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...memory.sources import SourceRow
from .calendar import day_of, words_for
from .records import Period

AWAY = 12 * 3_600
"""Seconds that a source may be away, or ask to be left alone, before a brief says so."""
_BY_ITSELF = "source_away"


def unread(sources: Iterable[SourceRow], period: Period) -> Iterator[str]:
    """Yield which sources are behind, each in a few words: ``slack: failed, not read since Tuesday``;
    why is for ``hermes sources`` to say."""
    for row in sources:
        if row.paused:
            yield f"{row.name}: paused, {_since(row, period)}"
        elif row.fault is not None:
            last = row.synced or row.added
            if row.fault.code != _BY_ITSELF or period.until - last >= AWAY:
                yield f"{row.name}: failed, {_since(row, period)}"


def _since(row: SourceRow, period: Period) -> str:
    if row.synced is None:
        return "never read"
    words = words_for(day_of(row.synced, period.zone), period.day)
    return f"not read {words}" if words.startswith("since") else f"last read {words}"
