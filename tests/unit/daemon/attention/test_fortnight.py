"""A simulated fortnight, and whatever hypothesis thinks of: the budget holds, nothing is lost."""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes.agents.contract import Finding, Level
from hermes.daemon.attention.attention import Attention
from hermes.daemon.attention.decide import DAY, HOUR, Policy
from hermes.daemon.attention.findings import Row
from hermes.daemon.attention.quiet import Quiet
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.ledger.records import Job, State

BERLIN = ZoneInfo("Europe/Berlin")
START = datetime(2026, 10, 19, 8, tzinfo=BERLIN).timestamp()
"""A Monday; the clocks are put back on the Sunday after."""
QUIET = Quiet.parse("22:00-08:00")


def job(number: int, agent: str) -> Job:
    from hermes.agents.contract import Lane

    return Job(number, agent, "", "shop", Lane.REACTIVE, State.RUNNING, START, START, 1)


def attention(ledger: Ledger, policy: Policy | None = None) -> Attention:
    return Attention(ledger, policy, QUIET, zone=lambda: BERLIN, clock=lambda: START)


def most_within(times: Sequence[float], span: float) -> int:
    """Return the most that lie within any span of time."""
    ordered = sorted(times)
    return max(
        (bisect_left(ordered, start + span) - n for n, start in enumerate(ordered)), default=0
    )


def interrupts(rows: Sequence[Row]) -> list[float]:
    return [row.shown_at for row in rows if row.level is Level.INTERRUPT and row.shown_at]


def quiet(moment: float) -> bool:
    return not 8 <= datetime.fromtimestamp(moment, BERLIN).hour < 22


@dataclass
class Person:
    """Works on weekdays from nine to six, saves every few minutes, commits now and then."""

    dice: random.Random

    def works(self, moment: float) -> bool:
        local = datetime.fromtimestamp(moment, BERLIN)
        return local.weekday() < 5 and 9 <= local.hour < 18


def test_a_fortnight_with_four_talkative_agents(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "runtime.db")
    ours, dice = attention(ledger), random.Random(7)
    person = Person(dice)
    now, number, urgent = START, 0, set[int]()
    wake: float | None = None
    briefs: list[str] = []
    brief_of: int | None = None
    while now < START + 14 * DAY:
        today = datetime.fromtimestamp(now, BERLIN)
        if person.works(now):
            if dice.random() < 0.7:
                ours.active(now)
            elif dice.random() < 0.2:
                ours.boundary(dice.choice(["commit", "tests"]), now)
        if today.hour == 9 and today.day != brief_of:
            brief_of = today.day
            digest = ours.digest()
            briefs += [item.text for item in digest.items()]
            ours.tell(digest, now)
        if dice.random() < (0.3 if person.works(now) else 0.05):
            number += 1
            agent = dice.choice(["tester", "docs", "indexer", "council"])
            level = dice.choice(list(Level))
            finding = Finding(
                f"{agent}:{dice.randrange(60)}",
                f"finding {number}",
                level,
                urgent=level is Level.INTERRUPT and dice.random() < 0.2,
                recovered=dice.random() < 0.1,
            )
            (row,) = ours.admit(job(number, agent), [finding], now)
            if finding.urgent and not finding.recovered:
                urgent.add(row.id)
            for shown in ours.latest(3, ("shown",)):
                if shown.delivered is None:
                    ours.delivery.delivered(shown.id, now)
                    if dice.random() < 0.5:
                        ours.delivery.opened(shown.id, now)
        wake = ours.step(now)
        now = min(now + 180, max(wake, now + 1) if wake is not None else now + 180)
    rows = ours.latest(100_000)
    times = interrupts(rows)
    assert len(rows) > 500
    assert 30 < len(times) <= 8 * 14
    assert most_within(times, HOUR) <= 2
    assert most_within(times, DAY) <= 8
    assert not any(quiet(moment) for moment in times)
    # Nothing that was urgent is lost: it showed, or its cause had been said, or it went away, or
    # it waits for the morning.
    for row in rows:
        if row.id in urgent:
            assert row.shown_at or row.place in ("held", "taken_back") or "same" in row.reason, row
    # Nothing waits for ever, and the briefs said each thing once.
    assert all(
        now - row.at < 2 * HOUR + 300 for row in rows if row.place == "held" and not row.urgent
    )
    said = [text for text in briefs if text.startswith("finding ")]
    assert len(said) == len(set(said)) > 50
    ledger.close()


WEEK = st.lists(
    st.tuples(
        st.integers(1, 4 * 3_600),  # seconds until it happens
        st.sampled_from(["find", "find", "find", "commit", "save", "pause", "back", "forward"]),
        st.sampled_from(list(Level)),
        st.booleans(),
        st.integers(0, 12),
    ),
    min_size=5,
    max_size=60,
)


@settings(max_examples=25, deadline=None)
@given(WEEK, st.integers(0, 3), st.integers(0, 6))
def test_never_more_than_the_budget_in_any_hour_or_day(
    tmp_path_factory: pytest.TempPathFactory,
    week: list[tuple[int, str, Level, bool, int]],
    per_hour: int,
    per_day: int,
) -> None:
    ledger = Ledger.open(tmp_path_factory.mktemp("budget") / "runtime.db")
    policy = Policy(per_hour=per_hour, per_day=per_day, same_cause=HOUR)
    ours, now = attention(ledger, policy), START
    jumped = False
    for number, (seconds, what, level, urgent, cause) in enumerate(week):
        end = now + seconds
        wake = ours.step(now)
        while wake is not None and wake < end:
            wake = ours.step(wake)
        now = end
        if what == "find":
            finding = Finding(f"cause {cause}", f"finding {number}", level, urgent=urgent)
            ours.admit(job(number, f"agent {cause % 3}"), [finding], now)
        elif what == "commit":
            ours.boundary("commit", now)
        elif what == "save":
            ours.active(now)
        elif what == "pause":
            ledger.values.set("pause", {"until": now + 1_800}, now)
        elif what == "back":
            now, jumped = now - 600, True
        else:
            now += 7_200
    rows = ours.latest(1_000)
    times = interrupts(rows)
    assert most_within(times, HOUR) <= per_hour
    assert most_within(times, DAY) <= per_day
    assert not any(quiet(moment) for moment in times)
    pauses = [row for row in rows if row.reason == "hermes is paused"]
    assert all(row.place != "shown" for row in pauses)
    for row in rows:
        if row.urgent and row.wanted is Level.INTERRUPT and not jumped:
            assert row.place in ("shown", "held") or "same" in row.reason
    ledger.close()
