"""Themes and nights as lines of a terminal."""

from __future__ import annotations

from .columns import columns
from .moments import clock
from .text import clean, count, fit, listing, one_line, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from .output import Stream

    Found = dict[str, Any]
    Cell = tuple[str, str]

STATES = {"done": "green", "open": "cyan", "stalled": "yellow"}
DIFF = {"+": "green", "-": "red", "@": "cyan"}
MOST_REFERENCES = 4
MOST_PEOPLE = 4
MOST_PATHS = 3
NARROW = 60
"""Columns below which what a theme says begins at the margin."""
_HEX = frozenset("0123456789abcdef")


def page_lines(page: Found, stream: Stream, *, today: str) -> list[str]:
    """Return a page: its time, then each theme with its state, who, what, why and references.
    ``today``: the local date; a page that reaches it is told of so far."""
    width = stream.width if stream.terminal else 10_000
    span = clean(page["span"])
    far = ", so far" if page["last"] >= today else ""
    head = f"{one_line(page['name']) or 'in no repository'}, {span}{far}"
    lines = [stream.style(line, "bold") for line in wrap(head, width)]
    if not page["themes"]:
        lines += ["", "nothing that makes a theme"]
    for theme in page["themes"]:
        lines += ["", *_theme(theme, stream, width)]
    if page["more"]:
        lines += ["", stream.style(f"and {count(page['more'], 'smaller thing')}", "dim")]
    return lines


def _theme(theme: Found, stream: Stream, width: int) -> Iterator[str]:
    state = theme["state"]
    margin = 9 if width >= NARROW else 2
    gap = " " * max(2, margin - len(state)) if width >= NARROW else "  "
    first, *more = wrap(one_line(theme["title"]), width - len(state) - len(gap))
    yield stream.style(state, STATES.get(state, "")) + gap + stream.style(first, "bold")
    for line in more:
        yield " " * (len(state) + len(gap)) + stream.style(line, "bold")
    for line in wrap(_about(theme), width - margin):
        yield " " * margin + stream.style(line, "dim")
    for label, said in (("", theme["what"]), ("why: ", theme["why"])):
        for each in said:
            yield from _said(label, each, stream, width, margin)


def _said(label: str, line: Found, stream: Stream, width: int, margin: int) -> Iterator[str]:
    """Yield one sentence and what it rests on; the references stay together where there is room."""
    shown = f"[{references(line['references'])}]"
    text = f"{label}{one_line(line['text'])} {shown}"
    for number, part in enumerate(wrap(text, width - margin - 2)):
        head = "- " if not number else "  "
        at = part.rfind(shown) if shown in part else -1
        if at >= 0:
            part = part[:at] + stream.style(shown, "dim")
        yield " " * margin + head + part


def _about(theme: Found) -> str:
    people = [one_line(person) for person in theme["people"]]
    shown = people[:MOST_PEOPLE]
    left = len(people) - len(shown)
    who = ", ".join(shown) + (f" and {left} more" if left else "")
    return "; ".join(
        part
        for part in (who, ", ".join(clean(path) for path in theme["paths"][:MOST_PATHS]))
        if part
    )


def references(found: Sequence[str]) -> str:
    """Return references, short: ``3f2a9c1, ENG-17``."""
    shown = [short(each) for each in found[:MOST_REFERENCES]]
    left = len(found) - len(shown)
    return ", ".join(shown) + (f" and {left} more" if left else "")


def short(reference: str) -> str:
    """Return a reference as a person writes it: a sha by its first digits, a test by its name, what
    a source brought by its key."""
    if len(reference) in (40, 64) and _HEX.issuperset(reference):
        return reference[:7]
    kind, _, rest = reference.partition(":")
    if kind == "test" and rest:
        test, _, run = rest.rpartition("@")
        name = (test or run).rpartition("::")[2] or test
        return clean(fit(name, 40)) + (f" (run {run})" if test else "")
    return clean(fit(rest if rest and kind.isalpha() else reference, 40))


# Nights


def night_lines(nights: Sequence[Found], now: float, stream: Stream) -> list[str]:
    """Return a line for each night: its id, when, and what it changed."""
    rows: list[list[Cell]] = [
        [
            (night["id"][:7], "cyan"),
            (clock(night["at"], now), "dim"),
            (_changed(night), "yellow" if night["reverts"] else ""),
        ]
        for night in nights
    ]
    return columns(rows, stream, give=(1,), least=24)


def _changed(night: Found) -> str:
    pages = pages_in_words(night["pages"]) or "no page"
    return f"took back {night['reverts'][:7]}: {pages}" if night["reverts"] else pages


def pages_in_words(pages: Sequence[str]) -> str:
    """Given paths of pages, return e.g. ``shop: 2 days and 1 week; bank: 3 days``."""
    found: dict[str, dict[str, int]] = {}
    for page in pages:
        home, kind, _ = page.split("/")
        kinds = found.setdefault(name_of(home), {"days": 0, "weeks": 0})
        kinds[kind] += 1
    said: list[str] = []
    for name, kinds in sorted(found.items()):
        counts = [count(kinds[kind], kind[:-1]) for kind in ("days", "weeks") if kinds[kind]]
        said.append(f"{name}: {listing(counts)}")
    return "; ".join(said)


def name_of(home: str) -> str:
    """Return whose pages a folder holds: its repository's name, without the start of its id."""
    name, _, end = home.rpartition("-")
    return clean(name if name and len(end) == 8 and _HEX.issuperset(end) else home)


def labels_of(pages: Sequence[str]) -> str:
    """Given paths of pages, return e.g. ``shop 2026-11-30, 2026-W49``."""
    found: dict[str, list[str]] = {}
    for page in pages:
        home, _, label = page.split("/")
        found.setdefault(name_of(home), []).append(label)
    return "; ".join(f"{name} {', '.join(labels)}" for name, labels in sorted(found.items()))


def diff_lines(diff: str, stream: Stream) -> list[str]:
    """Return a diff, coloured."""
    lines: list[str] = []
    for line in diff.rstrip("\n").split("\n"):
        shown = clean(line)
        head = shown.startswith(("diff ", "index ", "--- ", "+++ ", "new file", "deleted file"))
        lines.append(stream.style(shown, "bold" if head else DIFF.get(shown[:1], "")))
    return lines
