"""Shows an answer while it streams: sentences as prose, then the sources they cite."""

from __future__ import annotations

import re

from .text import clean, duration, fit, fit_path, one_line, width_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .output import Output, Stream

    Event = dict[str, Any]

_CITATION = re.compile(r"\[\d+(?:, ?\d+)*\]")


class Prose:
    """Writes sentences one after the other as a paragraph, wrapped on a terminal."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._width = stream.width if stream.terminal else 0
        self._column = 0
        self._margin = ""

    def write(self, text: str, marks: list[list[int]]) -> None:
        """Write a sentence. Lines that start with a dash, and what follows a colon at the end of
        a sentence, begin on a line of their own. ``marks`` are spans to highlight."""
        for start, end in _lines(text):
            line = text[start:end]
            item = line.startswith("- ")
            if (item or start) and self._column:
                self.end()
            self._margin = "  " if item else ""
            for match in re.finditer(r"\S+", line):
                word = _marked(match, start, marks, self._stream)
                self._word(match[0], word)
            if line.rstrip().endswith(":") or item:
                self.end()

    def end(self) -> None:
        """End the line, if one is begun."""
        if self._column:
            self._stream.write("\n")
        self._column = 0

    def _word(self, plain: str, styled: str) -> None:
        size = width_of(plain)
        if self._column and self._width and self._column + 1 + size > self._width:
            self._stream.write("\n" + self._margin)
            self._column = len(self._margin)
        elif self._column:
            self._stream.write(" ")
            self._column += 1
        self._stream.write(styled)
        self._column += size


def _lines(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"[^\n]+", text)]


def _marked(match: re.Match[str], offset: int, marks: list[list[int]], stream: Stream) -> str:
    """Return a word with its highlighted spans, and citations dimmed."""
    word = match[0]
    if not stream.colours:
        return word
    if _CITATION.fullmatch(word.rstrip(".,;:")):
        return stream.style(word, "cyan")
    first = offset + match.start()
    shown, at = "", 0
    for start, end in marks:
        low, high = max(start - first, at), min(end - first, len(word))
        if low < high:
            shown += word[at:low] + stream.style(word[low:high], "bold")
            at = high
    return shown + word[at:]


class Answer:
    """Takes the events of an answer in their order and writes them."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self._prose = Prose(out.out)
        self._spoken = False
        self.done: Event | None = None

    def take(self, event: Event) -> None:
        """Show one event."""
        match event["type"]:
            case "notice":
                self._prose.end()
                hint = event["hint"]
                self._out.say(event["text"] + (f" ({hint})" if hint else ""), "yellow")
            case "step":
                if not self._spoken:
                    self._out.passing(event["text"] + " …")
            case "text":
                self._out.clear_passing()
                self._spoken = True
                self._prose.write(clean(event["text"]), event.get("marks", []))
            case "sources":
                self._prose.end()
                for line in source_lines(event["sources"], self._out.out):
                    self._out.line(line)
            case "done":
                self._prose.end()
                self._out.clear_passing()
                self.done = event
            case _:
                pass  # of a newer daemon

    def break_off(self) -> None:
        """End the line that was being written."""
        self._prose.end()


def source_lines(sources: list[Event], stream: Stream) -> list[str]:
    """Return the list of sources: number, short sha, date, author, path, and the subject."""
    if not sources:
        return []
    lines = ["", stream.style("Sources", "bold")]
    numbers = max(len(str(source["number"])) for source in sources)
    for source in sources:
        number = f"[{source['number']}]".ljust(numbers + 2)
        lines += _source(source, number, stream)
    return lines


def _source(source: Event, number: str, stream: Stream) -> list[str]:
    sha, date = source["sha"][:10], source["date"]
    author, subject = one_line(source["author"]), one_line(source["subject"])
    path = clean(source["path"])
    if not stream.terminal:
        return ["  ".join(part for part in (number, sha, date, author, path, subject) if part)]
    margin = " " * (len(number) + 1)
    room = stream.width - len(margin)
    head = f"{sha}  {date}  "
    who = fit(author, max(8, min(30, room - len(head))))
    left = room - len(head) - width_of(who) - 2
    first = f"{stream.style(number, 'cyan')} {stream.style(sha, 'yellow')}  {date}  {who}"
    lines = [first]
    if path and width_of(path) <= left:
        lines[0] += "  " + stream.style(path, "green")
    elif path:
        lines.append(margin + stream.style(fit_path(path, room), "green"))
    lines.append(margin + fit(subject, room))
    return lines


def closing_line(done: Event) -> str:
    """Return what is worth knowing about how the answer came about."""
    match done["mode"]:
        case "model":
            parts = [f"written by {done['model']}"]
        case "index":
            parts = ["counted from the index"]
        case _:
            parts = ["put together from commits, without a model"]
    if done.get("dropped"):
        parts.append(
            f"{done['dropped']} unsupported {'sentence' if done['dropped'] == 1 else 'sentences'}"
            " left out"
        )
    parts.append(duration(done["seconds"]))
    return " · ".join(parts)
