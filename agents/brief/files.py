"""The finished brief as files, which a shell prints as they are.

``today.80`` and its like: the first line is the day that it is for, the rest is what is printed;
nothing more on a day without a word. ``shown/2026-12-01`` is made by the shell that printed it, or
by `hermes brief`, which writes so into it: it shows what a silent day has, too. It says which file
or width was printed: a narrow terminal has room for less.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, timedelta, tzinfo
from pathlib import Path

from .records import Brief, Fact
from .render import fitting, lines_of, markdown_of, spoken_of
from .storing import to_fields

VARIANTS = {
    "today.80": (80, False, False),
    "today.40": (40, False, False),
    "today.80.ascii": (80, True, False),
    "today.40.ascii": (40, True, False),
    "today.80.ansi": (80, False, True),
}
"""For each file: columns, whether ASCII alone, whether in colour."""
WHOLE = "today.json"
MADE = "made"
SHOWN = "shown"
BY_COMMAND = b"hermes brief"
_PRINTED = re.compile(rb"^(?:hermes brief |[\d.]+\.today\.)(\d{1,4})(?=[.\n])")
_KEPT_DAYS = 14


def write(folder: Path, brief: Brief, most: int, zone: tzinfo | None = None) -> None:
    """Put a finished brief there, each file at once and whole. Raise OSError."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    (folder / SHOWN).mkdir(mode=0o700, exist_ok=True)
    for name, text in _texts(brief, most, zone):
        _put(folder / name, text)
    _tidy(folder / SHOWN, brief.day)


def _texts(brief: Brief, most: int, zone: tzinfo | None) -> Iterator[tuple[str, str]]:
    day = brief.day.isoformat()
    speaks = not brief.empty and not brief.silent
    for name, (width, ascii_only, colours) in VARIANTS.items():
        lines = [day]
        if speaks:
            lines += lines_of(
                brief, width, most=most, ascii_only=ascii_only, colours=colours, zone=zone
            )
        yield name, "\n".join(lines) + "\n"
    yield "today.md", "\n".join([day, *markdown_of(brief, zone=zone)]) + "\n"
    yield "today.spoken", "\n".join([day, *spoken_of(brief)]) + "\n"
    yield WHOLE, json.dumps(to_fields(brief)) + "\n"
    yield MADE, f"{brief.made:.0f}\n"


def remove(folder: Path) -> None:
    """Take the finished brief away: what it says is not to be said any more. Raise OSError."""
    for name in (*VARIANTS, "today.md", "today.spoken", WHOLE, MADE):
        (folder / name).unlink(missing_ok=True)


def seen_at(folder: Path, brief: Brief) -> float | None:
    """Return when a person saw a brief; None if nobody did. Seconds since 1970. A shell marks a
    silent day too: it has looked, and printed nothing."""
    mark = folder / SHOWN / brief.day.isoformat()
    try:
        at = mark.stat().st_mtime
        if (brief.silent or brief.empty) and not mark.read_bytes().startswith(BY_COMMAND):
            return None
    except OSError:
        return None
    return at


def facts_seen(folder: Path, brief: Brief, most: int) -> list[Fact]:
    """Return the facts of a brief that a person saw: those that found room on the ``most`` lines of
    what was printed, as the mark says; all of them where it says nothing."""
    try:
        found = _PRINTED.search((folder / SHOWN / brief.day.isoformat()).read_bytes()[:200])
    except OSError:
        found = None
    return fitting(brief, int(found[1]), most) if found else list(brief.facts)


def unmark(folder: Path, day: date) -> None:
    """Let shells print a day's brief after all: it was silent, and is not any more."""
    with suppress(OSError):
        (folder / SHOWN / day.isoformat()).unlink(missing_ok=True)


def made_for(folder: Path) -> str:
    """Return the day that the brief there is for; empty if there is none."""
    try:
        with (folder / "today.80").open("rb") as file:
            return os.fsdecode(file.readline(20)).strip()
    except OSError:
        return ""


def _put(path: Path, text: str) -> None:
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode("utf-8", "replace"))
        os.replace(beside, path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


def _tidy(folder: Path, day: date) -> None:
    oldest = (day - timedelta(_KEPT_DAYS)).isoformat()
    with suppress(OSError):
        for each in folder.iterdir():
            if each.name < oldest:
                each.unlink(missing_ok=True)
