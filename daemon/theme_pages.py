"""Pages of themes that nights do not keep, or have not made yet: made while somebody waits, and only
shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta, tzinfo
from itertools import islice

from ..agents.themes import compose
from ..agents.themes.evidence import gather
from ..agents.themes.folder import ThemesFolder
from ..agents.themes.records import Page
from ..memory.memory import Memory
from ..memory.records import Repo
from ..memory.work import Work
from .consolidating import DAYS, WEEKS

MOST = 14
"""Pages that are made at once: for more nobody should wait."""


def first_kept(today: date, *, weeks: bool) -> date:
    """Return the first day that the pages of nights reach back to."""
    if weeks:
        return _monday(today) - timedelta(weeks=WEEKS - 1)
    return today - timedelta(DAYS - 1)


def missing(
    kept: Sequence[Page],
    repos: Sequence[Repo | None],
    since: date,
    until: date,
    *,
    weeks: bool,
    memory: Memory,
    work: Work,
    folder: ThemesFolder,
    zone: tzinfo,
) -> list[Page] | None:
    """Return the pages of a span that are not among those that are kept, of these repositories (None
    for what belongs to none); None where they are too many. What a person took back stays so.
    Blocks: up to a second for each."""
    today = datetime.now(zone).date()
    spans = list(islice(_spans(since, min(until, today), weeks=weeks), MOST + 1))
    there = {(page.repo, page.first) for page in kept}
    make = compose.week_page if weeks else compose.day_page
    if len(spans) * len(repos) > MOST:
        return None
    found: list[Page] = []
    for repo in repos:
        left = [day for day in spans if ("" if repo is None else repo.id, day) not in there]
        if not left:
            continue
        last = _monday(left[-1]) + timedelta(6)
        evidence = gather(memory, work, repo, _monday(left[0]), last, zone)
        pages = [make(repo, evidence, day, zone) for day in left]
        found += [
            page
            for page in pages
            if (page.themes or page.more)
            and not folder.has(page.repo, page.first, page.last, page.digest)
        ]
    return found


def _spans(since: date, until: date, *, weeks: bool) -> Iterator[date]:
    """Yield the first days of the pages that touch a span."""
    day = _monday(since) if weeks else since
    while day <= until:
        yield day
        day += timedelta(7 if weeks else 1)


def _monday(day: date) -> date:
    return day - timedelta(day.weekday())
