"""Pages as they are kept: JSON for machines, Markdown for people. The same page, the same bytes."""

from __future__ import annotations

import json
from datetime import date
from typing import Any, cast

from ...memory.dates import WEEKDAYS
from ...memory.errors import HermesError
from ..brief.columns import harmless
from ..brief.wording import counted
from .records import Line, Page, State, Theme

FORMAT = 1
"""Changes when a page is written in another form."""
DERIVED = "derived by hermes from the references it names; not evidence itself"
MOST_SHOWN = 6
"""References of one line that Markdown shows."""


class PageDamaged(HermesError):
    """A kept page can't be read."""

    code = "page_damaged"

    def __init__(self, why: str) -> None:
        super().__init__(
            f"a page of themes can't be read: {why}",
            hint="`hermes consolidate` makes it again from what it was made of",
        )


def to_json(page: Page) -> str:
    """Return a page as JSON: keys in order, one a line, a newline at the end."""
    said = {
        "format": FORMAT,
        "derived": DERIVED,
        "label": page.label,
        "repo": page.repo,
        "name": page.name,
        "first": page.first.isoformat(),
        "last": page.last.isoformat(),
        "digest": page.digest,
        "more": page.more,
        "themes": [_theme(theme) for theme in page.themes],
    }
    return json.dumps(said, sort_keys=True, indent=2, ensure_ascii=False) + "\n"


def _theme(theme: Theme) -> dict[str, object]:
    return {
        "key": theme.key,
        "title": theme.title,
        "state": theme.state.value,
        "what": [_line(line) for line in theme.what],
        "why": [_line(line) for line in theme.why],
        "people": list(theme.people),
        "paths": list(theme.paths),
        "tickets": list(theme.tickets),
        "references": list(theme.references),
        "since": theme.since,
        "until": theme.until,
        "weight": theme.weight,
    }


def _line(line: Line) -> dict[str, object]:
    return {"text": line.text, "references": list(line.references)}


def from_json(text: str) -> Page:
    """Return the page that was written so. Raise PageDamaged."""
    try:
        said: dict[str, Any] = json.loads(text)
        if said["format"] != FORMAT:
            raise PageDamaged(f"it has the form {said['format']!r}, not {FORMAT}")
        return Page(
            repo=_text(said["repo"]),
            name=_text(said["name"]),
            first=date.fromisoformat(said["first"]),
            last=date.fromisoformat(said["last"]),
            themes=tuple(_read_theme(theme) for theme in said["themes"]),
            digest=_text(said["digest"]),
            more=int(said["more"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise PageDamaged(str(error) or type(error).__name__) from error


def _read_theme(said: dict[str, Any]) -> Theme:
    return Theme(
        key=_text(said["key"]),
        title=_text(said["title"]),
        state=State(said["state"]),
        what=tuple(_read_line(line) for line in said["what"]),
        why=tuple(_read_line(line) for line in said["why"]),
        people=_texts(said["people"]),
        paths=_texts(said["paths"]),
        tickets=_texts(said["tickets"]),
        references=_texts(said["references"]),
        since=int(said["since"]),
        until=int(said["until"]),
        weight=float(said["weight"]),
    )


def _read_line(said: dict[str, Any]) -> Line:
    return Line(_text(said["text"]), _texts(said["references"]))


def _text(said: object) -> str:
    if not isinstance(said, str):
        raise TypeError(f"{said!r} is no text")
    return said


def _texts(said: object) -> tuple[str, ...]:
    if not isinstance(said, list):
        raise TypeError(f"{said!r} is no list")
    return tuple(_text(each) for each in cast(list[object], said))


def to_markdown(page: Page) -> str:
    """Return a page as a person reads it."""
    lines = [f"# {_plain(page.name) or 'Elsewhere'}, {span_of(page)}", ""]
    if not page.themes:
        lines += ["Nothing that makes a theme.", ""]
    for theme in page.themes:
        lines += _section(theme)
    if page.more:
        lines += [f"And {counted(page.more, 'smaller thing')}.", ""]
    lines += [f"<!-- {page.label} {page.digest}: {DERIVED} -->", ""]
    return "\n".join(lines)


def span_of(page: Page) -> str:
    """Return what time a page covers: ``Monday 2026-11-30``, ``week 49 (2026-11-30 to 2026-12-06)``."""
    if page.is_week:
        week = page.first.isocalendar().week
        return f"week {week} ({page.first.isoformat()} to {page.last.isoformat()})"
    return f"{WEEKDAYS[page.first.weekday()].capitalize()} {page.first.isoformat()}"


def _section(theme: Theme) -> list[str]:
    facts = [theme.state.value]
    if theme.people:
        facts.append(_plain(", ".join(theme.people)))
    if theme.paths:
        facts.append(", ".join(f"`{_plain(path)}`" for path in theme.paths[:3]))
    lines = [f"## {_plain(theme.title)}", "", "; ".join(facts), ""]
    lines += [f"- {_plain(line.text)}{_references(line)}" for line in theme.what]
    lines += [f"- Why: {_plain(line.text)}{_references(line)}" for line in theme.why]
    return [*lines, ""]


def _references(line: Line) -> str:
    shown = [reference_text(ref) for ref in line.references[:MOST_SHOWN]]
    left = len(line.references) - len(shown)
    shown += [f"{left} more"] if left else []
    return f" [{', '.join(_plain(each) for each in shown)}]"


def reference_text(reference: str) -> str:
    """Return a reference as a person writes it: a sha by its first digits, a test by its name,
    others as they are."""
    if reference.startswith("test:"):
        return f"test:{reference.rpartition('::')[2].removeprefix('test:')}"
    is_sha = len(reference) in (40, 64) and set(reference) <= set("0123456789abcdef")
    return reference[:7] if is_sha else reference


def _plain(text: str) -> str:
    """Text of others, on one line, as text: it can't make headings, links or comments."""
    line = harmless(text).replace("\\", "\\\\")
    return line.replace("<", "\\<").replace("[", "\\[")
