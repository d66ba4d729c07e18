"""Reads a file that is one JSON array, object by object: a day's file may be larger than memory."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from typing import IO, cast

from .fields import Row

PIECE = 64 * 1024
LONGEST = 8 * 1024 * 1024
"""Characters of one object; Slack cuts a message at 40,000."""
_SPACE = " \t\r\n"


class Damaged(Exception):
    """The rest of a file can't be read."""


def objects(file: IO[bytes]) -> Iterator[Row]:
    """Yield the objects of an array. Raise Damaged where it breaks off or is none; what was
    yielded by then is good. Bytes that are no UTF-8 become U+FFFD."""
    text = _Text(file)
    if text.skip() != "[":
        raise Damaged("it is no list")
    text.at += 1
    while (sign := text.skip()) != "]":
        if sign == ",":
            text.at += 1
            continue
        value = text.value()
        if isinstance(value, dict):
            yield cast(Row, value)


class _Text:
    """What was read of a file and not used yet."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        first = file.read(PIECE)
        wide = first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        self._decoder = codecs.getincrementaldecoder("utf-16" if wide else "utf-8-sig")("replace")
        self._json = json.JSONDecoder()
        self._text = self._decoder.decode(first)
        self.at = 0

    def skip(self) -> str:
        """Return the next sign that is no space. Raise Damaged at the file's end."""
        while True:
            while self.at < len(self._text):
                if self._text[self.at] not in _SPACE:
                    return self._text[self.at]
                self.at += 1
            if not self._more(PIECE):
                raise Damaged("it breaks off")

    def value(self) -> object:
        """Return the value that begins here. Raise Damaged."""
        step = PIECE
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self.at)
            except RecursionError:
                raise Damaged("it is nested too deep") from None
            except ValueError:
                if len(self._text) - self.at > LONGEST or not self._more(step):
                    raise Damaged("it breaks off or is damaged") from None
                step *= 2
                continue
            self.at = end
            return cast(object, value)

    def _more(self, size: int) -> bool:
        """Read on. Return whether there was more."""
        piece = self._file.read(size)
        if not piece:
            return False
        self._text = self._text[self.at :] + self._decoder.decode(piece)
        self.at = 0
        return True
