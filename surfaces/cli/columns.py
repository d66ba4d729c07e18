"""Rows of short cells as lines of a terminal: aligned, and never wider than it."""

from __future__ import annotations

from .output import NARROWEST
from .text import fit, width_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .output import Stream

    Cell = tuple[str, str]

GAP = 2
LEAST = 16
"""Columns that the last cell must have, or a less important one gives way, if nothing else is said."""


def columns(
    rows: Sequence[Sequence[Cell]], stream: Stream, *, give: Sequence[int], least: int = LEAST
) -> list[str]:
    """Given rows of cells (text and style), return their lines. The last cell takes what room is
    left. Where that is less than ``least``, the columns of ``give`` are left out, first named
    first."""
    if not rows:
        return []
    room = max(NARROWEST, stream.columns) if stream.terminal else 0
    widths = [max(width_of(row[n][0]) for row in rows) for n in range(len(rows[0]))]
    kept = [n for n, width in enumerate(widths) if width]
    last = len(widths) - 1
    for number in give:
        if not room or _taken(widths, kept, last) + min(least, widths[last]) <= room:
            break
        if number in kept:
            kept.remove(number)
    return [_line([(row[n], widths[n]) for n in kept], room, stream) for row in rows]


def _taken(widths: Sequence[int], kept: Sequence[int], last: int) -> int:
    return sum(widths[n] + GAP for n in kept if n != last)


def _line(cells: Sequence[tuple[Cell, int]], room: int, stream: Stream) -> str:
    line, at = "", 0
    for number, ((text, style), width) in enumerate(cells):
        shown = fit(text, room - at) if room else text
        line += stream.style(shown, style)
        at += width_of(shown)
        if number < len(cells) - 1:
            pad = width - width_of(shown) + GAP
            if room and at + pad >= room:
                break
            line += " " * pad
            at += pad
    return line.rstrip()
