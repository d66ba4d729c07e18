"""Text as a terminal shows it: its width in columns, wrapped, shortened, made harmless."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Commit messages are written by anyone: no escape sequence and no reordering of text may come from
# them. C0 (but newline and tab), DEL, C1, and the bidirectional overrides.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def clean(text: str) -> str:
    """Return the text without anything that could steer a terminal."""
    text = text.expandtabs(4) if "\t" in text else text
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """Return the text on one line, cleaned."""
    return clean(" ".join(text.split()))


def width_of(text: str) -> int:
    """Return the columns that a terminal gives the text."""
    if text.isascii():
        return len(text)
    import unicodedata

    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def fit(text: str, width: int) -> str:
    """Return the text cut to the width, an ellipsis saying so."""
    if width_of(text) <= width:
        return text
    while text and width_of(text) > width - 1:
        text = text[: max(0, min(len(text) - 1, width - 1))]
    return text.rstrip() + "…" if width > 0 else ""


def fit_path(path: str, width: int) -> str:
    """Return the path cut in its middle: its first folder and its name say most."""
    if width_of(path) <= width:
        return path
    name = path.rsplit("/", 1)[-1]
    head = fit(path, width - width_of(name) - 1) if width_of(name) < width - 4 else ""
    return f"{head}/{name}" if head else "…" + path[len(path) - max(0, width - 1) :]


def wrap(text: str, width: int) -> list[str]:
    """Return the text's lines, broken between words to the width; 0 breaks nothing. Lines
    of their own stay so; a word that is too long is broken."""
    lines: list[str] = []
    for line in text.split("\n"):
        if not width or width_of(line) <= width:
            lines.append(line)
            continue
        margin = line[: len(line) - len(line.lstrip())]
        current = ""
        for word in line.split():
            for piece in _pieces(word, width - len(margin)):
                if current and width_of(margin + current) + 1 + width_of(piece) > width:
                    lines.append(margin + current)
                    current = piece
                else:
                    current = f"{current} {piece}" if current else piece
        lines.append(margin + current)
    return lines


def _pieces(word: str, width: int) -> Iterable[str]:
    """Break a word that no line could hold."""
    width = max(width, 1)
    while width_of(word) > width:
        end = width
        while width_of(word[:end]) > width and end > 1:
            end -= 1
        yield word[:end]
        word = word[end:]
    yield word


def count(number: int, one: str, many: str = "") -> str:
    """Return e.g. ``1 file`` or ``1,482 commits``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def listing(parts: list[str]) -> str:
    """Return e.g. ``a, b and c``."""
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def size(number: float) -> str:
    """Return bytes as e.g. ``312 kB``."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if number < 1_000:
            return (
                f"{number:.0f} {unit}"
                if unit == "bytes" or number >= 10
                else f"{number:.1f} {unit}"
            )
        number /= 1_000
    return f"{number:.1f} TB"


def duration(seconds: float) -> str:
    """Return e.g. ``120 ms``, ``4.2 s``, ``48 s``, ``3 min``, ``5 h``, ``2 days``."""
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 10:
        return f"{seconds:.2g} s"
    for limit, unit, name in ((90, 1, " s"), (5_400, 60, " min"), (129_600, 3_600, " h")):
        if seconds < limit:
            return f"{seconds / unit:.0f}{name}"
    return count(round(seconds / 86_400), "day")
