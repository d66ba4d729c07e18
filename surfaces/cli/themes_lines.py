"""Themes and nights as lines of a terminal."""

from __future__ import annotations

from .columns import columns
from .moments import clock
from .text import clean, count, fit, listing, one_line, width_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from .output import Stream

    Found = dict[str, Any]
    Cell = tuple[str, str]

STATES = {"done": "green", "open": "cyan", "stalled": "yellow"}
DIFF = {"+": "green", "-": "red", "@": "cyan"}
MOST_THEMES = 8
"""Themes that a terminal shows; with what is said of each they fill a screen or two."""
MOST_WHAT = 2
MOST_WHY = 1
MOST_REFERENCES = 4
MOST_PEOPLE = 4
MOST_PATHS = 3
NARROW = 60
"""Columns below which what a theme says begins at the margin, and references are left out."""
WIDE = 80
"""Columns from which on a sentence has room for two references."""
MOST_LABELS = 5
"""Pages of a kind that are named one by one."""
_HEX = frozenset("0123456789abcdef")


def pages_lines(pages: Sequence[Found], stream: Stream, *, today: str) -> list[str]:
    """Return pages: of each its time, then its themes with state, who, what, why and references. A
    terminal is shown the first themes, a line for each thing, and how much more there is.
    ``today``: the local date; a page that reaches it is told of so far."""
    lines: list[str] = []
    room = MOST_THEMES if stream.terminal else sum(len(page["themes"]) for page in pages)
    more_themes = more_lines = 0
    for page in pages:
        shown = page["themes"][:room]
        more_themes += len(page["themes"]) - len(shown)
        if page["themes"] and not shown:
            continue
        room -= len(shown)
        lines += [""] if lines else []
        lines += _page(page, shown, stream, today)
        for theme in shown if stream.terminal else ():
            told = sum(_is_told(line, one_line(theme["title"])) for line in theme["what"])
            left = len(theme["what"]) - told + len(theme["why"])
            more_lines += left - sum(map(len, _shown(theme)))
    if more_themes or more_lines:
        said = [count(more_themes, "more theme")] if more_themes else []
        said += [count(more_lines, "more line")] if more_lines else []
        lines += ["", _styled(f"and {listing(said)}: --markdown has all", "dim", stream)]
    return lines


def _page(page: Found, themes: Sequence[Found], stream: Stream, today: str) -> Iterator[str]:
    said = f"{one_line(page['name']) or 'in no repository'}, {clean(page['span'])}"
    said += ", so far" if page["last"] >= today else ""
    said += "" if page.get("kept", True) else ", made now"
    yield _styled(said, "bold", stream)
    if not page["themes"] and not page["more"]:
        yield from ("", "nothing that makes a theme")
    for theme in themes:
        yield ""
        yield from _theme(theme, stream)
    if page["more"]:
        yield ""
        yield _styled(f"and {count(page['more'], 'smaller thing')}", "dim", stream)


def _theme(theme: Found, stream: Stream) -> Iterator[str]:
    state, title, about = theme["state"], one_line(theme["title"]), _about(theme)
    narrow = stream.terminal and stream.columns < NARROW
    margin = 2 if narrow else 9
    what, why = _shown(theme) if stream.terminal else (theme["what"], theme["why"])
    if narrow:
        yield _styled(title, "bold", stream)
        rest = _cut(f"; {about}" if about else "", stream.columns - margin - len(state))
        yield " " * margin + stream.style(state, STATES.get(state, "")) + stream.style(rest, "dim")
    else:
        gap = " " * max(2, margin - len(state))
        told = [line for line in theme["what"] if line not in what and _is_told(line, title)]
        tail = f" [{references(told[0]['references'], 1)}]" if told and stream.terminal else ""
        head = _styled(title, "bold", stream, len(state) + len(gap) + len(tail))
        yield stream.style(state, STATES.get(state, "")) + gap + head + stream.style(tail, "dim")
        if about:
            yield " " * margin + _styled(about, "dim", stream, margin)
    for label, lines in (("", what), ("why: ", why)):
        for line in lines:
            yield " " * margin + _said(label, line, stream, margin)


def _shown(theme: Found) -> tuple[list[Found], list[Found]]:
    """Return what a terminal shows of a theme: what its title does not say already, and why."""
    title = one_line(theme["title"])
    what = [line for line in theme["what"] if not _is_told(line, title)]
    return what[:MOST_WHAT], theme["why"][:MOST_WHY]


def _is_told(line: Found, title: str) -> bool:
    """Say whether a title says what a sentence does: all but the verb is the same, "Add jitter to
    retries" and "Sam added jitter to retries: 40 lines in pay.py"."""
    said = one_line(line["text"]).lower()
    lead = title.lower().partition(";")[0].rstrip("…")
    for each in (lead, lead.partition(": ")[2]):
        _, _, rest = each.partition(" ")
        if " " in rest and rest in said:
            return True
    return False


def _said(label: str, line: Found, stream: Stream, margin: int) -> str:
    """Return one sentence and what it rests on; on a terminal on one line."""
    text = f"- {label}{one_line(line['text'])}"
    if not stream.terminal:
        return f"{text} [{references(line['references'])}]"
    if stream.columns < NARROW:
        return _cut(text, stream.columns - margin)
    shown = f" [{references(line['references'], 2 if stream.columns >= WIDE else 1)}]"
    return _cut(text, stream.columns - margin - len(shown)) + stream.style(shown, "dim")


def _styled(text: str, style: str, stream: Stream, taken: int = 0) -> str:
    """Return text in a style; on a terminal cut to what room is left in a line."""
    return stream.style(_cut(text, stream.columns - taken) if stream.terminal else text, style)


def _cut(text: str, width: int) -> str:
    """Return text cut to a width, between words where there is one to end with."""
    short = fit(text, width)
    if short == text:
        return text
    head = short[:-1].rpartition(" ")[0].rstrip(" ,;:(") if text[len(short) - 1] != " " else ""
    return f"{head}…" if width_of(head) > width // 2 else short


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


def references(found: Sequence[str], most: int = MOST_REFERENCES) -> str:
    """Return references, short: ``3f2a9c1, ENG-17``."""
    shown = [short(each) for each in found[:most]]
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
    return f"took back {night['reverts'][:7]} ({pages})" if night["reverts"] else pages


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
    """Given paths of pages, return e.g. ``shop 2026-11-30, 2026-W49``; of many the first and the
    last: ``shop 14 days from 2026-10-29 to 2026-11-29, 2026-W49``."""
    found: dict[str, dict[str, list[str]]] = {}
    for page in pages:
        home, kind, label = page.split("/")
        found.setdefault(name_of(home), {}).setdefault(kind, []).append(label)
    return "; ".join(
        f"{name} {', '.join(_labels(*each) for each in kinds.items())}"
        for name, kinds in sorted(found.items())
    )


def _labels(kind: str, labels: list[str]) -> str:
    if len(labels) <= MOST_LABELS:
        return ", ".join(labels)
    return f"{len(labels):,} {kind} from {min(labels)} to {max(labels)}"


def diff_lines(diff: str, stream: Stream) -> list[str]:
    """Return a diff, coloured."""
    lines: list[str] = []
    for line in diff.rstrip("\n").split("\n"):
        shown = clean(line)
        head = shown.startswith(("diff ", "index ", "--- ", "+++ ", "new file", "deleted file"))
        lines.append(stream.style(shown, "bold" if head else DIFF.get(shown[:1], "")))
    return lines
