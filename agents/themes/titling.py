"""Has a model title themes after a night, a few at a time, where there is a model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from ..contract import Context
from . import wordings
from .folder import ThemesFolder
from .phrase import facts_digest, phrase
from .records import Page, Step, Theme, Wording

MOST_ASKED = 20
"""Titles that are asked for in a night."""
MOST_FAILURES = 3
"""So often in a row a model that can't be asked is asked again."""


class Titling:
    """The step of a night that gives titles. Belongs to the daemon's side: models are there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def __call__(self, context: Context, should_stop: Callable[[], bool]) -> Step:
        """Have titles made for what has none yet, the newest pages and heaviest themes first. Those
        of themes that are not there any more are dropped. Preempted passes through, and what was
        made until then is kept."""
        step, model = Step("titles"), context.model()
        if model is None:
            return step
        themes = await asyncio.to_thread(self._themes)
        known = {wording.digest: wording for wording in wordings.read(self._folder)}
        kept = {digest: known[digest] for digest in themes if digest in known}
        asked = made = failures = 0
        try:
            for digest, theme in themes.items():
                if digest in kept:
                    continue
                if asked == MOST_ASKED or failures == MOST_FAILURES or should_stop():
                    break
                asked += 1
                found = await phrase(model, theme)
                if found.failure:
                    failures += 1
                    step.notes = (f"some titles are by rule: {found.failure}",)
                    continue
                failures = 0
                made += found.wording is not None
                # Where a model's may not stand the rule's is kept: it is not asked again.
                kept[digest] = found.wording or Wording(digest, theme.title, "rule")
        finally:
            if kept != known:
                wordings.keep(self._folder, list(kept.values()))
        step.counts = {"asked": asked, "made": made}
        return step

    def _themes(self) -> dict[str, Theme]:
        folder = ThemesFolder(self._folder)
        pages = [
            page for weeks in (True, False) for page in folder.pages(weeks=weeks, as_made=True)
        ]
        return {facts_digest(theme): theme for theme in _in_order(pages)}


def _in_order(pages: Sequence[Page]) -> list[Theme]:
    newest = sorted(pages, key=lambda page: (-page.last.toordinal(), page.first, page.repo))
    return [theme for page in newest for theme in page.themes]
