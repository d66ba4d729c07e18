"""A terminal taken over for a while, drawn again and again, and given back as it was."""

from __future__ import annotations

import os
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

    from .output import Stream

ENTER = "\x1b[?1049h\x1b[?25l"
"""To the other screen, which has no past to destroy; without a cursor."""
LEAVE = "\x1b[?25h\x1b[?1049l"
HOME, END_OF_LINE, REST = "\x1b[H", "\x1b[K", "\x1b[J"


class Screen:
    """The terminal behind a stream, while used as a context manager."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._lines: Callable[[], Sequence[str]] = list

    def __enter__(self) -> Self:
        self._stream.write(ENTER)
        if hasattr(signal, "SIGWINCH"):
            signal.signal(signal.SIGWINCH, self._resized)
        return self

    def __exit__(self, *_: object) -> None:
        if hasattr(signal, "SIGWINCH"):
            signal.signal(signal.SIGWINCH, signal.SIG_DFL)
        self._stream.write(LEAVE)

    def show(self, lines: Callable[[], Sequence[str]]) -> None:
        """Draw these lines now, and again whenever the terminal changes its size."""
        self._lines = lines
        self._draw()

    def _resized(self, *_: object) -> None:
        self._draw()

    def _draw(self) -> None:
        lines = list(self._lines())
        height = _height(self._stream)
        if len(lines) > height:
            lines = [*lines[: height - 1], "…"]
        # Each line is cleared behind its text, not before it: nothing flickers.
        body = "\r\n".join(line + END_OF_LINE for line in lines)
        self._stream.write(HOME + body + REST)


def _height(stream: Stream) -> int:
    try:
        return max(2, os.get_terminal_size(stream.file.fileno()).lines)
    except (OSError, ValueError):
        return 24
