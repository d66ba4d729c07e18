"""A night, in the worker: marks and facts derived, themes made, the store packed and looked at.

Each step is idempotent and finds for itself what is left to do: a run that is stopped or killed is
simply done again, and comes to the same.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, datetime, timedelta, tzinfo
from pathlib import Path

from ..agents.hygiene.audit import audit, keep_line
from ..agents.hygiene.derive import derive
from ..agents.themes import compose
from ..agents.themes.evidence import gather
from ..agents.themes.folder import ThemesFolder
from ..agents.themes.records import Evidence, Night, Page, Step
from ..ingest.git.command import Git
from ..ingest.git.errors import GitError
from ..memory.memory import Memory
from ..memory.records import Repo
from ..memory.upkeep import size
from ..memory.work import Work
from .wire import Fields

DAYS = 35
"""So many of the last days have a page of their own."""
WEEKS = 53
COUNTED = ("folded", "ended", "faded", "facts", "changed")
"""What is told of marks and facts."""

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Limits:
    """When to stop, and who is told how far it is."""

    should_stop: Callable[[], bool] = lambda: False
    """Whether something more urgent waits."""
    seconds: float | None = None
    """How long it may take; None for as long as it takes."""
    progress: Callable[[str, int, int], None] = lambda phase, done, total: None
    clock: Callable[[], float] = time.monotonic
    began: float = field(init=False)

    def __post_init__(self) -> None:
        self.began = self.clock()

    @property
    def late(self) -> bool:
        """Whether its time is over."""
        return self.seconds is not None and self.clock() - self.began >= self.seconds

    def over(self) -> bool:
        """Say whether to stop, for whatever reason."""
        return self.should_stop() or self.late


@dataclass(slots=True)
class Report:
    """What a run did. `fields` is what JSON can hold."""

    steps: list[Step] = field(default_factory=list[Step])
    night: Night | None = None
    """The commit of its pages; None where none changed. Without an id in a rehearsal."""
    left: int = 0
    """Pages that there was no time for."""
    skipped: list[str] = field(default_factory=list[str])
    """Steps that there was no time for."""
    problems: list[Fields] = field(default_factory=list[Fields])
    """What is wrong with the memory: ``problem``, ``hint``, ``serious``."""
    bytes: int = 0
    """On disk, of all that hermes keeps; 0 where it was not looked at."""

    def fields(self) -> Fields:
        """Return it as an object."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Nights:
    """What a night works on."""

    memory: Memory
    work: Work
    themes: ThemesFolder
    state: Path
    """The folder whose size counts."""
    most_bytes: int
    """Beyond which all is packed; 0 for no limit."""
    zone: tzinfo
    now: float

    @property
    def today(self) -> date:
        """The day that it is."""
        return datetime.fromtimestamp(self.now, self.zone).date()

    def run(self, limits: Limits) -> Report:
        """Do all of a night. Raise HermesError; what was done until then is kept."""
        report = Report()
        steps: dict[str, Callable[[Limits, Report], Step]] = {
            "marks": self._marks,
            "themes": self._themes,
            "compaction": self._compaction,
            "check": self._check,
        }
        for name, do in steps.items():
            if limits.should_stop():
                break
            if limits.late:
                report.skipped.append(name)
                continue
            started = time.monotonic()
            step = do(limits, report)
            step.seconds = round(time.monotonic() - started, 3)
            report.steps.append(step)
        return report

    def make_themes(self, limits: Limits, repo: Repo | None, *, dry_run: bool = False) -> Report:
        """Make the themes alone, of one repository or of all. With ``dry_run`` nothing is written."""
        report = Report()
        started = time.monotonic()
        owners = None if repo is None else [repo]
        step = self._themes(limits, report, owners, dry_run=dry_run)
        step.seconds = round(time.monotonic() - started, 3)
        report.steps.append(step)
        return report

    def _owners(self) -> list[Repo | None]:
        """Return the repositories, by name, and None for what belongs to none."""
        repos = sorted(self.memory.index.repos(), key=lambda repo: (repo.name, repo.id))
        return [*repos, None]

    def _marks(self, limits: Limits, report: Report) -> Step:
        step = Step("marks")
        totals: dict[str, int] = dict.fromkeys(COUNTED, 0)
        owners = self._owners()
        for number, repo in enumerate(owners):
            limits.progress("marks", number, len(owners))
            found = derive(
                self.memory,
                "" if repo is None else repo.id,
                None if repo is None else _git_of(repo),
                now=int(self.now),
                should_stop=limits.over,
            )
            for name in totals:
                totals[name] += getattr(found, name)
            if not found.finished:
                step.notes = ("there was no time for all of it",)
                break
        step.counts = totals
        return step

    def _themes(
        self,
        limits: Limits,
        report: Report,
        owners: Sequence[Repo | None] | None = None,
        *,
        dry_run: bool = False,
    ) -> Step:
        owners = self._owners() if owners is None else owners
        pages: list[Page] = []
        done = left = 0
        total = len(owners) * (DAYS + WEEKS)
        for repo in owners:
            evidence = self._evidence(repo) if not limits.over() else []
            for first, last in self._spans():
                if limits.over():
                    left += 1
                    continue
                digest = compose.digest_of(repo, evidence, first, last, self.zone)
                if not self.themes.has("" if repo is None else repo.id, first, last, digest):
                    make = compose.day_page if first == last else compose.week_page
                    pages.append(make(repo, evidence, first, self.zone))
                done += 1
                limits.progress("themes", done, total)
        report.left = left
        stopped = limits.should_stop()
        subject = f"Night of {self.today.isoformat()}"
        report.night = self.themes.write(
            pages, subject, int(self.now), finished=not stopped, dry_run=dry_run
        )
        return Step("themes", counts=_counts(report.night))

    def _evidence(self, repo: Repo | None) -> list[Evidence]:
        first = _monday(self.today) - timedelta(weeks=WEEKS - 1)
        return gather(self.memory, self.work, repo, first, self.today, self.zone)

    def _spans(self) -> Iterator[tuple[date, date]]:
        """Yield the days that pages begin and end with, the newest first: they are read most."""
        for back in range(DAYS):
            day = self.today - timedelta(back)
            yield day, day
        for back in range(WEEKS):
            monday = _monday(self.today) - timedelta(weeks=back)
            yield monday, monday + timedelta(6)

    def _compaction(self, limits: Limits, report: Report) -> Step:
        limits.progress("compaction", 0, 0)
        done = self.memory.maintain()
        report.bytes = size(self.state)
        if 0 < self.most_bytes < report.bytes:
            done = self.memory.maintain(force=True)
            report.bytes = size(self.state)
        counts = {"tables": len(done.tables), "freed": max(0, done.bytes_before - done.bytes_after)}
        return Step("compaction", counts=counts)

    def _check(self, limits: Limits, report: Report) -> Step:
        limits.progress("check", 0, 0)
        report.problems = [asdict(finding) for finding in self.memory.check()]
        found = audit(self.memory, int(self.now))
        keep_line(self.memory, found)
        wrong = sum(not check.ok for check in found.checks)
        return Step("check", counts={"problems": len(report.problems), "past": wrong})


def _counts(night: Night | None) -> dict[str, int]:
    pages = night.pages if night else ()
    weeks = sum("/weeks/" in page for page in pages)
    return {"days": len(pages) - weeks, "weeks": weeks}


def _monday(day: date) -> date:
    return day - timedelta(day.weekday())


def _git_of(repo: Repo) -> Git | None:
    """Return a repository's git; None where it is gone: its history is in memory."""
    try:
        return Git.open(repo.path)
    except GitError as error:
        logger.info("%s is not there: %s", repo.name, error.message)
        return None
