"""A pull request over a week of mornings: told when something happens to it, and only then."""

from __future__ import annotations

import os
from collections.abc import Generator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hermes.agents.brief.calendar import Calendar
from hermes.agents.contract import Assignment, Lane
from hermes.agents.standup import Standup
from hermes.ingest.git.command import Git
from hermes.ingest.items import take_in
from hermes.ingest.sources.transcript import transcript, turn
from hermes.memory.memory import Memory
from hermes.memory.records import Item, ItemChange, ItemKind
from hermes.memory.work import Work
from hermes.tests.builders.around import Around
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.ingested import Ingested
from hermes.tests.builders.items import KIM, SAM, ticket

REVIEW = "Kim Noor asked for changes on your #482 “Count in Redis”; 1 comment in shop/limiter.py"


def moment(text: str) -> int:
    return int(datetime.fromisoformat(f"{text}+00:00").timestamp())


class Week:
    """Sam's mornings, each of which is seen where a shell prints it."""

    def __init__(self, folder: Path, work: Work, ingested: Ingested) -> None:
        self.folder = folder / "brief"
        self.memory = ingested.memory
        self.now = 0.0
        self.standup = Standup(
            work,
            self._memory,
            lambda repo: Git.open(ingested.repository),
            list,
            self.folder,
            Calendar(),
            names=[SAM[0]],
            emails=[SAM[1]],
            clock=lambda: self.now,
            zone=UTC,
        )
        self.said: list[str] = []
        self.changes: list[ItemChange] = []

    async def _memory(self) -> Memory:
        return self.memory

    def happens(
        self, at: str, *changes: tuple[str, str], said: tuple[str, str, str] | None
    ) -> None:
        """Have fields changed, and somebody say something about a file, at a time."""
        self.changes += [ItemChange(moment(at), *each) for each in changes]
        if said is not None:
            self.said.append(turn(said[0], moment(at), said[1], said[2]))
        take_in(self.memory, [self._pull(moment(at))])

    def _pull(self, changed: int) -> Item:
        states = [change.value for change in self.changes if change.field == "state"]
        return replace(
            ticket("#482", "Count in Redis", source="github", time=moment("2026-03-09T10:00")),
            kind=ItemKind.PULL,
            state=states[-1],
            closed=changed if states[-1] == "merged" else None,
            people=(SAM, KIM),
            changed=changed,
            changes=tuple(self.changes),
            text=transcript("It counts.", self.said),
        )

    async def morning(self, day: str) -> str:
        """Compose the day's brief, see it, and return what the shell printed of the pull request."""
        self.now = float(moment(f"{day}T08:30"))
        await self.standup.handle(Assignment(1, "standup", "", Lane.SCHEDULED), Around())
        lines = (self.folder / "today.80").read_text().splitlines()[1:]
        if lines:
            mark = self.folder / "shown" / day
            mark.write_text("4711.123.today.80\n")
            os.utime(mark, (self.now, self.now))
        return " ".join(" ".join(lines).split())


@pytest.fixture
def week(tmp_path: Path) -> Generator[Week]:
    shop = RepoBuilder(tmp_path / "shop")
    shop.commit(
        {"shop/limiter.py": "counts = {}\n"},
        "Limit requests",
        author="Sam Ito <sam@example.org>",
        when=moment("2026-03-09T10:00"),
    )
    work = Work(tmp_path / "work.db")
    with Ingested(tmp_path / "memory", shop.path) as ingested:
        ingested.run()
        ingested.memory.index.sources.add("github", "github", {}, 1)
        yield Week(tmp_path, work, ingested)
    work.close()


async def test_each_morning_tells_what_is_new_and_keeps_in_sight_what_waits(week: Week) -> None:
    week.happens("2026-03-09T10:00", ("state", "open"), ("reviewer", "Kim Noor"), said=None)
    verdict = ("review", "changes requested by Kim Noor")
    week.happens(
        "2026-03-10T19:00", verdict, said=("Kim Noor", "Why a script?", "shop/limiter.py:8")
    )
    wednesday = await week.morning("2026-03-11")
    assert REVIEW in wednesday
    assert "answer Kim Noor's review of #482 “Count in Redis”" in wednesday

    thursday = await week.morning("2026-03-12")
    assert "asked for changes on your" not in thursday
    assert "#482 “Count in Redis” waits for you: Kim Noor asked for changes on Tuesday" in thursday

    week.happens("2026-03-12T11:00", said=("Sam Ito", "It is atomic.", "shop/limiter.py:8"))
    friday = await week.morning("2026-03-13")
    assert "#482 “Count in Redis” waits for a review by Kim Noor" in friday
    assert "answer Kim Noor" not in friday

    approved = ("review", "approved by Kim Noor")
    week.happens("2026-03-13T20:00", approved, said=("Kim Noor", "approved.", ""))
    assert await week.morning("2026-03-14") == ""  # a Saturday
    monday = await week.morning("2026-03-16")
    assert "Kim Noor approved your #482 “Count in Redis”" in monday
    assert "merge #482 “Count in Redis”: Kim Noor approved it" in monday

    week.happens("2026-03-16T18:00", ("state", "merged"), said=None)
    tuesday = await week.morning("2026-03-17")
    assert "your #482 “Count in Redis” was merged" in tuesday
    assert "Start" not in tuesday
    assert await week.morning("2026-03-18") == ""
