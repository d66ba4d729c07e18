"""Shows an answer while it streams: sentences as prose, then the sources they cite."""

from __future__ import annotations

import re
import time

from .moments import clock
from .text import clean, duration, fit, fit_path, one_line, width_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .output import Output, Stream

    Event = dict[str, Any]

SHORTEST_NAME = 8
"""Columns under which an author's name goes to a line of its own."""

_WORD = re.compile(r"\S+(?: \[\d+\]\S*)*")
"""A word and the citations after it, which never begin a line."""
_CITATION = re.compile(r"\[\d+(?:, ?\d+)*\]")


class Prose:
    """Writes sentences, each on a line of its own, wrapped on a terminal."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._width = stream.width if stream.terminal else 0

    def write(self, text: str, marks: list[list[int]]) -> None:
        """Write a sentence. ``marks`` are spans of it to highlight."""
        for line in re.finditer(r"[^\n]+", text):
            # What an item wraps to stands under its words.
            margin = "  " if line[0].startswith("- ") else ""
            column, written = 0, ""
            for match in _WORD.finditer(line[0]):
                size = width_of(match[0])
                if column and self._width and column + 1 + size > self._width:
                    written += "\n" + margin
                    column = len(margin)
                elif column:
                    written += " "
                    column += 1
                written += " ".join(
                    _marked(part, line.start() + match.start(), marks, self._stream)
                    for part in re.finditer(r"\S+", match[0])
                )
                column += size
            self._stream.write(written + "\n")


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
    """Takes the events of an answer in their order and writes them.

    Notices with something to do wait for the end; others may change how the answer is read.
    """

    def __init__(self, out: Output) -> None:
        self._out = out
        self._prose = Prose(out.out)
        self._spoken = False
        self._held: list[str] = []
        self.beyond_git = False
        """Whether it cites what people wrote outside of git."""
        self.done: Event | None = None

    def take(self, event: Event) -> None:
        """Show one event."""
        match event["type"]:
            case "notice":
                if event["hint"]:
                    self._held.append(f"{event['text']} {event['hint']}")
                else:
                    self._out.say(event["text"], "yellow")
            case "step":
                if not self._spoken:
                    self._out.passing(event["text"] + " …")
            case "text":
                self._out.clear_passing()
                self._spoken = True
                text = clean(event["text"])
                # Spans are of the text as sent: they hold only if cleaning moved nothing.
                marks: list[list[int]] = event["marks"] if len(text) == len(event["text"]) else []
                self._prose.write(text, marks)
            case "sources":
                self.beyond_git = any(source["source"] != "git" for source in event["sources"])
                for line in source_lines(event["sources"], self._out.out):
                    self._out.line(line)
            case "done":
                self._out.clear_passing()
                self.done = event
            case _:
                pass  # of a newer daemon

    def end(self) -> None:
        """Say what there is to do, now that the answer has been read."""
        self._out.clear_passing()
        for text in self._held:
            self._out.say(text, "dim")
        self._held.clear()


def source_lines(sources: list[Event], stream: Stream) -> list[str]:
    """Return the list of sources: number, short sha or where it was written, date, author, path,
    and the subject."""
    if not sources:
        return []
    lines = ["", stream.style("Sources", "bold")]
    numbers = max(len(str(source["number"])) for source in sources)
    for source in sources:
        number = f"[{source['number']}]".ljust(numbers + 2)
        lines += _source(source, number, stream)
    return lines


def _source(source: Event, number: str, stream: Stream) -> list[str]:
    sha, date = label_of(source["source"], source["sha"]), source["date"]
    author, subject = one_line(source["author"]), one_line(source["subject"])
    path, said = clean(source["path"]), one_line(source.get("said", ""))
    if not stream.terminal:
        parts = (number, sha, date, author, path, subject, f"({said})" if said else "")
        return ["  ".join(part for part in parts if part)]
    margin = " " * (len(number) + 1)
    room = stream.width - len(margin)
    lines = [f"{stream.style(number, 'cyan')} {stream.style(sha, 'yellow')}  {date}"]
    left = room - len(sha) - len(date) - 2
    if left >= SHORTEST_NAME + 2:
        who = fit(author, min(30, left - 2))
        lines[0] += "  " + who
        left -= width_of(who) + 2
    else:
        lines.append(margin + fit(author, room))
    if path and width_of(path) + 2 <= left:
        lines[0] += "  " + stream.style(path, "green")
    elif path:
        lines.append(margin + stream.style(fit_path(path, room), "green"))
    lines.append(margin + fit(subject, room))
    if said:
        lines.append(margin + stream.style(fit(said, room), "yellow"))
    return lines


def label_of(source: str, ref: str) -> str:
    """Return what stands for a source in a list: a short sha, a test run's number, or where it was
    written."""
    return one_line(ref[:10] if source in ("git", "tests") else source)


def closing_line(done: Event, beyond_git: bool = False) -> str:
    """Return what is worth knowing about how the answer came about."""
    match done["mode"]:
        case "model":
            parts = [f"written by {done['model']}"]
        case "index":
            parts = ["counted from the index"]
        case "facts":
            parts = ["from what is known exactly"]
        case _:
            what = "commits and discussions" if beyond_git else "commits"
            parts = [f"put together from {what}, without a model"]
    if done.get("dropped"):
        parts.append(
            f"{done['dropped']} unsupported {'sentence' if done['dropped'] == 1 else 'sentences'}"
            " left out"
        )
    if done.get("made"):
        at = clock(done["made"], time.time())
        by = f" · summed up by {one_line(done['model'])}" if done["model"] else ""
        return f"answered at {at}, nothing has changed since{by} · {duration(done['seconds'])}"
    parts.append(duration(done["seconds"]))
    return " · ".join(parts)
