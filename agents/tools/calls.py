"""The Hermes tool format, read from a stream: <tool_call>{"name": …, "arguments": {…}}</tool_call>.

Text outside calls comes out as it arrives. A call is recognised in its tags, and also as bare or
fenced JSON that names a known tool, since small models forget the tags. A call that the stream cut
off is read if enough of it is there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, cast

from .lenient import read_object

OPEN, CLOSE = "<tool_call>", "</tool_call>"
_FENCE = "```"
_LONGEST_CALL = 20_000
"""Characters after which an unclosed call is given up."""
_FENCE_HEAD = re.compile(r"```[\w-]*\s*\n?")


@dataclass(frozen=True, slots=True)
class Said:
    """Text outside calls."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool the model wants called."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class BadCall:
    """Something in call tags that can't be read as a call."""

    text: str


Parsed = Said | ToolCall | BadCall


class CallParser:
    """Feed it pieces of a stream; it yields text and calls in order."""

    def __init__(self, known: Collection[str]) -> None:
        self._known = frozenset(known)
        self._buffer = ""
        self._line_start = True

    def feed(self, piece: str) -> Iterator[Parsed]:
        """Given the next piece, yield what is certain by now."""
        self._buffer += piece
        yield from self._drain(final=False)

    def finish(self) -> Iterator[Parsed]:
        """The stream has ended: yield what was held back."""
        yield from self._drain(final=True)

    def _drain(self, *, final: bool) -> Iterator[Parsed]:
        while self._buffer:
            step = self._step(final=final)
            if step is None:
                return
            used, parsed = step
            self._line_start = self._buffer[:used].endswith("\n") or (
                self._line_start and not self._buffer[:used].strip()
            )
            self._buffer = self._buffer[used:]
            yield from parsed

    def _step(self, *, final: bool) -> tuple[int, list[Parsed]] | None:
        """Return how much of the buffer is settled and what it is; None to wait for more."""
        text = self._buffer
        if text.startswith(OPEN):
            return self._tagged(final=final)
        if text.startswith(CLOSE):  # left over from a call that was closed twice
            return len(CLOSE), []
        if self._line_start and text.startswith(_FENCE):
            return self._fenced(final=final)
        if self._line_start and text.startswith("{"):
            return self._bare(final=final)
        for tag in (OPEN, CLOSE, *((_FENCE,) if self._line_start else ())):
            if not final and tag.startswith(text):
                return None
        cut = self._next_start(text)
        return (cut, [Said(text[:cut])]) if cut else None

    def _next_start(self, text: str) -> int:
        """How far the text at the start of the buffer surely is plain."""
        starts = [found.start() for found in re.finditer(r"</?tool_call>", text)]
        starts += [found.end() for found in re.finditer(r"\n[ \t]*(?=```|\{)", text)]
        if self._line_start:
            starts += [found.end() for found in re.finditer(r"^\s+(?=```|\{)", text)]
        if starts and min(starts) > 0:
            return min(starts)
        for tail in range(min(len(text), len(CLOSE)), 0, -1):
            end = text[-tail:]
            if any(tag.startswith(end) for tag in (OPEN, CLOSE)) and len(text) > tail:
                return len(text) - tail
        return len(text)

    def _tagged(self, *, final: bool) -> tuple[int, list[Parsed]] | None:
        text = self._buffer
        end = text.find(CLOSE)
        again = text.find(OPEN, len(OPEN))
        if again >= 0 and (end < 0 or again < end):  # never closed, and the next one begins
            return again, [self._read(text[len(OPEN) : again])]
        if end >= 0:
            return end + len(CLOSE), [self._read(text[len(OPEN) : end])]
        if final or len(text) > _LONGEST_CALL:
            return len(text), [self._read(text[len(OPEN) :])]
        return None

    def _fenced(self, *, final: bool) -> tuple[int, list[Parsed]] | None:
        text = self._buffer
        head = _FENCE_HEAD.match(text)
        inside = head.end() if head else len(_FENCE)
        end = text.find(_FENCE, inside)
        if end < 0 and not final:
            return None
        stop = len(text) if end < 0 else end
        used = len(text) if end < 0 else end + len(_FENCE)
        inner = text[inside:stop].strip()
        if inner.startswith(OPEN):
            inner = inner.removeprefix(OPEN).removesuffix(CLOSE)
        call = self._known_call(inner)
        return used, [call or Said(text[:used])]

    def _bare(self, *, final: bool) -> tuple[int, list[Parsed]] | None:
        text = self._buffer
        used = _balanced(text)
        if used is None:
            if not final and len(text) <= _LONGEST_CALL:
                return None
            used = len(text)
        call = self._known_call(text[:used])
        return used, [call or Said(text[:used])]

    def _read(self, inner: str) -> Parsed:
        inner = _FENCE_HEAD.sub("", inner).strip()
        return _as_call(read_object(inner)) or BadCall(inner)

    def _known_call(self, inner: str) -> ToolCall | None:
        call = _as_call(read_object(inner)) if inner.startswith("{") else None
        return call if call and call.name in self._known else None


def _as_call(value: dict[str, Any] | None) -> ToolCall | None:
    if value is None:
        return None
    name: object = value.get("name", value.get("tool", value.get("function")))
    arguments: object = value.get("arguments", value.get("parameters", value.get("args", {})))
    if isinstance(name, dict):  # {"function": {"name": …, "arguments": …}}
        return _as_call(cast(dict[str, Any], name))
    if isinstance(arguments, str):  # JSON inside a string
        arguments = read_object(arguments) if arguments.strip() else {}
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return None
    return ToolCall(name, cast(dict[str, Any], arguments))


def _balanced(text: str) -> int | None:
    """Where the object that begins the text ends, or None when it is still open."""
    depth, quoted, escaped = 0, False, False
    for place, character in enumerate(text):
        if quoted:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                quoted = False
        elif character == '"':
            quoted = True
        elif character in "{[":
            depth += 1
        elif character in "}]":
            depth -= 1
            if depth == 0:
                return place + 1
    return None
