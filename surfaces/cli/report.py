"""What an agent reported, as lines: an answer with its sources, and figures by their names."""

from __future__ import annotations

import json
import time

from .moments import exactly
from .text import clean, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .output import Stream

ANSWER = frozenset({"answer", "sources", "done"})
"""What a report has of an answer: its text, what it cites, and how it came about."""

MOMENTS = frozenset({"oldest", "newest"})
"""What a report tells in seconds since 1970."""


def answer_lines(report: dict[str, Any], stream: Stream) -> list[str]:
    """Return an answer and its sources; nothing if the report has none."""
    if not report.get("answer"):
        return []
    from .answer import source_lines

    text = wrap(clean(report["answer"]), stream.width if stream.terminal else 0)
    return [*text, *source_lines(report.get("sources", []), stream)]


def report_rows(report: dict[str, Any]) -> list[tuple[str, str]]:
    """Return names and values of what says something else: nothing empty, nothing that is zero."""
    rows: list[tuple[str, str]] = []
    for name, value in report.items():
        if name in ANSWER or not value:
            continue
        label = clean(name.replace("_", " "))
        shown = exactly(value, time.time()) if name in MOMENTS else _shown(value)
        rows.append((label, clean(shown)))
    return rows


def _shown(value: Any) -> str:
    kind = type(value).__name__
    parts: list[tuple[str, Any]] = []
    if kind == "dict":
        parts = list(value.items())
    elif kind == "list":
        parts = [("", part) for part in value]
    if not parts or any(isinstance(part, dict | list) for _, part in parts):
        return _plain(value)
    return ", ".join(f"{name} {_plain(part)}".strip() for name, part in parts)


def _plain(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:.3g}"
        case str():
            return value
        case _:
            return json.dumps(value)
