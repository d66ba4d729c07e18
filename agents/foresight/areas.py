"""What happened in an area in a time: its themes, and the commits that are in none of them yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from itertools import islice

from ...memory.records import Commit, Filters
from ..brief.finished import is_bot
from ..brief.wording import counted, cut, listed
from ..evidence import Source
from ..extractive import what_happened
from ..reasons import shorten
from ..themes.records import Line, Page, Theme
from ..words import overlap
from .area_of import Area, area_of, is_sha
from .asked import Asked
from .ground import Ground, Told, cites, local_day, told
from .loose import done_of, reasons_of, tell_loose
from .taken_back import taken_back

OTHERS = "others"
UPKEEP = "upkeep:"
"""Keys of themes: the one of what is left over, and the beginning of those of dependencies and releases."""
DAYS = 14
"""Days that are told of where no time was named."""
MOST = 2_000
"""Commits of a time that are looked at."""
MOST_THEMES = 6
MOST_GROUPS = 4
"""Pieces of work without a theme that are told one by one beside themes; of more, how many."""
MOST_ALONE = 8
"""The same where there are no themes."""
MOST_LINES = 2
"""Lines of one theme."""
_CITED = 3
_TITLE = 100
_REASON = 160


@dataclass(frozen=True, slots=True)
class Window:
    """The time that is asked about, seconds since the epoch."""

    since: int
    until: int | None
    """Exclusive; None for until now."""
    usual: bool = False
    """No time was named."""

    @property
    def first(self) -> date:
        """Its first local day."""
        return datetime.fromtimestamp(self.since).date()

    @property
    def last(self) -> date:
        """Its last local day; of one without an end, the last that can be named."""
        return date.max if self.until is None else datetime.fromtimestamp(self.until - 1).date()


def tell_area(asked: Asked, ground: Ground) -> Told | None:
    """Return what happened; None where the area is not known."""
    filters = ground.filters
    if filters.author or filters.refs is not None or filters.source not in (None, "git"):
        return None
    if asked.subject and filters.path:
        return None
    area = area_of(asked.subject or filters.path or "", ground.memory.index, ground.ids)
    window = window_of(asked, filters, ground.now)
    commits = _commits(area, window, ground)
    themes = _themes(area, window, commits, ground)
    if not commits and not themes:
        return _nothing(area, window, ground)
    people = [commit for commit in commits if not _by_machine(commit)]
    texts = [_head(area, window, commits, people or commits, ground)] if commits else []
    several = len({commit.author for commit in people}) > 1
    shas = {commit.sha for commit in commits}
    themes = [theme for each in themes if (theme := _own(each, area, shas)) is not None]
    for theme in themes[:MOST_THEMES]:
        if text := _theme(theme, commits, several, ground):
            texts.append(text)
    referred = {ref for theme in themes for line in theme.what for ref in line.references}
    loose = [commit for commit in people if commit.sha not in referred]
    if len(commits) == 1 and not themes:
        return told(_single(area, window, commits[0], ground), area.words)
    texts += tell_loose(
        loose, area, ground, MOST_GROUPS if themes else MOST_ALONE, after=bool(themes)
    )
    texts += taken_back(commits, ground)
    left = len(themes) - MOST_THEMES
    if left > 0:
        about = f" {area.name}" if area.name else ""
        texts.append(f"{counted(left, 'more theme')}: hermes themes{about} lists all.")
    return told(texts, area.words)


def window_of(asked: Asked, filters: Filters, now: datetime) -> Window:
    """Return the time that a question or the filters name, else the last two weeks. One that is not
    over has no end: "this week" and "since monday" are the same question."""
    since, until = asked.since, asked.until
    if since is None and until is None:
        since = filters.since
        until = filters.until + 1 if filters.until is not None else None
    if since is None and until is None:
        first = datetime.combine(now.date() - timedelta(DAYS), time())
        return Window(int(first.timestamp()), None, usual=True)
    over = until is not None and until <= now.timestamp()
    return Window(since or 0, until if over else None)


def _commits(area: Area, window: Window, ground: Ground) -> list[Commit]:
    """Return the area's commits of the time, newest first, without merges and what stands for
    another."""
    index = ground.memory.index
    # The index takes "until" as the first second that is too late.
    within = Filters(ground.ids, since=window.since or None, until=window.until)
    found: dict[tuple[str, str], Commit] = {}
    for path in ("",) if area.everything else area.paths:
        for commit in index.newest(replace(within, path=path or None), MOST):
            found[commit.repo, commit.sha] = commit
    if not area.everything:
        for commit in index.newest(within, MOST):
            if area.is_named_by(commit):
                found[commit.repo, commit.sha] = commit
    marks = index.marks.of(sha for _, sha in found)
    plain = [
        commit
        for key, commit in found.items()
        if not commit.is_merge and not (key in marks and marks[key].folded_into)
    ]
    return sorted(plain, key=lambda commit: (-commit.time, commit.sha))


def _themes(area: Area, window: Window, commits: Sequence[Commit], ground: Ground) -> list[Theme]:
    """Return the themes of the time that concern the area, those of one key as one, those with
    most of the area's commits first."""
    pages: list[Page] = []
    for repo in (*ground.ids, ""):
        pages += apart(ground.pages(repo, window.first, window.last), window.first, window.last)
    shas = {commit.sha for commit in commits}
    found: dict[str, Theme] = {}
    for page in sorted(pages, key=lambda page: page.last):
        for theme in page.themes:
            if theme.key == OTHERS:
                continue  # its commits are told with those that have no theme
            if area.is_about(theme, shas):
                before = found.get(theme.key)
                found[theme.key] = theme if before is None else _joined(before, theme)

    def place(theme: Theme) -> tuple[bool, int, float, str]:
        # Weights are shares of their pages, and not to be compared between a full week and an empty one.
        told = len(shas.intersection(theme.references))
        return theme.key.startswith(UPKEEP), -told, -theme.weight, theme.key

    return sorted(found.values(), key=place)


def apart(pages: Sequence[Page], first: date, last: date) -> list[Page]:
    """Return the pages that cover a time once: weeks that lie in it, and the days of no such week."""
    weeks = [page for page in pages if page.is_week and first <= page.first and page.last <= last]
    days = [
        page
        for page in pages
        if not page.is_week
        and first <= page.first <= last
        and not any(
            week.repo == page.repo and week.first <= page.first <= week.last for week in weeks
        )
    ]
    return [*weeks, *days]


def _joined(before: Theme, after: Theme) -> Theme:
    """Return a theme that goes on in a later page, as one: how it stands is what the later says."""
    return replace(
        after,
        what=(*after.what, *before.what),
        why=(*after.why, *before.why),
        people=tuple(dict.fromkeys((*after.people, *before.people))),
        references=tuple(dict.fromkeys((*before.references, *after.references))),
        since=before.since,
        weight=before.weight + after.weight,
    )


def _head(
    area: Area, window: Window, commits: Sequence[Commit], people: Sequence[Commit], ground: Ground
) -> str:
    who = [name for name, _ in Counter(commit.author for commit in people).most_common()]
    newest = people[0]
    where = f" in {area.name}" if area.name else ""
    last = f"the last on {local_day(newest.time)} {cites([ground.cite(newest)])}"
    count = counted(len(commits), "commit")
    return f"{count}{where} {_when(window)} by {listed(who, 4)}, {last}."


def _single(area: Area, window: Window, commit: Commit, ground: Ground) -> list[str]:
    source = ground.cite(commit)
    where = f" in {area.name}" if area.name else ""
    happened = what_happened(source, reasons_of(source.text))
    return [f"One commit{where} {_when(window)}.", happened]


def _when(window: Window) -> str:
    """Say which time is meant, the same however it was asked."""
    if window.usual:
        return f"in the last {DAYS} days"
    first = window.first.isoformat()
    if window.until is None:
        return f"since {first}" if window.since else "so far"
    last = window.last.isoformat()
    if not window.since:
        return f"until {last}"
    return f"on {first}" if first == last else f"from {first} to {last}"


def _theme(theme: Theme, commits: Sequence[Commit], several: bool, ground: Ground) -> str:
    """Return a theme in one paragraph: title, how it stands, what happened, and why. Who did it is
    said where ``several`` people did what the answer tells."""
    shas = {commit.sha for commit in commits}
    # Sources have numbers in the order in which they are cited: no more than what is told.
    texts = ((line, _cited(line, line.text, ground)) for line in theme.what)
    cited = list(islice(((line, text) for line, text in texts if text), MOST_LINES))
    if not cited:
        return ""
    lead, alone = cited[0][0], len(theme.what) == 1
    who = [f"by {listed(theme.people, 2)}"] if several and theme.people else []
    about = ", ".join([*([] if alone else theme.tickets[:1]), str(theme.state), *who])
    if not lead.text.startswith("Also") and (alone or _says(theme.title, lead.text)):
        first = _cited(lead, f"{lead.text.rstrip('.')} ({about})", ground)
        text = f"- {' '.join([first, *(each for _, each in cited[1:])])}"
    else:
        title = cut(theme.title, _TITLE)
        text = f"- {title} ({about}): {' '.join(each for _, each in cited)}"
    for line in theme.why[:1]:
        if shas.isdisjoint(line.references):
            continue
        if why := _cited(line, f"“{shorten(line.text, _REASON)}”", ground):
            text += f" {why}"
    return text


def _own(theme: Theme, area: Area, shas: Collection[str]) -> Theme | None:
    """Return a theme with only the sentences that are about the area, whose commits are ``shas``: at
    least half of what each rests on; None if there are none."""
    if area.everything:
        return theme

    def is_own(line: Line) -> bool:
        commits = [ref for ref in line.references if is_sha(ref)]
        if not commits:
            return bool(area.words) and overlap(line.text, area.words) == 1.0
        return 2 * len(frozenset(commits).intersection(shas)) >= len(commits)

    own = tuple(line for line in theme.what if is_own(line))
    return replace(theme, what=own) if own else None


def _says(title: str, text: str) -> bool:
    """Say whether a title says what a sentence does, all but the verb."""
    lead = title.lower().partition(";")[0].rstrip("…")
    rests = [each.partition(" ")[2] for each in (lead, lead.partition(": ")[2])]
    return any(" " in rest and rest in text.lower() for rest in rests)


def _cited(line: Line, text: str, ground: Ground) -> str:
    """Return what a line says with the numbers of its sources; empty where none of them is there any
    more."""
    found = _sources(line.references, ground)
    if not found:
        return ""
    return f"{text.rstrip('.')} {cites(found[:_CITED])}."


def _sources(references: Sequence[str], ground: Ground) -> list[Source]:
    index = ground.memory.index
    items = index.items.get_all(references)
    commits = {c.sha: c for repo in ground.ids for c in index.commits_for(repo, references)}
    cited = dict(zip(commits, ground.cite_all(list(commits.values())[:_CITED]), strict=False))
    found: list[Source] = []
    for reference in references:
        if reference in items:
            found.append(ground.cite_item(items[reference]))
        elif reference in cited:
            found.append(cited[reference])
        elif reference.startswith("test:") and ground.work is not None:
            test, _, number = reference.removeprefix("test:").rpartition("@")
            run = ground.work.runs.get(int(number)) if number.isdigit() else None
            if run is not None and run.repo in ground.ids:
                found.append(ground.cite_run(run, test, run.state))
    return found


def _by_machine(commit: Commit) -> bool:
    return is_bot(done_of(commit, Area("")))


def _nothing(area: Area, window: Window, ground: Ground) -> Told | None:
    """Say that nothing happened in an area that is known, and what came last before."""
    index = ground.memory.index
    newest = [
        commit
        for path in (("",) if area.everything else area.paths)
        for commit in index.touching(path, ground.ids, until=window.since or None, limit=1)
    ]
    if not newest:
        return None
    commit = max(newest, key=lambda each: each.time)
    source = ground.cite(commit)
    last = what_happened(source, reasons_of(source.text))
    where = f" in {area.name}" if area.name else ""
    texts = [f"Nothing changed{where} {_when(window)}.", f"The last before that: {last}"]
    return told(texts, area.words)
