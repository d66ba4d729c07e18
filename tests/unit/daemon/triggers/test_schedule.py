"""The schedule over restarts, sleep, clocks that are set, journeys and a full disk."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes.agents.events import Event, RunAsked, Scheduled
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.triggers.cron import Cron
from hermes.daemon.triggers.entries import Entry, Late, defaults
from hermes.daemon.triggers.schedule import Schedule
from hermes.daemon.triggers.timetable import NoSuchEntry
from hermes.memory.errors import NoSpace

BERLIN = ZoneInfo("Europe/Berlin")
TOKYO = ZoneInfo("Asia/Tokyo")
NEW_YORK = ZoneInfo("America/New_York")
HOUR = 3_600.0
DAY = 86_400.0


def at(text: str, zone: ZoneInfo = BERLIN) -> float:
    return datetime.strptime(text, "%Y-%m-%d %H:%M").replace(tzinfo=zone).timestamp()


def entry(cron: str, late: Late = "once", name: str = "upkeep", grace: float = 300.0) -> Entry:
    return Entry(name, Cron.parse(cron), "indexer", name, late, grace)


@dataclass
class Machine:
    """A computer with a ledger on its disk, whose clocks only a test moves."""

    ledger: Ledger
    now: float
    steady: float = 0.0
    zone: ZoneInfo = BERLIN
    full: bool = False
    accepted: list[Event] = field(default_factory=list[Event])

    def start(self, entries: Sequence[Entry]) -> Schedule:
        return Schedule(self.accept, entries, self.ledger, zone=lambda: self.zone)

    async def accept(self, event: Event, key: str | None) -> int:
        if self.full:
            raise NoSpace("/state")
        kept = self.ledger.intake.accept(event, key=key, now=self.now)
        if kept.new:
            self.accepted.append(event)
        return kept.id

    async def wake(self, schedule: Schedule, seconds: float = 0.0, *, asleep: float = 0.0) -> None:
        """Let time pass: ``asleep`` only on the wall clock."""
        self.now += seconds + asleep
        self.steady += seconds
        await schedule.step(self.now, self.steady)

    async def live(self, schedule: Schedule, until: float) -> None:
        """Wake when the schedule says so, as its alarms do, until a time on the wall clock."""
        await self.wake(schedule)
        while True:
            moments = schedule.moments().values()
            soon = min(moments, default=until)
            if soon > until:
                break
            await self.wake(schedule, max(0.0, soon - self.now))
        await self.wake(schedule, until - self.now)

    def dues(self) -> list[str]:
        return [
            datetime.fromtimestamp(event.due, self.zone).strftime("%a %H:%M")
            + (f" +{event.missed}" if event.missed else "")
            for event in self.accepted
            if isinstance(event, Scheduled)
        ]

    def said(self) -> list[str]:
        return [entry.text for entry in self.ledger.journal.after(0, topics=("trigger",))]


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    ledger = Ledger.open(tmp_path / "runtime.db")
    yield Machine(ledger, at("2026-06-01 12:00"))  # a Monday
    ledger.close()


async def test_a_due_time_becomes_an_event_that_says_what_it_runs(machine: Machine) -> None:
    schedule = machine.start([entry("10 3 * * *")])
    await machine.live(schedule, at("2026-06-03 12:00"))
    assert machine.dues() == ["Tue 03:10", "Wed 03:10"]
    first = machine.accepted[0]
    assert isinstance(first, Scheduled)
    assert (first.job, first.agent, first.subject) == ("upkeep", "indexer", "upkeep")
    assert (first.source, first.due, first.missed) == ("cron", at("2026-06-02 03:10"), 0)
    assert first.at == first.due
    assert machine.said() == []


async def test_nothing_is_due_before_the_first_start(machine: Machine) -> None:
    machine.now = at("2026-06-01 03:11")
    schedule = machine.start([entry("10 3 * * *", "always")])
    await machine.wake(schedule)
    assert machine.accepted == []


async def test_between_two_times_it_wakes_for_nothing(machine: Machine) -> None:
    schedule = machine.start([entry("10 3 * * *"), entry("0 * * * *", name="rescan")])
    await machine.wake(schedule)
    assert schedule.moments() == {
        "upkeep": at("2026-06-02 03:10"),
        "rescan": at("2026-06-01 13:00"),
    }
    assert [run["name"] for run in schedule.coming(machine.now)] == ["rescan", "upkeep"]


@pytest.mark.parametrize(
    ("late", "expected", "said"),
    [
        ("skip", [], "was due Thu 04 Jun 03:10 and is left out: hermes was not running"),
        ("once", ["Thu 03:10 +2"], "hermes was not running; it stands for 2 earlier times too"),
        ("always", ["Tue 03:10", "Wed 03:10", "Thu 03:10"], "runs 56 h 50 min late"),
    ],
)
async def test_times_that_passed_while_it_was_down(
    machine: Machine, late: Late, expected: list[str], said: str
) -> None:
    await machine.wake(machine.start([entry("10 3 * * *", late)]))
    machine.now = at("2026-06-04 12:00")
    again = machine.start([entry("10 3 * * *", late)])
    await machine.live(again, machine.now + HOUR)
    assert machine.dues() == expected
    journal = "\n".join(machine.said())
    assert said in journal or late == "always"
    if late == "always":
        assert journal.count("late: hermes was not running") == 3
    # A further restart finds nothing left.
    await machine.live(machine.start([entry("10 3 * * *", late)]), machine.now + HOUR)
    assert machine.dues() == expected


async def test_always_is_bounded_to_the_last_twenty(machine: Machine) -> None:
    schedule = machine.start([entry("0 * * * *", "always")])
    await machine.wake(schedule)
    await machine.wake(schedule, asleep=100 * HOUR)
    await machine.live(schedule, machine.now + HOUR / 2)
    assert len(machine.accepted) == 20
    assert machine.dues()[0] == "Thu 21:00 +80"
    assert machine.dues()[-1] == "Fri 16:00"


async def test_runs_that_are_late_do_not_start_in_the_same_second(machine: Machine) -> None:
    names = [f"job{number}" for number in range(4)]
    entries = [entry("10 3 * * *", name=name) for name in names]
    schedule = machine.start(entries)
    await machine.wake(schedule)
    await machine.wake(schedule, asleep=DAY)
    await machine.live(schedule, machine.now + HOUR)
    times = sorted(event.at for event in machine.accepted)
    assert len(times) == 4
    assert min(b - a for a, b in pairwise(times)) >= 10


async def test_sleep_is_noticed_and_said(machine: Machine) -> None:
    schedule = machine.start([entry("10 3 * * *"), entry("30 * * * *", "skip", "rescan")])
    await machine.wake(schedule)
    await machine.wake(schedule, seconds=60, asleep=20 * HOUR)
    await machine.live(schedule, machine.now + 60)
    assert machine.dues() == ["Tue 03:10"]
    assert machine.said() == [
        "the machine slept, or its clock was put forward, for 20 h",
        "rescan was due Tue 02 Jun 07:30 and is left out: the machine slept",
        "upkeep was due Tue 02 Jun 03:10 and runs 4 h 51 min late: the machine slept",
    ]


async def test_a_run_within_its_grace_is_not_late(machine: Machine) -> None:
    schedule = machine.start([entry("10 3 * * *", "skip")])
    await machine.wake(schedule)
    machine.now = at("2026-06-02 03:14")
    await machine.wake(schedule)
    assert machine.dues() == ["Tue 03:10"]


async def test_a_clock_put_back_does_not_run_a_time_twice(machine: Machine) -> None:
    schedule = machine.start([entry("0 * * * *", "always")])
    await machine.live(schedule, at("2026-06-01 15:30"))
    assert machine.dues() == ["Mon 13:00", "Mon 14:00", "Mon 15:00"]
    machine.now -= 2 * HOUR
    await machine.live(schedule, at("2026-06-01 16:30"))
    assert machine.dues() == ["Mon 13:00", "Mon 14:00", "Mon 15:00", "Mon 16:00"]
    assert "the clock was put back by 2 h" in machine.said()


async def test_a_clock_that_was_years_ahead_stops_nothing_once_it_is_right(
    machine: Machine,
) -> None:
    schedule = machine.start([entry("10 3 * * *")])
    await machine.wake(schedule)
    await machine.wake(schedule, asleep=3_650 * DAY)
    await machine.live(schedule, machine.now + HOUR)
    machine.now = at("2026-06-01 13:00")
    again = machine.start([entry("10 3 * * *")])  # and it was restarted meanwhile
    machine.accepted.clear()
    await machine.live(again, at("2026-06-03 12:00"))
    assert machine.dues() == ["Tue 03:10", "Wed 03:10"]


async def test_a_time_comes_once_on_both_nights_when_the_clocks_change(machine: Machine) -> None:
    for start, end in (
        ("2026-03-27 12:00", "2026-03-30 12:00"),
        ("2026-10-23 12:00", "2026-10-26 12:00"),
    ):
        machine.now = at(start)
        machine.accepted.clear()
        schedule = machine.start([entry("30 2 * * *", name=start[:7].replace("2026-", "m"))])
        await machine.live(schedule, at(end))
        days = [text.split()[0] for text in machine.dues()]
        assert days == ["Sat", "Sun", "Mon"]


async def test_flying_west_does_not_run_a_time_of_day_again(machine: Machine) -> None:
    schedule = machine.start([entry("10 3 * * *")])
    await machine.live(schedule, at("2026-06-02 04:00"))
    assert machine.dues() == ["Tue 03:10"]
    machine.zone = NEW_YORK  # where it is 22:00 on Monday
    await machine.live(schedule, at("2026-06-02 12:00", NEW_YORK))
    assert len(machine.accepted) == 1
    # Nor after a restart there.
    again = machine.start([entry("10 3 * * *")])
    await machine.live(again, at("2026-06-03 12:00", NEW_YORK))
    assert machine.dues()[1:] == ["Wed 03:10"]


async def test_flying_east_makes_up_for_the_time_that_was_left_out(machine: Machine) -> None:
    schedule = machine.start([entry("10 3 * * *")])
    await machine.live(schedule, at("2026-06-02 04:00"))
    await machine.live(schedule, at("2026-06-03 01:00"))
    machine.zone = TOKYO  # where it is 08:00 on Wednesday already
    await machine.live(schedule, machine.now + HOUR)
    assert machine.dues()[1:] == ["Wed 03:10"]
    await machine.live(schedule, at("2026-06-04 12:00", TOKYO))
    assert machine.dues()[1:] == ["Wed 03:10", "Thu 03:10"]
    assert any("times are those of Asia/Tokyo now" in text for text in machine.said())


async def test_a_full_disk_holds_a_run_until_it_is_taken(machine: Machine) -> None:
    schedule = machine.start([entry("0 * * * *")])
    await machine.wake(schedule)
    machine.full = True
    await machine.live(schedule, at("2026-06-01 14:30"))
    assert machine.accepted == []
    assert schedule.state()["state"] == "degraded"
    assert "no space left" in schedule.state()["detail"]
    machine.full = False
    await machine.live(schedule, at("2026-06-01 14:32"))
    assert machine.dues() == ["Mon 14:00 +1"]
    assert schedule.state()["state"] == "ok"


async def test_a_kill_between_handing_over_and_writing_down_runs_nothing_twice(
    machine: Machine,
) -> None:
    await machine.wake(machine.start([entry("0 * * * *", "always")]))
    machine.now = at("2026-06-01 15:30")
    before = machine.start([entry("0 * * * *", "always")])
    await machine.wake(before)
    key = f"cron:upkeep:{at('2026-06-01 13:00'):.0f}"
    event = Scheduled(at=machine.now, source="cron", job="upkeep", due=at("2026-06-01 13:00"))
    await machine.accept(event, key)  # and then it was killed
    await machine.live(machine.start([entry("0 * * * *", "always")]), machine.now + HOUR / 4)
    assert sorted(machine.dues()) == ["Mon 13:00", "Mon 14:00", "Mon 15:00"]


async def test_running_by_hand_leaves_the_times_alone(machine: Machine) -> None:
    schedule = machine.start([entry("10 3 * * *")])
    await machine.wake(schedule)
    await schedule.run("upkeep", machine.now)
    asked = machine.accepted[0]
    assert isinstance(asked, RunAsked)
    assert (asked.agent, asked.subject, asked.source) == ("indexer", "upkeep", "api")
    assert schedule.entries(machine.now)[0]["last"]["outcome"] == "asked"
    await machine.live(schedule, at("2026-06-02 12:00"))
    assert machine.dues() == ["Tue 03:10"]
    with pytest.raises(NoSuchEntry) as unknown:
        await schedule.run("nightly", machine.now)
    assert unknown.value.message == "the schedule has no entry nightly"


def test_the_default_entries_are_staggered_by_home() -> None:
    ours = defaults("/home/ada/.local/state/hermes")
    assert set(ours) == {*("consolidate", "upkeep", "tests", "docs", "rescan", "brief", "sources")}
    assert (ours["upkeep"].cron.text, ours["upkeep"].late) == ("10 3 * * *", "once")
    assert ours["rescan"].late == "skip"
    minutes = {defaults(f"/home/{n}")["rescan"].cron.minutes for n in range(200)}
    assert len(minutes) > 30


WHAT_HAPPENS = st.lists(
    st.one_of(
        st.tuples(st.just("live"), st.integers(1, 40)),
        st.tuples(st.just("sleep"), st.integers(1, 200)),
        st.tuples(st.just("back"), st.integers(1, 30)),
        st.tuples(st.just("restart"), st.integers(0, 100)),
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=25, deadline=None)
@given(WHAT_HAPPENS, st.sampled_from(["skip", "once", "always"]))
def test_whatever_happens_to_the_clock_no_time_runs_twice_and_the_last_is_dealt_with(
    tmp_path_factory: pytest.TempPathFactory, happens: list[tuple[str, int]], late: Late
) -> None:
    ledger = Ledger.open(tmp_path_factory.mktemp("schedule") / "runtime.db")
    machine = Machine(ledger, at("2026-10-24 12:00"))
    ours = [entry("30 2,14 * * *", late)]

    async def through_it() -> None:
        schedule = machine.start(ours)
        await machine.wake(schedule)
        for what, hours in happens:
            if what == "live":
                await machine.live(schedule, machine.now + hours * HOUR)
            elif what == "sleep":
                await machine.wake(schedule, asleep=hours * HOUR)
            elif what == "back":
                machine.now -= hours * HOUR
                await machine.wake(schedule)
            else:
                machine.now += hours * HOUR
                schedule = machine.start(ours)
                await machine.wake(schedule)
        await machine.live(schedule, machine.now + 24 * HOUR)
        dues = [event.due for event in machine.accepted if isinstance(event, Scheduled)]
        assert len(dues) == len(set(dues))
        # The last day was lived through: what was due in it has run.
        lived = set(ours[0].cron.backwards(machine.now, machine.now - 24 * HOUR, BERLIN))
        assert lived <= set(dues)

    asyncio.run(through_it())
    ledger.close()


async def test_the_last_time_of_a_rare_entry_outlives_the_trimming(machine: Machine) -> None:
    schedule = machine.start([entry("0 9 1 1 *"), entry("0 * * * *", "skip", "rescan")])
    await machine.wake(schedule)
    machine.now = at("2026-12-20 12:00")
    machine.ledger.trim(machine.now)
    machine.now = at("2027-01-02 12:00")
    again = machine.start([entry("0 9 1 1 *"), entry("0 * * * *", "skip", "rescan")])
    await machine.live(again, machine.now + 60)
    assert "Fri 09:00" in machine.dues()
