"""Everyday questions, answered from facts: at once, or at night for the next day.

What was answered at night serves only while nothing that it was made from has changed, which is
looked at when somebody asks.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from ..agents.answer_events import AnswerEvent, Done, Sources, to_object
from ..agents.brief.calendar import Calendar
from ..agents.brief.person import person_of
from ..agents.foresight.asked import Asked, Kind, read
from ..agents.foresight.direct import tell
from ..agents.foresight.ground import Ground, Told
from ..agents.foresight.keys import question_id, state_key
from ..agents.foresight.predict import MOST, Foreseen, foresee
from ..agents.foresight.signs import signs_of
from ..agents.foresight.worded import worded
from ..agents.themes.folder import ThemesFolder
from ..agents.themes.records import Page, Step
from ..ingest.git.command import Git
from ..memory.answers import Kept, Outcome
from ..memory.errors import HermesError
from ..memory.memory import Memory
from ..memory.records import Filters, Repo

if TYPE_CHECKING:
    from ..agents.models.protocol import ChatModel
    from ..memory.work import Work
    from .paths import Paths
    from .settings import Settings
    from .wire import Fields

logger = logging.getLogger(__name__)

EVENING = 18
"""The hour from which on the next day is meant by what is answered ahead."""
GitsOf = Callable[[Sequence[Repo]], Mapping[str, Git]]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, whole: the events that go over the wire."""

    events: Sequence[Fields]
    made: float | None = None
    """When it was made, if at night."""

    @property
    def sources(self) -> Sequence[Fields]:
        """What it cites."""
        none: Sequence[Fields] = ()
        return next((each["sources"] for each in self.events if each["type"] == "sources"), none)


@dataclass(frozen=True, slots=True)
class _Found:
    """An answer that is kept; ``told`` where it was made now."""

    kept: Kept
    ground: Ground
    told: Told | None = None


class Foresight:
    """Answers, and answers ahead. All but `precompute` blocks for milliseconds."""

    def __init__(
        self,
        memory: Memory,
        work: Work | None,
        settings: Settings,
        paths: Paths,
        gits_of: GitsOf,
        *,
        clock: Callable[[], datetime] = datetime.now,
    ) -> None:
        """``work`` is None where no daemon runs: nothing is kept then, and nothing known of tests.
        ``clock`` gives the local time, naive."""
        self._memory = memory
        self._work = work
        self._settings = settings
        self._themes = ThemesFolder(paths.themes)
        self._themes_folder = paths.themes
        self._gits_of = gits_of
        self._clock = clock
        self._settings_digest = hashlib.sha256(settings.model_dump_json().encode()).hexdigest()

    def answer(
        self,
        question: str,
        filters: Filters,
        repos: Sequence[Repo],
        *,
        plain: bool = False,
    ) -> Answer | None:
        """Given a question, what it is confined to, and the repositories that are meant, return its
        answer; None if it is of another sort, or nothing is known of what it is about. ``plain``: no
        word of a model. Raise HermesError."""
        started, now = time.monotonic(), self._clock()
        asked = read(" ".join(question.split()), now)
        if asked is None:
            return None
        id = question_id(asked, filters, tuple(repo.id for repo in repos), now)
        gits = self._gits_of(repos)
        kept = self._work.answers.get(id) if self._work is not None else None
        if (
            kept is not None
            and not (plain and kept.model)
            and self._holds(kept, asked, repos, gits)
        ):
            self._count(asked, "served", kept)
            return Answer([*kept.events[:-1], _timed(kept.events[-1], started)], kept.made)
        ground = self._ground(filters, repos, gits, now)
        told = tell(question, asked, ground)
        if told is None:
            return None
        self._count(asked, "unpredicted" if kept is None else "stale")
        return Answer(_events(told, ground, started))

    async def precompute(
        self, model: ChatModel | None, should_stop: Callable[[], bool] = lambda: False
    ) -> Step:
        """Answer what the coming day predictably brings, the most likely first; ``model`` may phrase
        what is checked. Ends early, between two questions, when it should stop."""
        step = Step("answers")
        if self._work is None:
            return step
        started = time.monotonic()
        now = coming_day(self._clock())
        repos = {repo.id: repo for repo in await asyncio.to_thread(self._memory.index.repos)}
        questions = await asyncio.to_thread(self._foreseen, list(repos.values()), now)
        counts = {"foreseen": len(questions), "kept": 0, "made": 0, "worded": 0}
        ids: list[str] = []
        asked_of_model = 0
        if model is not None and not (await model.ready()).ready:
            model = None
        for foreseen in questions:
            if should_stop():
                step.notes = ["stopped before all was answered"]
                break
            repo = repos[foreseen.repo]
            found = await asyncio.to_thread(self._made, foreseen, repo, now)
            if found is None:
                continue
            ids.append(found.kept.id)
            counts["kept"] += 1
            if found.told is None:
                continue
            counts["made"] += 1
            if model is not None and foreseen.asked.kind is Kind.AREA and asked_of_model < MOST:
                asked_of_model += 1
                counts["worded"] += await self._worded(found, foreseen, repo, model)
        else:
            await asyncio.to_thread(self._work.answers.keep_only, ids)
        step.counts = counts
        step.seconds = time.monotonic() - started
        return step

    async def _worded(
        self, found: _Found, foreseen: Foreseen, repo: Repo, model: ChatModel
    ) -> bool:
        """Have a model say what an answer comes to; return whether that could be kept."""
        assert self._work is not None and found.told is not None
        better = await worded(found.told, found.ground, model)
        if better is None:
            return False
        gits = await asyncio.to_thread(self._gits_of, (repo,))
        kept = found.kept
        if not await asyncio.to_thread(self._holds, kept, foreseen.asked, (repo,), gits):
            return False
        key = await asyncio.to_thread(self._key, foreseen.asked, (repo,), gits, model.name)
        events = _events(better, found.ground, time.monotonic(), kept.made, model.name)
        await asyncio.to_thread(
            self._work.answers.keep, replace(kept, key=key, model=model.name, events=events)
        )
        return True

    # In a thread

    def _foreseen(self, repos: Sequence[Repo], now: datetime) -> list[Foreseen]:
        assert self._work is not None
        gits = self._gits_of(repos)
        settings = self._settings
        person = person_of(settings.person.names, settings.person.emails, list(gits.values()))
        working = settings.working
        calendar = Calendar(working.days, working.hours, working.off)
        last = calendar.last_working_day(now.date()) or now.date() - timedelta(1)
        signs = [
            signs_of(self._memory, self._work, repo, gits.get(repo.id), person, now)
            for repo in repos
        ]
        return foresee(signs, now, last)

    def _made(self, foreseen: Foreseen, repo: Repo, now: datetime) -> _Found | None:
        """Keep the answer to a question, and return it: one that holds is left as it is. None where
        there is none."""
        assert self._work is not None
        asked, filters, started = foreseen.asked, Filters((repo.id,)), time.monotonic()
        gits = self._gits_of((repo,))
        id = question_id(asked, filters, (repo.id,), now)
        kept = self._work.answers.get(id)
        ground = self._ground(filters, (repo,), gits, now)
        if kept is not None and self._holds(kept, asked, (repo,), gits):
            return _Found(kept, ground)
        key = self._key(asked, (repo,), gits, "")
        told = tell(asked.subject, asked, ground)
        if told is None or not told.relevant or key != self._key(asked, (repo,), gits, ""):
            return None
        made = self._clock().timestamp()
        kept = Kept(
            id,
            str(asked.kind),
            asked.subject,
            (repo.id,),
            key,
            made,
            None,
            _events(told, ground, started, made),
        )
        self._work.answers.keep(kept)
        return _Found(kept, ground, told)

    def _holds(
        self, kept: Kept, asked: Asked, repos: Sequence[Repo], gits: Mapping[str, Git]
    ) -> bool:
        return kept.key == self._key(asked, repos, gits, kept.model or "")

    def _key(self, asked: Asked, repos: Sequence[Repo], gits: Mapping[str, Git], model: str) -> str:
        return state_key(
            asked,
            {repo.id: gits.get(repo.id) for repo in repos},
            self._memory,
            self._work,
            self._themes_folder,
            self._settings_digest,
            model,
        )

    def _ground(
        self, filters: Filters, repos: Sequence[Repo], gits: Mapping[str, Git], now: datetime
    ) -> Ground:
        own = self._settings.person
        return Ground(
            *(self._memory, self._work, repos, filters, gits),
            pages=self._pages,
            now=now,
            asker=lambda: person_of(own.names, own.emails, list(gits.values())),
        )

    def _pages(self, repo: str, first: date, last: date) -> Sequence[Page]:
        pages = self._themes.pages
        weeks = pages(repo, weeks=True, since=first, until=last)
        return [*weeks, *pages(repo, weeks=False, since=first, until=last)]

    def _count(self, asked: Asked, outcome: Outcome, kept: Kept | None = None) -> None:
        if self._work is None or asked.kind is Kind.ITEMS:  # those are never answered ahead
            return
        now = self._clock()
        try:
            self._work.answers.count(now.date().isoformat(), str(asked.kind), outcome)
            if kept is not None:
                self._work.answers.served(kept.id, now.timestamp())
        except HermesError as error:
            logger.warning("this question is not counted: %s", error.message)


def coming_day(now: datetime) -> datetime:
    """Return the moment that what is answered ahead is for: a morning, that of today or, in the
    evening, of tomorrow."""
    if now.hour < EVENING:
        return now
    return (now + timedelta(1)).replace(hour=9, minute=0, second=0, microsecond=0)


def _events(
    told: Told,
    ground: Ground,
    started: float,
    made: float | None = None,
    model: str | None = None,
) -> list[Fields]:
    """Return an answer as it goes over the wire."""
    done = Done(
        mode="facts",
        confidence=1.0 if told.relevant else 0.0,
        relevant=told.relevant,
        seconds=time.monotonic() - started,
        made=made,
        model=model,
    )
    cited = ground.cited(text.text for text in told.texts)
    events: list[AnswerEvent] = [*told.texts, Sources(cited), done]
    return [to_object(each) for each in events]


def _timed(done: Fields, started: float) -> Fields:
    return {**done, "seconds": time.monotonic() - started}
