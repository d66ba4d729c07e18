"""What was learnt from a repository, in a few lines."""

from __future__ import annotations

import time
from typing import Any

from .text import count, duration, listing

KINDS = {
    "binary": "binary",
    "generated": "generated",
    "vendored": "vendored",
    "lock": "lock",
    "minified": "minified",
    "excluded": "excluded by you",
    "large": "too large",
    "submodule": "submodules",
}


def lines(name: str, known: int, report: dict[str, Any], seconds: float) -> list[tuple[str, str]]:
    """Given a repository's name, the commits known before, the report of its index run and how
    long it took, return lines and their styles."""
    found: list[tuple[str, str]] = []
    new = report["new_commits"]
    if not new and not report["orphaned"]:
        return [(f"{name} is up to date: {count(known, 'commit')} in memory", "green")]
    if new:
        more = "more " if known else ""
        text = f"Read {count(new, more + 'commit')} of {name} in {duration(seconds)}"
        found.append((text + _whose(report) + ".", "green"))
    if report["orphaned"]:
        gone = count(report["orphaned"], "commit")
        found.append((f"{gone} left every branch, and will not be cited any more.", ""))
    if stubs := _stubs(report["stubs"]):
        found.append((f"Noted by name only: {stubs}.", "dim"))
    if report["redacted"]:
        what = count(report["redacted"], "secret")
        found.append((f"{what} found in its history and left out: memory never holds them.", ""))
    if not known:
        found.append(('You can ask now: hermes ask "why …?" (vectors fill in behind)', ""))
    return found


def _whose(report: dict[str, Any]) -> str:
    parts: list[str] = []
    if report.get("authors"):
        parts.append(f"by {count(report['authors'], 'person', 'people')}")
    if report.get("files"):
        parts.append(f"on {count(report['files'], 'file')}")
    if report.get("oldest") and report.get("newest"):
        parts.append(f"from {_day(report['oldest'])} to {_day(report['newest'])}")
    return ", " + ", ".join(parts) if parts else ""


def _stubs(stubs: dict[str, int] | int) -> str:
    if isinstance(stubs, int):
        return count(stubs, "binary, generated or vendored file") if stubs else ""
    parts = [
        f"{number:,} {KINDS.get(kind, kind)}"
        for kind, number in sorted(stubs.items(), key=lambda item: -item[1])
        if number
    ]
    return listing(parts) + " files" if parts else ""


def _day(seconds: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(seconds))
