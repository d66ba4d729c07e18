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
    return len(text) if text.isascii() else sum(map(_width, text))


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cut(text: str, width: int, mark: str = "…") -> str:
    """Return a text that takes at most ``width`` columns; ``mark`` says that something is gone."""
    if width_of(text) <= width:
        return text
    room = width - width_of(mark)
    if room < 0:
        return ""
    return _beginning(text, room).rstrip(" ,;:") + mark


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


def _beginning(text: str, width: int) -> str:
    """Return as much of a text's beginning as takes at most so many columns."""
    end = 0
    for character in text:
        width -= _width(character)
        if width < 0:
            break
        end += 1
    return text[:end]


def _pieces(word: str, width: int) -> Iterator[str]:
    while width_of(word) > width:
        end = len(_beginning(word, width))
        # A path is best broken after a slash.
        slash = word.rfind("/", width // 3, end)
        end = slash + 1 if slash > 0 else end
        yield word[:end]
        word = word[end:]
    yield word
