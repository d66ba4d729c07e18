"""Where text that a parser returns stands in its source, character by character.

Parsers give the lines of a paragraph, not the columns of what is in it. A mention must be exact:
the same word may stand beside it in prose. So the source is followed along the parsed text; a line
break of the source, with what begins its next line, may be a space or a line break there.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

_NEXT_LINE = re.compile(r"[ \t]*\n[ \t>]*")
_BACKTICKS = re.compile(r"`+")


@dataclass(slots=True)
class Source:
    """The text of a document, by offset and by line and column."""

    text: str
    _starts: list[int] = field(default_factory=list[int])

    def __post_init__(self) -> None:
        self._starts = [0, *(found.end() for found in re.finditer("\n", self.text))]

    def offset(self, line: int, column: int = 0) -> int:
        """Return the offset of a line, from 1, and a column, from 0; past the end, the end."""
        if line > len(self._starts):
            return len(self.text)
        return min(self._starts[max(line, 1) - 1] + column, len(self.text))

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line, from 1, and the column, from 0, of an offset."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1]

    def follow(self, start: int, wanted: str) -> list[int] | None:
        """Return the offset of each character of a text that begins at ``start``, and of what
        follows it; None if another text stands there."""
        found: list[int] = []
        at, index = start, 0
        while index < len(wanted):
            letter = wanted[index]
            here = self.text[at : at + 1]
            if letter in " \t\n" and (gap := _NEXT_LINE.match(self.text, at)):
                # Blanks at the beginning of the next line may have been kept.
                while index < len(wanted) and wanted[index] in " \t\n":
                    found.append(at)
                    index += 1
                at = gap.end()
                continue
            if here == "\\" != letter:  # an escape: a bar in a cell, anything in a role
                at += 1
                here = self.text[at : at + 1]
            if not here or letter != here:
                return None
            found.append(at)
            at += 1
            index += 1
        return [*found, at]

    def find(self, wanted: str, start: int, end: int) -> list[int] | None:
        """Return the offsets of a text that begins between ``start`` and ``end``, as `follow`."""
        if not wanted:
            return None
        plain = re.match(r"[^\s\\|]+", wanted)
        first = plain[0] if plain else wanted[0]
        at = self.text.find(first, start, end)
        while at >= 0:
            if found := self.follow(at, wanted):
                return found
            at = self.text.find(first, at + 1, end)
        return None

    def code(self, wanted: str, marks: str, start: int, end: int) -> list[int] | None:
        """Return the offsets of the text of a piece of inline code between such ``marks``."""
        for opening in self._ticks(marks, start, end):
            begin = opening + len(marks)
            for inside in dict.fromkeys((begin, *self._after_blank(begin))):
                found = self.follow(inside, wanted)
                if found is None:
                    continue
                ends = (found[-1], *self._after_blank(found[-1]))
                if any(self._is_run(each, marks) for each in ends):
                    return found
        return None

    def _ticks(self, marks: str, start: int, end: int) -> Iterator[int]:
        for found in _BACKTICKS.finditer(self.text, start, end):
            before = re.search(r"\\*\Z", self.text[max(0, found.start() - 20) : found.start()])
            escaped = before is not None and len(before[0]) % 2 == 1
            if found[0] == marks and not escaped:
                yield found.start()

    def _after_blank(self, at: int) -> Sequence[int]:
        if gap := _NEXT_LINE.match(self.text, at):
            return (gap.end(),)
        return (at + 1,) if self.text[at : at + 1] == " " else ()

    def _is_run(self, at: int, marks: str) -> bool:
        found = _BACKTICKS.match(self.text, at)
        return found is not None and found[0] == marks
