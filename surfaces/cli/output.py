"""Where the words go: data to standard output, messages to standard error, colours if wanted."""

from __future__ import annotations

import codecs
import io
import json
import os
import sys

from ...memory.errors import HermesError
from .text import clean, fit, width_of, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, TextIO

STYLES = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "cyan": "36",
    "mark": "1;36",
}
PLAIN_WIDTH = 80
NARROWEST = 20
WIDEST = 100
"""Columns beyond which prose is no longer pleasant to read."""


PLAIN = {
    "…": "...",
    "−": "-",
    "–": "-",
    "—": "-",
    "·": "-",
    "•": "*",
    "×": "x",
    "→": "->",
    "“": '"',
    "”": '"',
    "„": '"',
    "‘": "'",
    "’": "'",
}
"""What stands for a sign where the encoding has none."""


def _plainer(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end]
    return "".join(PLAIN.get(sign, "?") for sign in lost), error.end


codecs.register_error("hermes.plainer", _plainer)


class OutputLost(HermesError):
    """What was to be written can't be: the disk is full, say."""

    code = "output"


def reopen() -> None:
    """Give a process that was started with closed streams (``>&-``) something in their place; a
    socket would get their numbers otherwise."""
    if sys.stdin is not None and sys.stdout is not None and sys.stderr is not None:
        return
    sys.stdin = sys.stdin or _nowhere("r")
    sys.stdout = sys.stdout or _nowhere("w")
    sys.stderr = sys.stderr or _nowhere("w")


def _nowhere(mode: Literal["r", "w"]) -> TextIO:
    return open(os.devnull, mode, encoding="utf-8")


class Stream:
    """One of the two standard streams, and what it can show."""

    def __init__(self, file: TextIO) -> None:
        self.file = file
        self.terminal = file.isatty()
        self.colours = (
            self.terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        )
        self._longer = 0 if _has(file.encoding, "…") else len(PLAIN["…"]) - 1

    @property
    def width(self) -> int:
        """Columns to write in."""
        return max(NARROWEST, min(self.columns, WIDEST))

    @property
    def columns(self) -> int:
        """Columns of the terminal; COLUMNS goes first, 80 where nothing is known."""
        return max(1, self._told() - self._longer)

    def _told(self) -> int:
        told = os.environ.get("COLUMNS", "")
        if told.isdigit() and int(told):
            return int(told)
        try:
            return os.get_terminal_size(self.file.fileno()).columns or PLAIN_WIDTH
        except (OSError, ValueError):
            return PLAIN_WIDTH

    def style(self, text: str, style: str) -> str:
        """Return the text in a style of STYLES, if this stream shows any."""
        if not self.colours or not text or not style:
            return text
        return f"\x1b[{STYLES[style]}m{text}\x1b[0m"

    def write(self, text: str) -> None:
        """Write at once, so that what streams is seen streaming. Raise OutputLost."""
        try:
            self.file.write(text)
            self.file.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            # Python would write the rest again when it ends: there must be somewhere to put it.
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.file.fileno())
            raise OutputLost(f"can't write the output: {error.strerror}") from error


def _has(encoding: str | None, sign: str) -> bool:
    """Say whether an encoding can write a sign."""
    try:
        sign.encode(encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


class Output:
    """What a command writes through."""

    def __init__(self, *, as_json: bool = False) -> None:
        for file in (sys.stdout, sys.stderr):
            # A commit may hold what the terminal's encoding can't say.
            if isinstance(file, io.TextIOWrapper):
                file.reconfigure(errors="hermes.plainer")
        self.out = Stream(sys.stdout)
        self.err = Stream(sys.stderr)
        self.as_json = as_json
        self._passing = False

    def line(self, text: str = "") -> None:
        """Write a line of data as it is."""
        self.clear_passing()
        self.out.write(text + "\n")

    def emit(self, value: Any) -> None:
        """Write a JSON document on one line."""
        self.out.write(json.dumps(value) + "\n")

    def say(self, text: str, style: str = "", *, indent: int = 0) -> None:
        """Write a message for a person, wrapped on a terminal. Nothing with ``--json``."""
        if self.as_json:
            return
        self.clear_passing()
        width = self.err.width if self.err.terminal else 0
        for number, line in enumerate(wrap(clean(text), width - indent if width else 0)):
            margin = " " * (indent if number or indent else 0)
            self.err.write(margin + self.err.style(line, style) + "\n")

    def passing(self, text: str) -> None:
        """Show a line that the next output replaces; nothing where that can't be done."""
        if self.as_json or not self.err.terminal or os.environ.get("TERM") == "dumb":
            return
        shown = fit(clean(text), self.err.columns - 1)
        self.err.write(f"\r\x1b[2K{self.err.style(shown, 'dim')}")
        self._passing = True

    def clear_passing(self) -> None:
        """Take the passing line away."""
        if self._passing:
            self._passing = False
            self.err.write("\r\x1b[2K")

    def fail(self, error: HermesError) -> None:
        """Say what went wrong and what to do about it."""
        self.clear_passing()
        if self.as_json:
            found = {"error": error.message, "hint": error.hint, "code": error.code}
            self.err.write(json.dumps(found) + "\n")
            return
        start = self.err.style("hermes:", "red")
        width = self.err.width if self.err.terminal else 0
        first, *more = wrap(clean(f"hermes: {error.message}"), width)
        lines = [start + first.removeprefix("hermes:"), *more]
        if error.hint:
            lines += [self.err.style(line, "dim") for line in wrap(clean(error.hint), width)]
        self.err.write("\n".join(lines) + "\n")


def table(rows: list[tuple[str, str]], width: int, *, indent: int = 2) -> list[str]:
    """Given names and values, return lines with the values aligned and wrapped."""
    left = max((width_of(name) for name, _ in rows), default=0)
    room = width - indent - left - 2
    lines: list[str] = []
    for name, value in rows:
        if room < NARROWEST:
            lines += wrap(" " * indent + name, width)
            lines += [" " * (indent + 2) + part for part in wrap(value, width - indent - 2)]
            continue
        for number, part in enumerate(wrap(value, room) or [""]):
            head = "" if number else name
            lines.append((" " * indent + head + " " * (left - width_of(head) + 2) + part).rstrip())
    return lines
