"""Has a model title themes after a night, a few at a time, where there is a model."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

from ..contract import Context
from ..models.protocol import ChatModel
from . import wordings
from .folder import ThemesFolder
from .phrase import Phrased, facts_digest, phrase
from .records import Step, Theme, Wording

MOST_ASKED = 20
"""Titles that are asked for in a night."""
SECONDS = 180.0
"""How long that may take: what is left then is asked for in the next night."""
MOST_FAILURES = 3
"""So often in a row a model that can't be asked is asked again."""

_AS_THEY_ARE = ("others", "stalled", "upkeep:")


class Titling:
    """The step of a night that gives titles. Belongs to the daemon's side: models are there."""

    def __init__(
        self,
        folder: Path,
        today: Callable[[], date] = date.today,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder = folder
        self._today = today
        self._clock = clock

    async def __call__(self, context: Context, should_stop: Callable[[], bool]) -> Step:
        """Have titles made for the themes of yesterday, today and their weeks that have none yet.
        Those of themes that are not there any more are dropped. Preempted passes through, and what
        was made until then is kept."""
        step, model = Step("titles"), context.model()
        if model is None:
            return step
        began = self._clock()
        themes, wanted = await asyncio.to_thread(self._themes)
        known = {wording.digest: wording for wording in wordings.read(self._folder)}
        kept = {digest: known[digest] for digest in themes if digest in known}
        asked = made = failures = 0
        try:
            for digest, theme in wanted.items():
                if digest in kept:
                    continue
                if asked == MOST_ASKED or failures == MOST_FAILURES or should_stop():
                    break
                left = began + SECONDS - self._clock()
                if left <= 0:
                    break
                context.progress("titles", asked, len(wanted))
                asked += 1
                found = await _phrased(model, theme, left)
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

    def _themes(self) -> tuple[frozenset[str], dict[str, Theme]]:
        """Return the digests of all themes, and those that are to have titles, the heaviest of the
        newest pages first."""
        yesterday = self._today() - timedelta(1)
        folder = ThemesFolder(self._folder)
        pages = [
            page for weeks in (True, False) for page in folder.pages(weeks=weeks, as_made=True)
        ]
        pages.sort(key=lambda page: (-page.last.toordinal(), page.first, page.repo))
        every = frozenset(facts_digest(theme) for page in pages for theme in page.themes)
        recent = [theme for page in pages if page.last >= yesterday for theme in page.themes]
        return every, {facts_digest(each): each for each in recent if is_worth_a_title(each)}


async def _phrased(model: ChatModel, theme: Theme, seconds: float) -> Phrased:
    try:
        async with asyncio.timeout(seconds):
            return await phrase(model, theme)
    except TimeoutError:
        return Phrased(failure="the model took too long")


def is_worth_a_title(theme: Theme) -> bool:
    """Say whether another title could tell more: of one thing alone its author's words are best, and
    of what is left over there is none."""
    return len(theme.what) > 1 and not theme.key.startswith(_AS_THEY_ARE)
