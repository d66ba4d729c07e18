"""What was learnt from a repository, in a few lines."""

from __future__ import annotations

import time
from typing import Any

from .text import count, duration

_KINDS = {
    "binary": "binary",
    "excluded": "left out by your rules",
    "generated": "generated",
    "large": "very large",
    "lock": "in lock files",
    "minified": "minified",
    "submodule": "in submodules",
    "text": "without changed lines",
    "vendored": "vendored",
}
"""What a file holds of which a line has to do, in words."""


def lines(name: str, known: int, report: dict[str, Any], seconds: float) -> list[tuple[str, str]]:
    """Given a repository's name, the commits known before, the report of its index run and how
    long it took, return lines and their styles."""
    new, gone = report["new_commits"], report["orphaned"]
    found: list[tuple[str, str]] = []
    if new:
        more = " more" if known else ""
        number = f"{new:,}{more} {'commit' if new == 1 else 'commits'}"
        text = f"Read {number} of {name} in {duration(seconds)}: {_what(report)}."
        found.append((text, "green"))
    elif not gone and not report["notes"]:
        found.append((f"{name} is up to date: {count(known, 'commit')} in memory", "green"))
    if gone:
        text = f"{count(gone, 'commit')} left every branch and will not be cited any more."
        found.append((text, ""))
    if report["stubs"]:
        found.append((_stubs(report["stubs"]), "dim"))
    if report["redacted"]:
        text = f"{count(report['redacted'], 'secret')} found in its history and left out."
        found.append((text, "yellow"))
    found += [(note, "yellow") for note in report["notes"]]
    if report["stopped"]:
        found.append(("It was stopped before the end; the next `hermes up` carries on.", "yellow"))
    elif new and not known:
        found.append(('You can ask now: hermes ask "why …?" Vectors fill in behind.', ""))
    return found


def _stubs(kinds: dict[str, int]) -> str:
    number = sum(kinds.values())
    changes = "1 change of a file" if number == 1 else f"{number:,} changes of files"
    most_first = sorted(kinds.items(), key=lambda kind: -kind[1])
    parts = [f"{count:,} {_KINDS[kind]}" for kind, count in most_first]
    if len(kinds) == 1:
        parts = [_KINDS[kind] for kind in kinds]
    return f"{changes} noted by name and size only: {', '.join(parts)}."


def _what(report: dict[str, Any]) -> str:
    parts = [
        f"by {count(report['authors'], 'person', 'people')}",
        f"on {count(report['files'], 'file')}",
    ]
    oldest, newest = report["oldest"], report["newest"]
    if oldest is not None and newest is not None:
        first, last = _day(oldest), _day(newest)
        parts.append(f"on {first}" if first == last else f"from {first} to {last}")
    return ", ".join(parts)


def _day(seconds: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(seconds))
