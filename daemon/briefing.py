"""The standup of a daemon, built from its settings and its parts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from ..agents.brief.calendar import Calendar
from ..agents.standup import Standup
from ..agents.themes.folder import ThemesFolder
from ..ingest.git.command import Git
from ..memory.errors import HermesError
from .attention.attention import Attention
from .brief_facts import facts_of, note_told
from .paths import Paths
from .settings import Settings

if TYPE_CHECKING:
    from ..memory.memory import Memory
    from ..memory.work import Work


def standup_of(
    settings: Settings,
    paths: Paths,
    work: Work,
    memory: Callable[[], Awaitable[Memory]],
    git_of: Callable[[str | None], Git | None],
    attention: Attention,
) -> Standup:
    """Return the standup as the settings want it."""
    working, person = settings.working, settings.person
    themes = ThemesFolder(paths.themes)
    return Standup(
        work,
        memory,
        git_of,
        lambda: facts_of(attention, lambda: _last_night(themes)),
        paths.brief,
        Calendar(working.days, working.hours, working.off),
        names=person.names,
        emails=person.emails,
        lines=settings.brief.lines,
        on_told=lambda told, at: note_told(attention, told, at),
        weeks=lambda first, last: themes.pages(weeks=True, since=first, until=last),
    )


def _last_night(themes: ThemesFolder) -> int | None:
    """Return when themes were written last; None if never, or if that can't be told."""
    try:
        nights = themes.log(1)
    except HermesError:
        return None
    return nights[0].at if nights else None
