"""Finds in pages what an area was about: "what happened in payments last month"."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date

from ...memory.tokens import terms
from ..commits.paths import stem_of
from .likeness import words_in
from .records import Page, Theme

LEAST = 0.5
"""Score below which a theme is not about an area."""

_EXACT = 1.0
_NAMED = 0.8
"""A folder or a module of it is called so."""
_IN_TITLE = 0.9
_IN_LINES = 0.6
_TICKET = re.compile(r"^(?:[#!]\d+|[A-Za-z][A-Za-z0-9]{1,9}-\d+)$")


@dataclass(frozen=True, slots=True)
class Match:
    """A theme that is about an area, and where it stands."""

    page: Page
    theme: Theme
    score: float
    """0..1: 1 for its path, ticket or key; less for words."""


def find(
    pages: Iterable[Page], area: str, since: date | None = None, until: date | None = None
) -> list[Match]:
    """Return the themes that are about an area, the strongest first, then the newest and heaviest.

    ``area`` is a path, a ticket, a theme's key, or words; an empty one is everything. ``since`` and
    ``until`` leave pages that have a day between them, both counted. Give days or weeks, not both:
    they tell of the same things.
    """
    asked = _Area(area)
    found = [
        Match(page, theme, score)
        for page in pages
        if (since is None or page.last >= since) and (until is None or page.first <= until)
        for theme in page.themes
        if (score := asked.score(theme)) >= LEAST
    ]
    return sorted(
        found,
        key=lambda match: (
            -match.score,
            -match.page.last.toordinal(),
            -match.theme.weight,
            match.page.repo,
            match.theme.key,
        ),
    )


class _Area:
    """What was asked for, in the forms in which themes may hold it."""

    def __init__(self, area: str) -> None:
        self._text = area.strip().lower()
        self._path = self._text.removeprefix("./").strip("/")
        self._ticket = _TICKET.match(area.strip()) is not None
        # All words where nothing else is left of them: "docs" is a part of a project too.
        self._terms = frozenset(words_in(area)) or frozenset(terms(area))

    def score(self, theme: Theme) -> float:
        """Return how much a theme is about it, 0..1."""
        if not self._text:
            return _EXACT
        if self._text == theme.key.lower() or self._text in (t.lower() for t in theme.tickets):
            return _EXACT
        if self._ticket:
            return 0.0
        if any(_under(path.lower(), self._path) for path in theme.paths):
            return _EXACT
        named = theme.key.lower().partition(":")[2] == self._text
        if named or self._text in _names(theme.paths):
            return _NAMED
        if not self._terms:
            return 0.0
        title = self._share([theme.title])
        told = self._share([theme.title, *(line.text for line in (*theme.what, *theme.why))])
        return round(max(_IN_TITLE * title, _IN_LINES * told), 3)

    def _share(self, texts: Collection[str]) -> float:
        held = {term for text in texts for term in terms(text)}
        return len(self._terms & held) / len(self._terms)


def _under(path: str, area: str) -> bool:
    """Whether a path is the area's, or in it."""
    return path == area or path.startswith(f"{area}/")


def _names(paths: Iterable[str]) -> frozenset[str]:
    """Return what the folders and modules of paths are called."""
    found: set[str] = set()
    for path in paths:
        found.update(part.lower() for part in path.split("/")[:-1])
        found.add(stem_of(path).lower().strip("_").removeprefix("test_"))
    return frozenset(found)
