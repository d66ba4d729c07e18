"""Pages of themes without what is forgotten."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from ...memory.forgetting_rules import FORGOTTEN
from .records import Line, Page, Theme

Clean = Callable[[str], str]


def without(page: Page, gone: Collection[str], clean: Clean) -> Page | None:
    """Return a page without what rests on ``gone`` (references of evidence) and with every text
    cleaned; itself where that changes nothing, None where nothing is left."""
    themes = tuple(
        theme for each in page.themes if (theme := _theme(each, gone, clean)) is not None
    )
    if themes == page.themes:
        return page
    if not themes and not page.more:
        return None
    # No evidence has this digest: what is let in again before the next night is told again by it.
    digest = hashlib.sha256(f"{page.digest} {FORGOTTEN}".encode()).hexdigest()
    return replace(page, themes=themes, digest=digest[: len(page.digest)])


def _theme(theme: Theme, gone: Collection[str], clean: Clean) -> Theme | None:
    references = tuple(ref for ref in theme.references if ref not in gone)
    what = tuple(_lines(theme.what, gone, clean))
    if theme.references and not references or theme.what and not what:
        return None
    title = clean(theme.title)
    if title != theme.title or len(references) < len(theme.references):
        # It was called by what is gone, or may have been: what is left of it says more than a gap.
        title = what[0].text if what else clean(theme.key)
    return replace(
        theme,
        key=clean(theme.key),
        title=title,
        what=what,
        why=tuple(_lines(theme.why, gone, clean)),
        people=tuple(name for name in theme.people if clean(name) == name),
        paths=tuple(path for path in theme.paths if clean(path) == path),
        references=references,
    )


def _lines(lines: Iterable[Line], gone: Collection[str], clean: Clean) -> Iterable[Line]:
    """The lines that rest on nothing that is gone: one that rests on several tells of them all."""
    for line in lines:
        text = clean(line.text)
        if not any(ref in gone for ref in line.references) and text.strip(" .") != FORGOTTEN:
            yield Line(text, line.references)
