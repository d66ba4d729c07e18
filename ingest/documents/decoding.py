"""Bytes of a file into text."""

from __future__ import annotations

import codecs

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins as the one for UTF-16 does
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROLS = frozenset(range(32)) - frozenset(b"\t\n\r\f\v\x1b")


BINARY = "binary"


class NotText(Exception):
    """These bytes are no text."""


def decode(data: bytes) -> tuple[str, str]:
    """Return the text of a file, its lines ending in ``\\n``, and the encoding where it is not UTF-8.

    A byte order mark says which Unicode encoding it is; without one, what is not UTF-8 is read as
    Latin-1, in which every byte is some character. Raise NotText where it holds what no text has.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                text = data[len(mark) :].decode(encoding)
            except UnicodeDecodeError as error:
                raise NotText(f"not the {encoding} that it says it is") from error
            return _lines(text), "" if encoding == "utf-8" else encoding.upper()
    if b"\0" in data:
        raise NotText(BINARY)
    try:
        return _lines(data.decode("utf-8")), ""
    except UnicodeDecodeError:
        if sum(byte in _CONTROLS for byte in data[:4096]) > len(data[:4096]) // 50:
            raise NotText(BINARY) from None
        return _lines(data.decode("latin-1")), "Latin-1"


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
