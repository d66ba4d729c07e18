"""Whole sentences out of a stream of pieces, each with the citations that follow it."""

from __future__ import annotations

import re
from collections.abc import Iterator

_END = re.compile(
    r"[.!?…][\"'”’)\]`*]*(?:\s*\[[\d,\s]+\])*(?:[.!?]?)(?=\s+[^\s\[a-z])"  # the next one has begun
    r"|\s*\n\s*(?=\S)"  # a line of a list
)
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|no|Mr|Dr|St)|^\s*\d+|\b[A-Z])\.$")


class SentenceSplitter:
    """Feed it pieces; it yields a sentence when the next one begins, and the rest at the end."""

    def __init__(self) -> None:
        self._buffer = ""

    def feed(self, piece: str) -> Iterator[str]:
        """Given the next piece, yield the sentences that are complete by now."""
        self._buffer += piece
        start = 0
        while found := _END.search(self._buffer, start):
            end = found.end()
            sentence = self._buffer[:end]
            if "\n" not in found.group() and (
                _ABBREVIATION.search(sentence.rstrip()) or _inside_quote(sentence)
            ):
                start = end
                continue
            self._buffer = self._buffer[end:]
            start = 0
            if sentence.strip():
                yield sentence.strip()

    def finish(self) -> str:
        """Return what is left when the stream has ended."""
        rest, self._buffer = self._buffer.strip(), ""
        return rest


def _inside_quote(text: str) -> bool:
    return text.count("`") % 2 == 1 or text.count('"') % 2 == 1 or text.count("“") > text.count("”")
