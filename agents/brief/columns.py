"""Text in columns: how wide it is, cut and wrapped; and nothing in it that steers a terminal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
"""C0, DEL, C1, line ends of other kinds, what reorders text and what can't be seen."""
_AS_ASCII = str.maketrans({
    "…": "...", "–": "-", "—": "-", "‘": "'", "’": "'", "“": '"', "”": '"', "·": "-", "→": "->",
    "×": "x", "ß": "ss", "æ": "ae", "ø": "o", "ł": "l", "Ø": "O", "Ł": "L", "Æ": "AE",
})  # fmt: skip


def harmless(text: str) -> str:
    """Return text of others on one line, without anything that could steer a terminal."""
    text = text.encode("utf-8", "replace").decode("utf-8")  # half characters, from odd file names
    return _STEERING.sub("\N{REPLACEMENT CHARACTER}", " ".join(text.split()))


def as_ascii(text: str) -> str:
    """Return text for a terminal that has only ASCII: letters without their marks, ``?`` else."""
    if text.isascii():
        return text
    plain = unicodedata.normalize("NFKD", text.translate(_AS_ASCII))
    bare = "".join(c for c in plain if not unicodedata.combining(c))
    return bare.encode("ascii", "replace").decode("ascii")


def width_of(text: str) -> int:
    """Return the columns that a terminal gives a text."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def cut(text: str, width: int, mark: str = "…") -> str:
    """Return a text that takes at most ``width`` columns; ``mark`` says that something is gone."""
    if width_of(text) <= width:
        return text
    room = width - width_of(mark)
    if room < 0:
        return ""
    while text and width_of(text) > room:
        text = text[:-1] if width_of(text) - room < 8 else text[: -max(1, (len(text) - room) // 2)]
    return text.rstrip(" ,;:") + mark


def wrap(text: str, width: int) -> list[str]:
    """Return the lines of a text, broken between words; a word that is too long is broken."""
    lines: list[str] = []
    current = ""
    for word in text.split():
        for piece in _pieces(word, max(width, 2)):
            if current and width_of(current) + 1 + width_of(piece) > width:
                lines.append(current)
                current = piece
            else:
                current = f"{current} {piece}" if current else piece
    return [*lines, current] if current else lines


def _pieces(word: str, width: int) -> Iterator[str]:
    while width_of(word) > width:
        end = len(word)
        while width_of(word[:end]) > width:
            end -= 1
        # A path is best broken after a slash.
        slash = word.rfind("/", width // 3, end)
        end = slash + 1 if slash > 0 else end
        yield word[:end]
        word = word[end:]
    yield word
