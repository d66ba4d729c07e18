"""How what people said is written down, the same for chat, tickets and pull requests.

A turn begins with who said it, so that readers know whose it is, and that forgetting a person takes
out all of what they said: memory finds turns by ``Name:`` and ``Name (…):`` at a line's beginning.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime

from ...memory.dates import MONTHS

NOBODY = "somebody"
"""Who said what nobody is named for any more."""

_HEAD = re.compile(
    r"^[^:()<>\n]{1,100} \(\d{1,2} [A-Z][a-z]+ \d{4} \d\d:\d\d[^)\n]*\):\s?", re.MULTILINE
)
_TURN = re.compile(
    r"(?:\A|(?<=\n\n))(?P<who>[^:()<>\n]{1,100}?)(?: \((?P<aside>[^()\n]*)\))?:(?:[ \n]|\Z)"
)
_WHEN = re.compile(
    r"(?P<day>\d{1,2}) (?P<month>[A-Z][a-z]+) (?P<year>\d{4}) (?P<hour>\d\d):(?P<minute>\d\d)(?:, |\Z)"
)


@dataclass(frozen=True, slots=True)
class Turn:
    """What somebody said, as it stands in a transcript."""

    who: str
    at: int | None
    """To the minute; None where it is not known."""
    text: str
    where: str = ""
    """What it is about, or what became of it."""


def turn(name: str, at: int | None, text: str, where: str = "") -> str:
    """Return what somebody said: ``Kim Noor (12 March 2026 10:04, src/pool.py:40): text``.

    ``at`` is in seconds, written as UTC; None where it is not known. ``where`` says what it is about
    or what became of it. A name can hold neither colon, bracket nor line end. Text that begins with
    a block of code begins on the next line, so that its fence is one.
    """
    name = as_written(name)
    when = ""
    if at is not None:
        moment = datetime.fromtimestamp(at, UTC)
        when = f"{moment.day} {moment:%B %Y %H:%M}"
    aside = ", ".join(part for part in (when, where.replace("(", "[").replace(")", "]")) if part)
    text = text.strip()
    gap = "\n" if text.startswith(("```", "~~~")) else " "
    return f"{name or NOBODY}{f' ({aside})' if aside else ''}:{gap}{text}"


def as_written(name: str) -> str:
    """Return a name as a turn has it."""
    return " ".join("".join(" " if each in ":<>()\n\r" else each for each in name).split())


def turns(text: str, names: Collection[str]) -> tuple[str, list[Turn]]:
    """Given a transcript and the names of who took part, return what opens it, and who said what
    when: what `transcript` and `turn` have written.

    Words that look like the beginning of a turn are one only at the beginning of a paragraph, and
    only of somebody who is named, or with a time. What a dated turn of anybody else says, a
    program's, is left out.
    """
    known = {as_written(name) for name in names} | {NOBODY}
    heads = [
        (head, at, where)
        for head in _TURN.finditer(text)
        for at, where in [_aside(head["aside"] or "")]
        if at is not None or head["who"] in known - {NOBODY}
    ]
    if not heads:
        return text.strip(), []
    ends = [head.start() for head, _, _ in heads[1:]] + [len(text)]
    found = [
        Turn(head["who"], at, text[head.end() : end].strip(), where)
        for (head, at, where), end in zip(heads, ends, strict=True)
        if head["who"] in known
    ]
    return text[: heads[0][0].start()].strip(), found


def _aside(aside: str) -> tuple[int | None, str]:
    """Return the time that stands behind a name, and what else does."""
    when = _WHEN.match(aside)
    if when is None or when["month"].lower() not in MONTHS:
        return None, aside
    month = MONTHS.index(when["month"].lower()) + 1
    year, day, hour, minute = (int(when[part]) for part in ("year", "day", "hour", "minute"))
    try:
        at = datetime(year, month, day, hour, minute, tzinfo=UTC)
    except ValueError:  # words that look like a date
        return None, aside
    return int(at.timestamp()), aside[when.end() :]


def transcript(description: str, turns: list[str]) -> str:
    """Return what opens an item, if anything does, and all that was said on it, oldest first."""
    return "\n\n".join(part for part in (description.strip(), *turns) if part)


def spoken(text: str) -> str:
    """Return what was said in a transcript, without who said it and when."""
    return _HEAD.sub("", text)
