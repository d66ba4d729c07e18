"""Attention over a real ledger: what is said when, what is taken back, and what the brief says."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from threading import Thread
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from hermes.agents.contract import Finding, Lane, Level
from hermes.agents.events import Committed, Event, FilesChanged
from hermes.daemon.attention.attention import Attention
from hermes.daemon.attention.decide import DAY, HOUR, Place, Policy
from hermes.daemon.attention.findings import Row
from hermes.daemon.attention.quiet import Quiet
from hermes.daemon.ledger.errors import NoSuchId
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.ledger.records import Job, Spec, State

BERLIN = ZoneInfo("Europe/Berlin")
NOON = datetime(2026, 6, 1, 12, tzinfo=BERLIN).timestamp()


class Day:
    """A day of work: a clock that only the test moves, and everything that attention is told."""

    def __init__(self, ledger: Ledger, policy: Policy | None = None) -> None:
        self.ledger = ledger
        self.now = NOON
        self.policy = policy
        self.attention = self.restart()

    def restart(self) -> Attention:
        self.attention = Attention(
            self.ledger,
            self.policy,
            Quiet.parse("22:00-08:00"),
            zone=lambda: BERLIN,
            clock=lambda: self.now,
        )
        self.attention.active(self.now)
        return self.attention

    def job(self, agent: str = "tester", subject: str = "", repo: str | None = "shop") -> Job:
        self.ledger.queue.put([Spec(agent, subject, repo, Lane.REACTIVE)], self.now)
        job = self.ledger.queue.take(self.now, owner="test", lanes=tuple(Lane))
        assert job is not None
        return job

    def find(self, cause: str, level: Level = Level.INTERRUPT, **more: Any) -> Row:
        agent = more.pop("agent", "tester")
        job = self.job(agent)
        finding = Finding(cause, more.pop("title", f"{cause} failed"), level, **more)
        (row,) = self.attention.admit(job, [finding], self.now)
        self.ledger.queue.finish(job.id, State.OK, self.now)
        return row

    def fail(self, error: str, state: State = State.FAILED, **more: Any) -> Job:
        job = self.job(more.pop("agent", "indexer"), more.pop("subject", "read"), **more)
        fields = {"error": error, "hint": "look at it", "code": "fault"}
        job = self.ledger.queue.finish(job.id, state, self.now, reason=error, error=fields)
        self.attention.step(self.now)
        return job

    def works(self, agent: str = "indexer", subject: str = "read", repo: str = "shop") -> None:
        job = self.job(agent, subject, repo)
        self.ledger.queue.finish(job.id, State.OK, self.now)
        self.attention.step(self.now)

    def event(self, event: Event) -> None:
        self.ledger.intake.accept(event, key=None, now=self.now)
        self.attention.step(self.now)

    def save(self) -> None:
        self.event(FilesChanged(at=self.now, source="watch", repo="shop", paths=("a.py",)))

    def commit(self) -> None:
        self.event(Committed(at=self.now, source="hook", repo="shop"))

    def wait(self, seconds: float, *, working: bool = True) -> None:
        """Let time pass, saving a file every four minutes or not touching anything, and have
        attention woken when it wanted to be."""
        end = self.now + seconds
        while self.now < end:
            wake = self.attention.step(self.now)
            soon = self.now + 240 if working else end
            self.now = min(end, soon, end if wake is None else max(wake, self.now + 0.001))
            if working:
                self.save()
        self.attention.step(self.now)

    def shown(self) -> list[tuple[str, str]]:
        return [
            (entry.what, entry.text)
            for entry in self.ledger.journal.after(0, topics=("finding",))
            if entry.what in ("interrupt", "glance")
        ]

    def state(self, row: Row) -> str:
        found = next(r for r in self.attention.latest(500) if r.id == row.id)
        return f"{found.place} {found.level}"

    def brief(self) -> list[str]:
        digest = self.attention.digest()
        self.attention.tell(digest, self.now)
        return [item.text for item in digest.items()]


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    ledger = Ledger.open(tmp_path / "runtime.db")
    yield ledger
    ledger.close()


@pytest.fixture
def day(ledger: Ledger) -> Day:
    return Day(ledger)


def test_an_interruption_waits_for_the_next_commit(day: Day) -> None:
    row = day.find("test_a")
    day.wait(30 * 60)
    assert day.state(row) == "held interrupt"
    assert day.shown() == []
    day.commit()
    assert day.state(row) == "shown interrupt"
    (entry,) = [e for e in day.ledger.journal.after(0) if e.what == "interrupt"]
    assert (entry.topic, entry.about, entry.repo) == ("finding", row.id, "shop")
    assert entry.fields["why"] == f"f{row.id}"
    assert entry.fields["cause"] == "test_a"
    assert entry.fields["reason"] == "this comes after a commit"


def test_an_interruption_comes_at_once_after_a_commit_until_the_next_save(day: Day) -> None:
    day.commit()
    day.now += 20
    assert day.find("test_a").place == "shown"
    day.save()
    assert day.find("test_b").place == "held"


def test_what_git_writes_after_a_commit_is_no_new_work(day: Day) -> None:
    day.commit()
    day.event(Committed(at=day.now, source="rescan", repo="shop"))
    day.now += 30
    assert day.find("test_a").place == "shown"


def test_five_idle_minutes_and_the_end_of_a_test_run_are_moments_too(day: Day) -> None:
    first = day.find("test_a")
    day.wait(299, working=False)
    assert day.state(first) == "held interrupt"
    day.wait(2, working=False)
    assert day.state(first) == "shown interrupt"
    day.save()
    second = day.find("test_b")
    day.attention.boundary("tests", day.now)
    assert day.state(second) == "shown interrupt"


def test_what_is_urgent_waits_for_no_moment(day: Day) -> None:
    assert day.find("disk", urgent=True).place == "shown"


def test_what_waited_two_hours_goes_to_the_brief_and_says_why(day: Day) -> None:
    row = day.find("test_a", next_step="run it again")
    day.wait(2 * HOUR + 60)
    assert day.state(row) == "digest digest"
    (item,) = day.attention.digest().items()
    assert (item.text, item.next_step, item.why) == ("test_a failed", "run it again", f"f{row.id}")
    reason = day.attention.latest(1)[0].reason
    assert reason == "it waited 2 h: you were in the middle of something"
    assert day.brief() == ["test_a failed"]
    assert day.brief() == []


def test_the_night_is_quiet_and_the_morning_gets_what_is_urgent(day: Day) -> None:
    day.now = datetime(2026, 6, 1, 23, tzinfo=BERLIN).timestamp()
    day.save()
    usual, urgent = day.find("test_a"), day.find("disk", urgent=True)
    glance = day.find("amber", Level.GLANCE)
    assert glance.place == "shown"
    day.wait(8.9 * HOUR, working=False)
    assert day.state(usual) == "digest digest"
    assert day.state(urgent) == "held interrupt"
    day.wait(0.2 * HOUR, working=False)
    assert day.state(urgent) == "shown interrupt"
    shown = next(row for row in day.attention.latest(10) if row.id == urgent.id)
    assert shown.shown_at == datetime(2026, 6, 2, 8, tzinfo=BERLIN).timestamp()


def test_a_pause_holds_everything_until_it_ends(day: Day) -> None:
    day.ledger.values.set("pause", {"until": day.now + HOUR}, day.now)
    urgent, glance = day.find("disk", urgent=True), day.find("amber", Level.GLANCE)
    day.commit()
    assert day.shown() == []
    day.wait(HOUR + 1)
    assert day.shown() == [("interrupt", "disk failed"), ("glance", "amber failed")]
    assert day.state(urgent) == "shown interrupt"
    assert day.state(glance) == "shown glance"


def test_the_same_cause_is_said_once_a_day(day: Day) -> None:
    day.commit()
    day.find("test_a")
    day.wait(HOUR)
    day.commit()
    assert day.find("test_a").reason == "the same was said 60 min ago"
    assert len(day.shown()) == 1
    day.wait(23.5 * HOUR, working=False)
    assert day.find("test_a").place == "shown"
    assert len(day.shown()) == 2


def test_a_recovery_clears_and_is_noted_once(day: Day) -> None:
    day.commit()
    row = day.find("test_a")
    day.find("test_a", Level.LOG, title="test_a passes", recovered=True)
    assert day.state(row) == "taken_back interrupt"
    (entry,) = [e for e in day.ledger.journal.after(0) if e.what == "taken_back"]
    assert entry.about == row.id
    assert day.brief() == ["gone again: test_a failed"]
    assert day.brief() == []
    # It comes again: it shows, but does not interrupt twice a day.
    day.wait(HOUR)
    day.commit()
    assert day.state(day.find("test_a")) == "shown glance"


def test_what_nobody_saw_is_taken_back_without_a_word(day: Day) -> None:
    held, waiting = day.find("test_a"), day.find("docs", Level.DIGEST)
    for cause in ("test_a", "docs"):
        day.find(cause, Level.LOG, recovered=True)
    assert day.state(held) == "taken_back interrupt"
    assert day.state(waiting) == "taken_back digest"
    day.commit()
    assert day.shown() == []
    assert day.brief() == []
    # Nor does that count as said.
    day.commit()
    assert day.find("test_a").place == "shown"


def test_what_a_brief_told_and_is_over_is_told_as_over(day: Day) -> None:
    day.find("docs", Level.DIGEST)
    assert day.brief() == ["docs failed"]
    day.find("docs", Level.LOG, recovered=True)
    assert day.brief() == ["gone again: docs failed"]
    assert day.brief() == []


def test_a_restart_forgets_nothing_that_is_held(day: Day) -> None:
    row = day.find("test_a")
    day.restart()
    day.commit()
    assert day.state(row) == "shown interrupt"


# Incidents


def test_failures_of_one_kind_are_one_incident_and_one_line_of_the_brief(day: Day) -> None:
    for n in range(3):
        day.fail(f"object {n}a94a8fe5ccb19ba61c4 can't be read after {n} s", repo=f"repo{n}")
        day.now += 60
    (incident,) = day.attention.incidents()
    assert (incident.count, incident.state, incident.repo) == (3, "open", None)
    (line,) = day.brief()
    assert line.startswith("indexer: object 2a94a8fe5ccb19ba61c4 can't be read")
    assert line.endswith("(3 times)")
    assert day.brief() == []
    day.fail("object 0beec7b5ea3f0fdbc95d can't be read after 9 s")
    assert day.brief()[0].endswith("(once more, 4 in all)")


@pytest.mark.parametrize(
    "state", [State.FAILED, State.DEAD, State.ABANDONED, State.BLOCKED_CONFIG, State.LATE]
)
def test_every_job_that_did_not_end_well_is_in_the_brief_once(day: Day, state: State) -> None:
    day.fail("it broke", state)
    assert len(day.attention.summary(day.now)["incidents"]) == 1
    assert len(day.brief()) == 1
    assert day.brief() == []


@pytest.mark.parametrize("state", [State.OK, State.SILENT, State.SKIPPED, State.CANCELLED])
def test_a_job_that_ended_well_is_not(day: Day, state: State) -> None:
    day.fail("no matter", state)
    assert day.attention.incidents() == []
    assert day.brief() == []


def test_a_job_that_is_blocked_is_said_at_once_where_it_does_not_disturb(day: Day) -> None:
    day.fail("no token for linear", State.BLOCKED_CONFIG)
    day.fail("no token for linear", State.BLOCKED_CONFIG)
    assert day.shown() == [("glance", "indexer: no token for linear")]
    assert day.brief() == ["indexer: no token for linear (twice)"]


def test_a_failure_is_counted_once_over_restarts(day: Day) -> None:
    job = day.fail("it broke")
    day.ledger.values.delete("attention:journal")
    day.restart().step(day.now)
    day.attention.step(day.now)
    assert day.attention.incidents()[0].count == 1
    assert day.attention.incidents()[0].job == job.id


def test_threads_that_catch_up_at_once_count_a_failure_once(day: Day) -> None:
    for n in range(20):
        job = day.job("indexer", "read", f"repo{n}")
        error = {"error": "it broke", "code": "fault"}
        day.ledger.queue.finish(job.id, State.DEAD, day.now, error=error)
    threads = [Thread(target=day.attention.catch_up, args=(day.now,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert day.attention.incidents()[0].count == 20


def test_an_incident_that_is_acknowledged_is_not_spoken_of_again(day: Day) -> None:
    day.fail("it broke")
    (incident,) = day.attention.incidents()
    day.attention.acknowledge(incident.id, day.now)
    assert day.ledger.queue.trouble() == []
    assert day.attention.summary(day.now)["incidents"] == []
    day.now += HOUR
    day.fail("it broke")
    assert day.brief() == []
    assert day.attention.incidents()[0].count == 2
    whats = [e.what for e in day.ledger.journal.after(0, topics=("incident",))]
    assert whats == ["opened", "acknowledged", "again"]
    with pytest.raises(NoSuchId):
        day.attention.acknowledge(99, day.now)


def test_an_incident_recovers_when_the_same_work_goes_well_and_says_so_once(day: Day) -> None:
    day.fail("it broke", State.BLOCKED_CONFIG)
    day.works(subject="vectors")
    assert day.attention.incidents()[0].state == "open"
    day.brief()
    day.works()
    assert day.attention.incidents() == []
    assert day.attention.incidents(over=True)[0].state == "recovered"
    assert [e.what for e in day.ledger.journal.after(0) if e.what == "taken_back"]
    assert day.brief() == ["works again: indexer: it broke"]
    assert day.brief() == []
    day.fail("it broke")
    assert [i.state for i in day.attention.incidents(over=True)] == ["open", "recovered"]
    assert day.brief() == ["indexer: it broke"]


def test_a_failure_that_is_over_before_the_brief_is_in_it_all_the_same(day: Day) -> None:
    day.fail("it broke")
    day.works()
    assert day.brief() == ["works again: indexer: it broke"]
    assert day.brief() == []


# What surfaces say


def test_what_could_not_be_delivered_shows_in_status_and_in_the_brief(day: Day) -> None:
    day.commit()
    row = day.find("test_a")
    day.attention.delivery.undelivered(row.id, day.now, "no notification daemon")
    (shown,) = day.attention.summary(day.now)["undelivered"]
    assert (shown["id"], shown["delivery_error"]) == (row.id, "no notification daemon")
    assert row.job is not None
    assert day.ledger.queue.get(row.job).state is State.DELIVERY_FAILED
    day.attention.step(day.now)
    assert "test_a failed (it could not be shown: no notification daemon)" in day.brief()
    assert day.attention.summary(day.now)["undelivered"] == []
    assert day.brief() == []


def test_what_one_surface_could_not_show_and_another_did_is_shown(day: Day) -> None:
    day.commit()
    row = day.find("test_a")
    day.attention.delivery.undelivered(row.id, day.now, "no notification daemon")
    day.attention.delivery.delivered(row.id, day.now)
    assert day.state(row) == "shown interrupt"
    assert day.attention.summary(day.now)["undelivered"] == []
    day.attention.delivery.undelivered(row.id, day.now, "too late to matter")
    assert day.state(row) == "shown interrupt"


def test_what_surfaces_tell_of_what_is_not_there_is_refused(day: Day) -> None:
    for tell in (
        day.attention.delivery.delivered,
        day.attention.delivery.opened,
        day.attention.delivery.dismissed,
        day.attention.delivery.ignored,
    ):
        with pytest.raises(NoSuchId):
            tell(77, day.now)


# Who is heard


def show_daily(day: Day, days: int, *, opened: bool = False, delivered: bool = True) -> None:
    for n in range(days):
        day.now += DAY
        day.save()
        day.commit()
        row = day.find(f"daily {day.now} {n}")
        if delivered:
            day.attention.delivery.delivered(row.id, day.now)
        if opened:
            day.attention.delivery.opened(row.id, day.now)
        else:
            day.attention.delivery.ignored(row.id, day.now)


def test_an_agent_that_nobody_opens_for_two_weeks_speaks_in_the_brief_only(day: Day) -> None:
    show_daily(day, 14)
    assert len(day.shown()) == 14
    day.now += DAY
    day.commit()
    row = day.find("one more")
    assert day.state(row) == "digest digest"
    assert day.attention.summary(day.now)["demoted"] == ["tester"]
    lines = day.brief()
    assert "one more failed" in lines
    assert any(
        line.startswith("tester speaks only here from now on: 0 of the 13") for line in lines
    )
    assert day.brief() == []
    # Another agent's are not touched by that.
    assert day.find("other", agent="docs").place == "shown"
    # What it says there gets opened: it is heard again, and that is said once.
    day.attention.delivery.opened(row.id, day.now)
    day.commit()
    assert day.find("and another").place == "shown"
    assert day.brief() == [
        "tester may show things again: 1 of its 1 lines in the briefs were opened"
    ]
    show_daily(day, 5)
    assert day.attention.summary(day.now)["demoted"] == []


@pytest.mark.parametrize(
    ("days", "opened", "delivered"), [(9, False, True), (20, True, True), (20, False, False)]
)
def test_too_few_or_opened_or_never_delivered_demotes_nobody(
    day: Day, days: int, opened: bool, delivered: bool
) -> None:
    show_daily(day, days, opened=opened, delivered=delivered)
    day.commit()
    assert day.find("one more").place == "shown"


def test_one_bad_day_demotes_nobody(ledger: Ledger) -> None:
    day = Day(ledger, Policy(per_hour=100, per_day=100))
    for n in range(40):
        day.commit()
        day.attention.delivery.delivered(day.find(f"burst {n}").id, day.now)
    assert day.attention.summary(day.now)["demoted"] == []


def test_the_end_of_a_test_run_is_a_moment_to_show_what_waited(day: Day) -> None:
    day.save()
    held = day.find("disk")
    assert held.place is Place.HELD
    job = day.job("test_runner")
    day.ledger.queue.finish(job.id, State.OK, day.now, report={"boundary": "tests"})
    day.attention.step(day.now)
    (shown,) = [row for row in day.attention.latest() if row.cause == "disk"]
    assert (shown.place, shown.reason) == (Place.SHOWN, "this comes after the end of a test run")
