"""What an agent reported, as lines: its text if it has one, and figures by their names."""

from __future__ import annotations

import json

from .text import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TEXT = "text"
"""The name under which a report has what is to be read as it is."""


def report_rows(report: dict[str, Any]) -> list[tuple[str, str]]:
    """Return names and values of what says something: nothing empty, nothing that is zero."""
    rows: list[tuple[str, str]] = []
    for name, value in report.items():
        if name == TEXT or not value:
            continue
        label = clean(name.replace("_", " "))
        rows.append((label, clean(_shown(value))))
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
