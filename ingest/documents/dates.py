"""Days, as people write them in documents."""

from __future__ import annotations

import re
from datetime import UTC, datetime

_MONTHS = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1
    )
}
_ISO = re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_DAY_FIRST = re.compile(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)?\.?\s+([A-Za-z]{3,9})\.?,?\s+(\d{4})")
_MONTH_FIRST = re.compile(r"([A-Za-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})")


def day_of(*texts: str) -> int | None:
    """Return the first day that is written in some texts, as seconds of its noon in UTC.

    Read are ``2026-03-12``, ``12 March 2026`` and ``March 12, 2026``; ``3/12/2026`` can be two days,
    and is none.
    """
    for text in texts:
        places: list[tuple[int, int, int, int]] = []
        for found in _ISO.finditer(text):
            places.append((found.start(), int(found[1]), int(found[2]), int(found[3])))
        for found in _DAY_FIRST.finditer(text):
            if month := _MONTHS.get(found[2][:3].lower()):
                places.append((found.start(), int(found[3]), month, int(found[1])))
        for found in _MONTH_FIRST.finditer(text):
            if month := _MONTHS.get(found[1][:3].lower()):
                places.append((found.start(), int(found[3]), month, int(found[2])))
        for _, year, month, day in sorted(places):
            try:
                when = datetime(year, month, day, 12, tzinfo=UTC)
            except ValueError:
                continue
            if 1970 <= year < 2100:
                return int(when.timestamp())
    return None
