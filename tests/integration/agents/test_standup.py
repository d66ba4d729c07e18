"""The standup with a clock of its own: what it writes, what counts as told, what it makes again."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Generator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hermes.agents.brief.calendar import Calendar
from hermes.agents.brief.records import Fact, Found, Scope, Section
from hermes.agents.contract import Assignment, Done, Lane, Nothing, NotReady, Outcome, Skipped
from hermes.agents.models.scripted import ScriptedModel
from hermes.agents.standup import NobodyLike, NoSuchLine, Standup, Wanted
from hermes.ingest.git.command import Git
from hermes.memory.errors import HermesError, ReadOnly
from hermes.memory.memory import Memory
from hermes.memory.work import Work
from hermes.tests.builders.around import Around
from hermes.tests.builders.ingested import Ingested
from hermes.tests.builders.shop import make_shop

MAIN = Fact("main", Section.OVERNIGHT, "main has 5 new commits by Ana Lima", topic="main")
STASH = Fact("stash", Section.HALF_DONE, "1 stash: WIP cart", topic="stash")
VARIANTS = ("today.80", "today.40", "today.80.ascii", "today.40.ascii", "today.80.ansi")


class Morning:
    """A standup whose facts and time a test sets."""

    def __init__(self, folder: Path, work: Work, ingested: Ingested) -> None:
        self.folder = folder / "brief"
        self.facts: list[Fact] = [MAIN, STASH]
        self.unreadable: tuple[str, ...] = ()
        self.scopes: list[Scope] = []
        self.told: list[tuple[list[str], float]] = []
        self.around = Around()
        self.work = work
        self._ingested = ingested
        self.at("2026-12-01")  # a Tuesday
        self.standup = Standup(
            work,
            self._memory,
            lambda repo: Git.open(ingested.repository),
            list,
            self.folder,
            Calendar(),
            on_told=lambda facts, at: self.told.append(([f.key for f in facts], at)),
            gather=self._gather,
            clock=lambda: self.now,
            zone=UTC,
        )

    def at(self, day: str, clock: str = "08:30") -> None:
        self.now = datetime.fromisoformat(f"{day}T{clock}+00:00").timestamp()

    async def _memory(self) -> Memory:
        return self._ingested.memory

    def _gather(self, scope: Scope, held: Sequence[Fact]) -> Found:
        self.scopes.append(scope)
        return Found((*self.facts, *held), self.unreadable)

    async def run(self, subject: str = "", *, dry_run: bool = False) -> Outcome:
        return await self.standup.handle(
            Assignment(1, "standup", subject, Lane.SCHEDULED, dry_run=dry_run), self.around
        )

    def lines(self, name: str = "today.80") -> list[str]:
        return (self.folder / name).read_text().splitlines()

    def show(self, day: str, by: str = "4711.123\n") -> None:
        mark = self.folder / "shown" / day
        mark.write_text(by)
        os.utime(mark, (self.now, self.now))


@pytest.fixture
def morning(tmp_path: Path) -> Generator[Morning]:
    make_shop(tmp_path / "shop")
    work = Work(tmp_path / "work.db")
    with Ingested(tmp_path / "memory", tmp_path / "shop") as ingested:
        ingested.run()
        yield Morning(tmp_path, work, ingested)
    work.close()


async def test_the_files_are_private_whole_and_for_the_day(morning: Morning) -> None:
    outcome = await morning.run()
    assert isinstance(outcome, Done)
    assert outcome.summary == "2 things to tell for Tue 1 Dec"
    for name in VARIANTS:
        first, *rest = morning.lines(name)
        assert first == "2026-12-01" and rest
        assert stat.S_IMODE((morning.folder / name).stat().st_mode) == 0o600
    assert stat.S_IMODE(morning.folder.stat().st_mode) == 0o700
    assert (morning.folder / "made").read_text() == f"{morning.now:.0f}\n"
    assert all(line.isascii() for line in morning.lines("today.40.ascii"))
    assert not any("\x1b" in line for line in morning.lines())
    assert any("\x1b[" in line for line in morning.lines("today.80.ansi"))
    assert [path.name for path in morning.folder.iterdir() if path.name.startswith(".")] == []


async def test_only_what_somebody_saw_counts_as_told(morning: Morning) -> None:
    await morning.run()
    morning.at("2026-12-02")
    await morning.run()
    assert any("main has 5" in line for line in morning.lines())
    morning.show("2026-12-02")
    morning.at("2026-12-03")
    outcome = await morning.run()
    assert isinstance(outcome, Nothing) and outcome.why == "nothing is new"
    assert morning.lines() == ["2026-12-03"]
    assert [keys for keys, _ in morning.told] == [["stash", "main"]]


@pytest.mark.parametrize(
    ("mark", "told"),
    [
        ("4711.123.today.40\n", False),
        ("4711.123.today.40.ascii\n", False),
        ("hermes brief 40\n", False),
        ("4711.123.today.80.ansi\n", True),
        ("hermes brief 80\n", True),
        ("hermes brief\n", True),
        ("4711.123\n", True),
    ],
)
async def test_what_found_no_room_on_a_narrow_terminal_was_not_told(
    morning: Morning, mark: str, told: bool
) -> None:
    long = " and ".join(["what is long enough for two lines of eighty columns"] * 2)
    morning.facts = [
        replace(MAIN, key=f"m{n}", topic=f"t{n}", text=f"{n} {long}") for n in range(6)
    ]
    await morning.run()
    shown = morning.lines("today.40")
    assert len(morning.lines()) == 14 and not any(" 5 what" in line for line in shown)
    morning.show("2026-12-01", mark)
    morning.at("2026-12-02")
    outcome = await morning.run()
    assert isinstance(outcome, Nothing) is told
    assert any("5 what is long" in line for line in morning.lines()) is not told
    (keys, _) = morning.told[0]
    assert ("m5" in keys) is told


async def test_what_is_new_is_told_beside_one_line_for_what_is_still_open(morning: Morning) -> None:
    await morning.run()
    morning.show("2026-12-01")
    morning.at("2026-12-02")
    morning.facts = [replace(MAIN, text="main has 7 new commits"), STASH]
    await morning.run()
    assert morning.lines()[2:] == [
        "Open    1 still open: 1 stash (since Tue)",
        "New     2 main has 7 new commits",
    ]


async def test_a_shell_that_had_nothing_to_print_has_shown_nothing(morning: Morning) -> None:
    morning.at("2026-12-05")  # a Saturday
    outcome = await morning.run()
    assert isinstance(outcome, Nothing) and outcome.why == "it is a day off"
    assert morning.lines() == ["2026-12-05"]
    morning.show("2026-12-05")
    morning.at("2026-12-07")
    await morning.run()
    assert any("main has 5" in line for line in morning.lines())


async def test_what_was_read_by_the_command_on_a_day_off_was_read(morning: Morning) -> None:
    morning.at("2026-12-05")
    await morning.run()
    morning.show("2026-12-05", "hermes brief\n")
    morning.at("2026-12-07")
    outcome = await morning.run()
    assert isinstance(outcome, Nothing)


async def test_a_brief_begins_where_the_last_one_ended_that_was_seen(morning: Morning) -> None:
    morning.at("2026-12-04")
    await morning.run()
    seen = morning.now
    morning.show("2026-12-04")
    morning.at("2026-12-08")  # Monday's was never shown
    await morning.run()
    assert morning.scopes[-1].period.since == seen
    assert morning.scopes[-1].period.words == "since Friday"


async def test_it_is_made_again_until_it_was_seen(morning: Morning) -> None:
    assert isinstance(await morning.run("refresh"), Skipped)
    assert morning.standup.missing()
    await morning.run()
    assert not morning.standup.missing() and morning.standup.waits()
    morning.at("2026-12-01", "08:50")
    morning.facts = [replace(MAIN, text="main has 9 new commits")]
    assert isinstance(await morning.run("refresh"), Done)
    assert any("main has 9" in line for line in morning.lines())
    assert morning.lines()[1].endswith("made 08:50")
    morning.show("2026-12-01")
    assert not morning.standup.waits()
    morning.facts = [STASH]
    outcome = await morning.run("refresh")
    assert isinstance(outcome, Skipped) and outcome.why == "today's was seen already"
    assert any("main has 9" in line for line in morning.lines())


async def test_in_the_afternoon_nothing_is_made_again_by_itself(morning: Morning) -> None:
    await morning.run()
    morning.at("2026-12-01", "13:01")
    assert not morning.standup.waits()


async def test_a_silent_brief_that_has_something_to_say_after_all_is_shown(
    morning: Morning,
) -> None:
    morning.facts = []
    await morning.run()
    morning.show("2026-12-01")
    morning.facts = [MAIN]
    assert isinstance(await morning.run("refresh"), Done)
    assert not (morning.folder / "shown" / "2026-12-01").exists()


async def test_a_model_words_it_after_the_rule_has_and_a_refresh_keeps_its_words(
    morning: Morning,
) -> None:
    said = {"lines": [{"fact": 1, "text": "You have 1 stash: WIP cart."}]}
    said["lines"].append({"fact": 2, "text": "main has 5 commits by Ana Lima."})
    morning.around.chat = ScriptedModel(json.dumps(said))
    outcome = await morning.run()
    assert isinstance(outcome, Done) and outcome.report["model"] == {
        "calls": 1,
        "sentences": 2,
        "of": 2,
        "problems": [],
        "failure": "",
    }
    assert any(line.endswith("main has 5 commits by Ana Lima.") for line in morning.lines())
    morning.facts = [replace(STASH, text="2 stashes"), MAIN]
    morning.around.chat = None
    await morning.run("refresh")
    assert any(line.endswith("main has 5 commits by Ana Lima.") for line in morning.lines())
    assert any("2 stashes" in line for line in morning.lines())


async def test_a_model_that_lies_changes_nothing(morning: Morning) -> None:
    lie = json.dumps({"lines": [{"fact": 2, "text": "main has 6 new commits in ENG-12."}]})
    morning.around.chat = ScriptedModel(lie, lie)
    await morning.run()
    assert not any("ENG-12" in line for line in morning.lines())
    assert any("main has 5 new commits by Ana Lima" in line for line in morning.lines())


async def test_a_dry_run_writes_nothing(morning: Morning) -> None:
    outcome = await morning.run(dry_run=True)
    assert isinstance(outcome, Done)
    assert outcome.report["lines"][0].startswith("Tuesday 1 December")
    assert not morning.folder.exists()
    assert morning.work.briefs.last() is None


async def test_a_folder_that_cant_be_written_is_tried_again(morning: Morning) -> None:
    morning.folder.write_text("in the way")
    with pytest.raises(NotReady, match="can't write the brief"):
        await morning.run()


async def test_a_rated_line_weighs_less_in_the_next_brief(morning: Morning) -> None:
    with pytest.raises(NoSuchLine, match="no brief yet"):
        morning.standup.rate(1, useful=False)
    other = replace(MAIN, key="other", topic="other", text="ENG-1 was given to you", weight=0.9)
    morning.facts = [MAIN, other]
    await morning.run()
    assert morning.standup.rate(1, useful=False).key == "main"
    with pytest.raises(NoSuchLine, match="its last is 2"):
        morning.standup.rate(3, useful=True)
    await morning.run()
    brief = await morning.standup.today()
    assert [fact.key for fact in brief.facts] == ["other", "main"]


async def test_asked_for_it_is_of_this_minute_until_it_was_seen(morning: Morning) -> None:
    first = await morning.standup.today()
    assert await morning.standup.today() == first
    morning.now += 20
    morning.standup.outdate()  # a source was read
    assert (await morning.standup.today()).made == morning.now
    assert (await morning.standup.today()).made == morning.now
    morning.now += 120
    assert (await morning.standup.today()).made == morning.now
    morning.show("2026-12-01")
    seen = morning.now
    morning.now += 3_600
    assert (await morning.standup.today()).made == seen


@pytest.mark.parametrize("seen_before", [False, True])
async def test_asked_for_it_is_told_also_where_nothing_can_be_written_down(
    morning: Morning, seen_before: bool
) -> None:
    await morning.run()
    if seen_before:
        morning.show("2026-12-01")
    morning.at("2026-12-02")
    take_nothing(morning, True)
    failed: list[HermesError] = []
    brief = await morning.standup.today(failed.append)
    assert [fact.key for fact in brief.facts] == ["stash", "main"]
    assert {error.code for error in failed} == {"read_only"}
    with pytest.raises(ReadOnly):  # the job is tried again later
        await morning.run()
    take_nothing(morning, False)
    failed.clear()
    again = await morning.standup.today(failed.append)
    assert (again.day.isoformat(), failed) == ("2026-12-02", [])
    assert morning.work.briefs.made("2026-12-02") is not None


def take_nothing(morning: Morning, refuses: bool) -> None:
    """Have the work's database refuse what is to be written, or take it again."""
    with morning.work.database.reading() as db:
        db.execute(f"PRAGMA query_only = {int(refuses)}")


async def test_another_brief_tells_all_and_is_not_remembered(morning: Morning) -> None:
    await morning.run()
    morning.show("2026-12-01")
    brief = await morning.standup.other(Wanted(week=True))
    assert [fact.key for fact in brief.facts] == ["stash", "main"]
    assert morning.scopes[-1].period.words == "this week"
    assert morning.work.briefs.made("2026-12-01") is not None
    brief = await morning.standup.other(Wanted(author="alex"))
    assert "alex" in " ".join(morning.scopes[-1].person.names).lower()
    assert brief.facts == ()  # what is open or came in is one's own
    with pytest.raises(NobodyLike):
        await morning.standup.other(Wanted(author="nobody at all"))


async def test_what_could_not_be_read_is_named(morning: Morning) -> None:
    morning.unreadable = ("web: git did not answer",)
    await morning.run()
    assert morning.lines()[-1] == "Not read: web: git did not answer"


async def test_no_secret_is_written(morning: Morning) -> None:
    token = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
    morning.facts = [replace(MAIN, text=f"Ana pushed “Use {token}”", details=(token,), move=token)]
    await morning.run()
    everything = "".join(path.read_text() for path in morning.folder.iterdir() if path.is_file())
    assert token not in everything
    kept = morning.work.briefs.last()
    assert kept is not None and token not in json.dumps(kept.brief)
