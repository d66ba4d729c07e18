"""Finds in pages what an area was about: "what happened in payments last month"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ...memory.index import Index
from ...memory.records import Commit, Item
from ..foresight.area_of import Area, area_of
from ..words import overlap
from .records import Line, Page, Theme

LEAST = 0.5
"""Share of what a sentence rests on that must be in an area for it to be about that: a sentence that
sums up many things touches much."""
_TICKET = re.compile(r"^(?:[#!]\d+|[A-Za-z][A-Za-z0-9]{1,9}-\d+)$")


def about(pages: Sequence[Page], area: str, index: Index) -> list[Page]:
    """Return the pages with nothing but the themes and sentences that are about an area; a page
    without any is left out.

    ``area`` is a path, the name of a folder or a module, a scope, a ticket, a theme's key, or words.
    """
    found: list[Page] = []
    for repo in dict.fromkeys(page.repo for page in pages):
        own = [page for page in pages if page.repo == repo]
        wanted = _Wanted(area.strip(), index, repo, own)
        for page in own:
            themes = [theme for each in page.themes if (theme := wanted.part_of(each)) is not None]
            found += [replace(page, themes=tuple(themes), more=0)] if themes else []
    return sorted(found, key=lambda page: (page.first, page.name, page.repo))


class _Wanted:
    """What is asked about, and the evidence of one repository's pages that touches it."""

    def __init__(self, area: str, index: Index, repo: str, pages: Iterable[Page]) -> None:
        self._text = area.lower()
        self._ticket = area.upper() if _TICKET.match(area) else ""
        self._area = Area("") if self._ticket else area_of(area, index, (repo,) if repo else ())
        refs = {
            ref
            for page in pages
            for theme in page.themes
            for line in (*theme.what, *theme.why)
            for ref in line.references
        }
        commits = index.commits_for(repo, sorted(refs)) if repo else []
        self._commits: Mapping[str, Commit] = {commit.sha: commit for commit in commits}
        self._items: Mapping[str, Item] = index.items.get_all(sorted(refs - self._commits.keys()))

    def part_of(self, theme: Theme) -> Theme | None:
        """Return what of a theme is about it; None if nothing is."""
        if theme.key.lower() == self._text:
            return theme
        what = tuple(line for line in theme.what if self._is_about(line))
        if not what:
            return None
        if len(what) == len(theme.what):
            return theme
        refs = {ref for line in what for ref in line.references}
        why = tuple(line for line in theme.why if not refs.isdisjoint(line.references))
        authors = Counter(self._commits[ref].author for ref in refs if ref in self._commits)
        people = [name for name in theme.people if name in authors]
        inside = [path for path in theme.paths if self._area.name and self._area.holds(path)]
        return replace(
            theme,
            what=what,
            why=why,
            people=tuple(people) or theme.people,
            paths=tuple(inside) or tuple(self._paths(refs)),
        )

    def _is_about(self, line: Line) -> bool:
        told = [touch for ref in line.references if (touch := self._touches(ref)) is not None]
        if told and sum(told) >= LEAST * len(told):
            return True
        if self._ticket:
            return self._ticket in re.findall(r"[#!]?[\w-]+", line.text.upper())
        return self._area.by_words and overlap(line.text, self._area.words) == 1.0

    def _touches(self, ref: str) -> bool | None:
        """Say whether a piece of evidence is about it; None where it can't be told."""
        commit, item = self._commits.get(ref), self._items.get(ref)
        if commit is not None:
            if self._ticket:
                return self._ticket in commit.tickets
            if not commit.files:
                return None
            named = self._area.is_named_by(commit)
            return named or any(self._area.holds(file.path) for file in commit.files)
        if item is not None:
            if self._ticket:
                return self._ticket in (item.key.upper(), *item.tickets)
            return overlap(f"{item.title}\n{item.text}", self._area.words) == 1.0
        if ref.startswith("test:") and not self._ticket:
            return self._area.holds(ref.removeprefix("test:").partition("::")[0])
        return None

    def _paths(self, refs: Iterable[str]) -> list[str]:
        """Return the files of the area that evidence touched, those touched most first."""
        counts = Counter(
            file.path
            for ref in sorted(refs)
            if ref in self._commits
            for file in self._commits[ref].files
            if self._area.holds(file.path)
        )
        return [path for path, _ in counts.most_common(3)]
