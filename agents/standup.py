"""The standup: has the morning's brief written before the first shell of the day asks for it.

A brief is finished when it is put into its folder; it counts as told once somebody has shown it,
and is not touched any more from then on.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, tzinfo
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..ingest.git.command import Git
from ..memory.briefs import Rating
from ..memory.errors import HermesError, NoSpace, ReadOnly, StoreBusy
from ..memory.records import Repo
from .brief import compose, files, sources
from .brief.bounded import bounded
from .brief.calendar import AWAY, Calendar, day_of, period_since, start_of, week_period, words_for
from .brief.commits import last_worked
from .brief.looking import with_looks
from .brief.person import person_of
from .brief.phrase import Phrased, phrase
from .brief.rating import factors
from .brief.records import Brief, Fact, Period, Person, Scope
from .brief.render import lines_of, numbered, short_day
from .brief.storing import from_fields, to_fields
from .brief.week import with_themes
from .contract import Assignment, Context, Done, Hopeless, Lane, Nothing, NotReady, Outcome, Skipped
from .themes.records import Page

if TYPE_CHECKING:
    from ..memory.memory import Memory
    from ..memory.work import Work

_Repos = Sequence[tuple[Repo, Git]]
_OnUnnoted = Callable[[HermesError], None]
DAY = 86_400.0
MORNING = 4 * 3_600.0
"""Seconds from the beginning of the working hours in which an unseen brief is kept fresh."""
PATIENCE = 150.0
"""Seconds after which a model's words are not waited for any more."""
FRESH = 60.0
"""Seconds for which a brief that was composed is not composed again."""
SECONDS = 5.0
"""In which a repository is to say when the person last committed."""
ALL = 1_000
"""Lines of a brief of which all is asked for."""


class NobodyLike(HermesError):
    """No author has this in their name or address."""

    code = "no_such_author"


class NoSuchLine(HermesError):
    """A number that no line of the brief has."""

    code = "no_such_id"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Another brief than today's."""

    since: str = ""
    """As a person types it; empty: since they last worked."""
    week: bool = False
    author: str = ""
    team: bool = False
    repos: tuple[str, ...] = ()
    """Ids; empty: all of them."""
    whole: bool = False
    """More than a screen."""


class Standup:
    """Composes the brief and puts it where shells find it. Subjects: today, refresh (what has
    changed since it was composed, unless it was shown)."""

    name = "standup"

    def __init__(
        self,
        work: Work,
        memory: Callable[[], Awaitable[Memory]],
        git_of: Callable[[str | None], Git | None],
        at_night: Callable[[], Sequence[Fact]],
        folder: Path,
        calendar: Calendar,
        *,
        names: Sequence[str] = (),
        emails: Sequence[str] = (),
        lines: int = 15,
        on_told: Callable[[Sequence[Fact], float], None] = lambda facts, at: None,
        weeks: Callable[[date, date], Sequence[Page]] = lambda first, last: (),
        gather: compose.Gather = sources.gather,
        clock: Callable[[], float] = time.time,
        zone: tzinfo | None = None,
    ) -> None:
        """``at_night`` returns what attention holds for the brief: findings, failed jobs. ``folder``
        is where shells look. ``names`` and ``emails``: the person's own, besides git's. ``on_told``
        hears, in a thread, what a person has seen, and when. ``weeks`` returns the pages of themes of
        the weeks that a span of days touches."""
        self._work = work
        self._memory = memory
        self._git_of = git_of
        self._at_night = at_night
        self._folder = folder
        self._calendar = calendar
        self._names = tuple(names)
        self._emails = tuple(emails)
        self._lines = lines
        self._on_told = on_told
        self._weeks = weeks
        self._gather = gather
        self._clock = clock
        self._zone = zone
        self._turn = asyncio.Lock()
        self._outdated = False

    async def handle(self, assignment: Assignment, context: Context) -> Outcome:
        """Compose. Raise as the contract says."""
        if assignment.subject not in ("", "refresh"):
            raise Hopeless(f"the standup has no task {assignment.subject!r}")
        memory = await self._memory()
        async with self._turn:
            if assignment.dry_run:
                brief = await asyncio.to_thread(self._today, memory, None)
                lines = lines_of(brief, compose.WIDTH, most=self._lines, zone=self._zone)
                return Done(_summary(brief), {"lines": lines, "silent": brief.silent})
            if assignment.subject == "refresh" and assignment.lane is not Lane.ON_DEMAND:
                why = await asyncio.to_thread(self._settled)
                if why:
                    return Skipped(why)
                brief = await self._made(memory)
                return Done(f"again: {_summary(brief)}", _report(brief, None))
            brief = await self._made(memory)
        for fact in brief.facts:
            context.read(fact.key)
        model = context.model()
        told: Phrased | None = None
        if model is not None and brief.facts and not brief.silent:
            # What can be printed is there already: words may take their time, but not all of it.
            try:
                async with asyncio.timeout(PATIENCE):
                    told = await phrase(model, brief)
            except TimeoutError:
                told = Phrased(failure=f"{model.name} took longer than {PATIENCE:.0f} s")
            async with self._turn:
                brief = await asyncio.to_thread(self._reworded, brief, told, model.name)
        context.wrote(f"brief:{brief.day}")
        if brief.silent or brief.empty:
            return Nothing(brief.silent or "there is nothing")
        return Done(_summary(brief), _report(brief, told))

    # For the API.

    async def today(self, on_unnoted: _OnUnnoted = lambda error: None) -> Brief:
        """Return today's brief. One that is not there yet, or that nobody has seen and that is not
        of this minute, is composed now, without a model. ``on_unnoted`` is told of a disk that does
        not take what was made or seen: then it may be told again."""
        day = self._day().isoformat()
        kept = await asyncio.to_thread(self._work.briefs.made, day)
        if kept is not None:
            brief = from_fields(kept.brief)
            fresh = abs(self._clock() - kept.made) < FRESH and not self._outdated
            if fresh and not brief.empty:
                return brief
            if await asyncio.to_thread(files.seen_at, self._folder, brief) is not None:
                return brief
        memory = await self._memory()
        async with self._turn:
            return await self._made(memory, on_unnoted)

    async def other(self, wanted: Wanted) -> Brief:
        """Return a brief of another time or person. Nothing is remembered of it. Raise
        DateRefused."""
        memory = await self._memory()
        return await asyncio.to_thread(self._other, memory, wanted)

    def rate(self, number: int, *, useful: bool) -> Fact:
        """Remember what the person said to a line of the last brief; return the line's fact. Raise
        NoSuchLine. Blocking."""
        kept = self._work.briefs.last()
        if kept is None:
            raise NoSuchLine("there is no brief yet", hint="`hermes brief` makes one")
        found = dict(numbered(from_fields(kept.brief)))
        fact = found.get(number)
        if fact is None:
            raise NoSuchLine(
                f"the brief of {kept.day} has no line {number}"
                + (f": its last is {max(found)}" if found else ""),
                hint="`hermes brief --all` shows their numbers",
            )
        topic = fact.topic or str(fact.section)
        self._work.briefs.rate(Rating(kept.day, fact.key, topic, useful, self._clock(), fact.repo))
        return fact

    def outdate(self) -> None:
        """Have a brief that nobody has seen composed anew for whoever asks, of this minute or not: a
        source was read."""
        self._outdated = True

    def missing(self) -> bool:
        """Say whether there is no brief of today yet. Blocking."""
        return files.made_for(self._folder) != self._day().isoformat()

    def waits(self) -> bool:
        """Say whether today's brief is there, nobody has seen it, and it is still the time for a
        brief of the morning. Blocking."""
        until = self._calendar.begins(self._day(), self._zone) + MORNING
        return self._clock() < until and not self._settled()

    # In a thread.

    async def _made(self, memory: Memory, on_unnoted: _OnUnnoted | None = None) -> Brief:
        """Compose today's brief, write it and remember it. What can't be written down is said to
        ``on_unnoted``; without it raise NotReady, NoSpace, ReadOnly or StoreBusy."""
        day = self._day().isoformat()
        kept = await asyncio.to_thread(self._work.briefs.made, day)
        old = None if kept is None else from_fields(kept.brief)
        self._outdated = False
        brief = await asyncio.to_thread(self._today, memory, old, on_unnoted)
        with _noting(on_unnoted):
            await asyncio.to_thread(self._put, brief)
        if old is not None and old.silent and not brief.silent:
            await asyncio.to_thread(files.unmark, self._folder, brief.day)
        return brief

    def _day(self) -> date:
        return day_of(self._clock(), self._zone)

    def _settled(self) -> str:
        """Return why today's brief is not to be made again; empty if it may be."""
        day = self._day().isoformat()
        kept = self._work.briefs.made(day)
        if kept is None or files.made_for(self._folder) != day:
            return "there is none of today yet: it is made before the working day begins"
        if files.seen_at(self._folder, from_fields(kept.brief)) is not None:
            return "today's was seen already"
        return ""

    def _today(
        self, memory: Memory, old: Brief | None, on_unnoted: _OnUnnoted | None = None
    ) -> Brief:
        with _noting(on_unnoted):
            self._note_seen()
        now = self._clock()
        day = day_of(now, self._zone)
        repos, person = self._who(memory)
        worked = self._last_worked(repos, person, day)
        period = self._calendar.period_for(day, now, worked, self._zone)
        period = self._since_seen(period, now)
        scope = Scope(memory, self._work, repos, person, period)
        found = self._gather(scope, self._at_night())
        working = self._calendar.works_on(day)
        brief = compose.today(found, scope, self._before(), self._lines, now, working=working)
        return brief if old is None else compose.kept_sentences(old, brief)

    def _other(self, memory: Memory, wanted: Wanted) -> Brief:
        now = self._clock()
        day = day_of(now, self._zone)
        repos, person = self._who(memory)
        if wanted.repos:
            repos = [(repo, git) for repo, git in repos if repo.id in wanted.repos]
        if wanted.author:
            person = _somebody(memory, wanted.author)
        period = self._period(wanted, repos, person, day, now)
        scope = Scope(memory, self._work, repos, person, period, everybody=wanted.team)
        own = not wanted.team and not wanted.author
        held = list(self._at_night()) if own else []
        if wanted.week and (pages := self._pages_of(period)):
            themes, scope = with_themes(with_looks(scope), pages)
            held += themes
        found = self._gather(scope, held)
        if wanted.author:
            found = compose.of_author(found)
            several = f"{len(person.emails or person.names)} people like {wanted.author}"
            who = min(person.names, key=len) if len(person.names) == 1 else several
            scope = replace(scope, period=replace(period, words=f"{who} {period.words}"))
        elif wanted.team:
            scope = replace(scope, period=replace(period, words=f"everybody {period.words}"))
        lines = ALL if wanted.whole else self._lines
        return compose.asked(found, scope, self._before(), lines, now)

    def _period(
        self, wanted: Wanted, repos: _Repos, person: Person, day: date, now: float
    ) -> Period:
        if wanted.since:
            return period_since(wanted.since, now, self._zone)
        if wanted.week:
            return week_period(day, now, self._zone)
        worked = self._last_worked(repos, person, day)
        return self._calendar.period_for(day, now, worked, self._zone)

    def _pages_of(self, period: Period) -> Sequence[Page]:
        return self._weeks(day_of(period.since, self._zone), period.day)

    def _since_seen(self, period: Period, now: float) -> Period:
        """Return a period that begins no later than where the last brief ended that was seen: what
        a weekend's brief kept to itself is told on Monday."""
        last = self._work.briefs.last_seen(period.day.isoformat())
        if last is None or not now - AWAY * DAY < last.made < period.since:
            return period
        words = words_for(day_of(last.made, self._zone), period.day)
        return replace(period, since=last.made, words=words)

    def _last_worked(self, repos: _Repos, person: Person, day: date) -> float | None:
        """Return when the person last committed before a day, anywhere. A repository that does
        not answer is not waited for."""
        before = start_of(day, self._zone)
        since = before - AWAY * DAY
        calls = {
            str(git.common_dir): partial(last_worked, git, person, since, before)
            for _, git in repos
        }
        answers = bounded(calls, SECONDS).values()
        return max((at for at in answers if isinstance(at, float | int)), default=None)

    def _who(self, memory: Memory) -> tuple[list[tuple[Repo, Git]], Person]:
        found = [(repo, self._git_of(repo.id)) for repo in memory.index.repos()]
        repos = [(repo, git) for repo, git in found if git is not None]
        return repos, person_of(self._names, self._emails, [git for _, git in repos])

    def _before(self) -> compose.Before:
        briefs = self._work.briefs
        return compose.Before(briefs.told(), factors(briefs.ratings(), self._clock()))

    def _note_seen(self) -> None:
        """Remember as told what somebody has shown since the last time."""
        for kept in self._work.briefs.unseen():
            brief = from_fields(kept.brief)
            at = files.seen_at(self._folder, brief)
            if at is not None:
                seen = files.facts_seen(self._folder, brief, self._lines)
                self._work.briefs.seen(kept.day, at, compose.what_was_told(brief, seen))
                self._on_told(seen, at)

    def _put(self, brief: Brief) -> None:
        try:
            files.write(self._folder, brief, self._lines, self._zone)
        except OSError as error:
            raise NotReady(
                f"can't write the brief into {self._folder}: {error.strerror}"
            ) from error
        self._work.briefs.keep(brief.day.isoformat(), brief.made, to_fields(brief))

    def _reworded(self, brief: Brief, told: Phrased, model: str) -> Brief:
        """Write a brief again in a model's words, unless it was shown, or made anew, meanwhile."""
        kept = self._work.briefs.made(brief.day.isoformat())
        if not told.sentences or self._settled() or kept is None or kept.made != brief.made:
            return brief
        worded = replace(
            brief, facts=told.order or brief.facts, sentences=told.sentences, model=model
        )
        self._put(worded)
        return worded


@contextmanager
def _noting(on_unnoted: _OnUnnoted | None) -> Generator[None]:
    """Hand on what keeps a brief from being noted, if somebody waits for the brief itself."""
    try:
        yield
    except (NotReady, NoSpace, ReadOnly, StoreBusy) as error:
        if on_unnoted is None:
            raise
        on_unnoted(error)


def _somebody(memory: Memory, part: str) -> Person:
    """Return whoever has a part of a name or an address. Raise NobodyLike."""
    asked = part.casefold()
    found = [
        each
        for each in memory.index.authors()
        if asked in each.name.casefold() or asked in each.email.casefold()
    ]
    names = {each.name for each in found}
    emails = {each.email.lower() for each in found}
    if not found:  # somebody who only writes tickets, say
        began = memory.index.items.people_like(asked)
        names, emails = set(began[0]), {email.lower() for email in began[1]}
    if not names and not emails:
        raise NobodyLike(
            f"nobody in memory is called {part!r}",
            hint="`hermes brief --team` has everybody who worked lately",
        )
    return Person(frozenset(names), frozenset(emails))


def _summary(brief: Brief) -> str:
    number = len(brief.facts)
    more = f", {brief.more} more" if brief.more else ""
    silent = f"; silent: {brief.silent}" if brief.silent else ""
    lines = f"{number} thing{'' if number == 1 else 's'}"
    return f"{lines} to tell for {short_day(brief.day)}{more}{silent}"


def _report(brief: Brief, told: Phrased | None) -> dict[str, object]:
    report: dict[str, object] = {
        "facts": [fact.key for fact in brief.facts],
        "more": brief.more,
        "unreadable": list(brief.unreadable),
    }
    if told is not None:
        report["model"] = {
            "calls": told.calls,
            "sentences": len(told.sentences),
            "of": len(brief.facts),
            "problems": list(told.problems),
            "failure": told.failure,
        }
    return report
