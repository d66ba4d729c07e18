"""Quiet hours on the wall clock: over midnight, and when the clocks change."""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.daemon.attention.quiet import Quiet, QuietRefused

BERLIN = ZoneInfo("Europe/Berlin")


def at(text: str) -> float:
    return datetime.strptime(text, "%Y-%m-%d %H:%M").replace(tzinfo=BERLIN).timestamp()


def quiet(text: str) -> Quiet:
    found = Quiet.parse(text)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("hours", "moment", "expected"),
    [
        ("22:00-08:00", "2026-06-01 21:59", False),
        ("22:00-08:00", "2026-06-01 22:00", True),
        ("22:00-08:00", "2026-06-02 00:00", True),
        ("22:00-08:00", "2026-06-02 07:59", True),
        ("22:00-08:00", "2026-06-02 08:00", False),
        ("12:00-13:30", "2026-06-01 13:29", True),
        ("12:00-13:30", "2026-06-01 13:30", False),
        ("12:00-13:30", "2026-06-01 03:00", False),
        ("0:00-24:00", "", False),
    ],
)
def test_it_is_quiet_from_one_time_of_day_to_another(
    hours: str, moment: str, expected: bool
) -> None:
    if not moment:
        with pytest.raises(QuietRefused):
            Quiet.parse(hours)
        return
    assert quiet(hours).at(at(moment), BERLIN) is expected


@pytest.mark.parametrize(
    ("evening", "hours"),
    [("2026-03-28 22:00", 9), ("2026-10-24 22:00", 11), ("2026-06-01 22:00", 10)],
)
def test_a_night_is_shorter_or_longer_when_the_clocks_change(evening: str, hours: int) -> None:
    start = at(evening)
    assert quiet("22:00-08:00").ends(start, BERLIN) == start + hours * 3_600


@pytest.mark.parametrize("day", ["2026-03-29", "2026-10-25"])
def test_quiet_hours_that_end_in_the_changed_hour_end_once(day: str) -> None:
    night = quiet("22:00-02:30")
    start = at(f"{day} 00:00")
    states = [night.at(start + n * 60, BERLIN) for n in range(8 * 60)]
    assert sum(a != b for a, b in pairwise(states)) == 1


@pytest.mark.parametrize("text", ["22-8", "25:00-08:00", "22:00-08:61", "22:00", "08:00-8:00", "x"])
def test_what_is_not_two_times_of_day_is_refused(text: str) -> None:
    with pytest.raises(QuietRefused) as refused:
        Quiet.parse(text)
    assert repr(text) in refused.value.message


def test_empty_means_never_quiet() -> None:
    assert Quiet.parse("") is None


TIMES = st.tuples(st.integers(0, 23), st.integers(0, 59))
ZONES = st.sampled_from(["Europe/Berlin", "Africa/Cairo", "Australia/Lord_Howe", "UTC"])


@given(TIMES, TIMES, st.floats(at("2024-01-01 00:00"), at("2028-01-01 00:00")), ZONES)
def test_it_is_not_quiet_once_it_has_ended_and_is_until_then(
    start: tuple[int, int], end: tuple[int, int], moment: float, name: str
) -> None:
    if start == end:
        return
    zone = ZoneInfo(name)
    hours = quiet("{:02}:{:02}-{:02}:{:02}".format(*start, *end))
    ends = hours.ends(moment, zone)
    assert ends > moment
    assert not hours.at(ends, zone)
    if hours.at(moment, zone):
        assert hours.at(ends - 1, zone)
        assert ends - moment <= 25.5 * 3_600
