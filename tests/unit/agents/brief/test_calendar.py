"""The calendar: days, hours, days off, and since when a brief tells."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes.agents.brief.calendar import (
    Calendar,
    CalendarRefused,
    day_of,
    period_since,
    read_days,
    start_of,
    week_period,
    when,
)
from hermes.memory.dates import DateRefused

BERLIN = ZoneInfo("Europe/Berlin")
ZONES = (
    "Europe/Berlin",
    "America/New_York",
    "America/St_Johns",
    "Australia/Lord_Howe",
    "Africa/Casablanca",
    "America/Havana",
    "Asia/Kathmandu",
    "Pacific/Auckland",
    "Antarctica/Troll",
    "UTC",
)


def at(text: str, zone: ZoneInfo = BERLIN) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=zone).timestamp()


@pytest.mark.parametrize(
    ("today", "off", "worked", "words"),
    [
        ("2026-12-01", (), None, "since yesterday"),
        ("2026-11-30", (), None, "since Friday"),
        ("2026-11-29", (), None, "since Friday"),  # a Sunday
        ("2026-11-30", (), "2026-11-28T15:00", "since Saturday"),
        ("2026-11-30", (), "2026-11-30T01:30", "since yesterday"),  # Sunday's night
        ("2026-11-30", (), "2026-11-30T05:00", "since Friday"),  # today is not before today
        ("2027-01-04", ("2026-12-19..2027-01-03",), None, "since 18 December 2026"),
        ("2026-12-28", ("2026-12-21..2026-12-27",), None, "since 18 December"),
        ("2026-12-28", ("2026-12-25",), None, "since Thursday"),
        (
            "2026-11-30",
            (),
            "2026-11-18T12:00",
            "since your last commit on 18 November",
        ),  # away, untold
        ("2026-11-30", (), "2026-03-02T12:00", "since Friday"),  # they just seldom commit
        ("2026-11-30", (), "2027-05-02T12:00", "since Friday"),  # a clock that ran ahead
    ],
)
def test_a_brief_tells_since_the_last_working_day(
    today: str, off: tuple[str, ...], worked: str | None, words: str
) -> None:
    day = date.fromisoformat(today)
    now = at(f"{today}T08:42")
    period = Calendar(off=off).period_for(day, now, at(worked) if worked else None, BERLIN)
    assert period.words == words
    assert period.until == now
    assert period.since < now


def test_it_begins_at_four_in_the_morning_of_that_day() -> None:
    period = Calendar().period_for(date(2026, 12, 1), at("2026-12-01T08:42"), None, BERLIN)
    assert period.since == at("2026-11-30T04:00")


def test_the_night_in_which_clocks_change_is_as_long_as_it_is() -> None:
    period = Calendar("mon-sun").period_for(
        date(2026, 10, 26), at("2026-10-26T04:00"), None, BERLIN
    )
    assert period.until - period.since == 24 * 3600
    period = Calendar("mon-sun").period_for(
        date(2026, 10, 25), at("2026-10-25T04:00"), None, BERLIN
    )
    assert period.until - period.since == 25 * 3600


def test_a_clock_that_was_set_back_gives_no_negative_period() -> None:
    now = at("2026-11-20T08:00")
    period = Calendar().period_for(date(2026, 11, 30), now, at("2026-11-29T12:00"), BERLIN)
    assert period.since <= period.until == now


def test_somebody_without_a_single_working_day_still_gets_a_brief() -> None:
    always_off = Calendar(off=("2025-01-01..2027-12-31",))
    period = always_off.period_for(date(2026, 12, 1), at("2026-12-01T08:42"), None, BERLIN)
    assert period.words == "since yesterday"


def test_another_zone_makes_another_day() -> None:
    moment = at("2026-12-01T05:00", BERLIN)
    assert day_of(moment, BERLIN) == date(2026, 12, 1)
    assert day_of(moment, ZoneInfo("America/New_York")) == date(2026, 11, 30)


moments = st.floats(min_value=0, max_value=4e9, allow_nan=False)
zones = st.sampled_from(ZONES).map(ZoneInfo)


@given(moments, zones)
@settings(max_examples=100, deadline=None)
def test_every_moment_lies_in_its_day(moment: float, zone: ZoneInfo) -> None:
    day = day_of(moment, zone)
    assert start_of(day, zone) <= moment + 3600  # an hour that a clock shows twice
    assert start_of(day + timedelta(1), zone) > moment - 3600


@given(st.dates(date(1990, 1, 1), date(2090, 1, 1)), zones)
@settings(max_examples=100, deadline=None)
def test_days_follow_each_other_in_every_zone(day: date, zone: ZoneInfo) -> None:
    first, second = start_of(day, zone), start_of(day + timedelta(1), zone)
    assert 22 * 3600 <= second - first <= 26 * 3600
    assert day_of(first, zone) == day


@given(moments, st.one_of(st.none(), moments), zones)
@settings(max_examples=100, deadline=None)
def test_a_period_ends_now_and_has_words(now: float, worked: float | None, zone: ZoneInfo) -> None:
    today = day_of(now, zone)
    period = Calendar().period_for(today, now, worked, zone)
    assert period.since <= period.until == now
    assert now - period.since < 50 * 86_400
    assert period.words.startswith("since ")


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("mon-fri", {0, 1, 2, 3, 4}),
        ("Monday-Friday", {0, 1, 2, 3, 4}),
        ("mon,tue,thu", {0, 1, 3}),
        ("sun-thu", {6, 0, 1, 2, 3}),
        ("mon-wed, fri", {0, 1, 2, 4}),
        ("sat", {5}),
    ],
)
def test_days_are_read_as_people_write_them(text: str, days: set[int]) -> None:
    assert read_days(text) == days


@pytest.mark.parametrize(
    ("days", "hours", "off", "said"),
    [
        ("", "09:00-17:00", (), "no days of the week"),
        ("mon-fru", "09:00-17:00", (), "'fru' is none"),
        ("m", "09:00-17:00", (), "'m' is none"),
        ("mon-fri", "9-5", (), "not two times of day"),
        ("mon-fri", "09:00-25:00", (), "not two times of day"),
        ("mon-fri", "09:60-17:00", (), "not two times of day"),
        ("mon-fri", "09:00-09:00", (), "begins when it ends"),
        ("mon-fri", "09:00-17:00", ("2026-13-01",), "is no day such as"),
        ("mon-fri", "09:00-17:00", ("2026-12-24..2026-12-01",), "ends before it begins"),
        ("mon-fri", "09:00-17:00", ("christmas",), "is no day such as"),
    ],
)
def test_what_can_not_be_read_is_refused_with_the_reason(
    days: str, hours: str, off: tuple[str, ...], said: str
) -> None:
    with pytest.raises(CalendarRefused) as refused:
        Calendar.parse(days, hours, off)
    assert said in refused.value.message


def test_hours_over_midnight_end_on_the_next_day() -> None:
    night = Calendar.parse(hours="22:00-06:00")
    assert night.begins(date(2026, 12, 1), BERLIN) == at("2026-12-01T22:00")
    assert night.ends(date(2026, 12, 1), BERLIN) == at("2026-12-02T06:00")


def test_a_week_begins_on_monday_and_on_monday_it_is_the_last_one() -> None:
    period = week_period(date(2026, 12, 3), at("2026-12-03T10:00"), BERLIN)
    assert (period.since, period.words) == (at("2026-11-30T04:00"), "this week")
    period = week_period(date(2026, 11, 30), at("2026-11-30T10:00"), BERLIN)
    assert (period.since, period.words) == (at("2026-11-23T04:00"), "last week")


@pytest.mark.parametrize(
    ("text", "since", "words"),
    [
        ("last friday", "2026-11-27T04:00", "since Friday"),
        ("2026-11-02", "2026-11-02T04:00", "since 2 November"),
        ("Yesterday", "2026-11-30T04:00", "since yesterday"),
        ("since monday", "2026-11-30T04:00", "since yesterday"),
        ("3 hours ago", "2026-12-01T07:00", "since 3 hours ago"),
        ("2 weeks ago", "2026-11-17T04:00", "since 17 November"),
    ],
)
def test_a_date_as_typed_gives_the_time_since(text: str, since: str, words: str) -> None:
    period = period_since(text, at("2026-12-01T10:00"), BERLIN)
    assert (period.since, period.words) == (at(since), words)


@pytest.mark.parametrize("text", ["whenever", "2027-05-01", ""])
def test_a_date_that_is_none_or_yet_to_come_is_refused(text: str) -> None:
    with pytest.raises(DateRefused):
        period_since(text, at("2026-12-01T10:00"), BERLIN)


@pytest.mark.parametrize(
    ("moment", "words"),
    [
        ("2026-12-01T07:10", "today at 07:10"),
        ("2026-12-01T01:10", "yesterday at 01:10"),
        ("2026-11-30T17:12", "yesterday at 17:12"),
        ("2026-11-27T17:12", "on Friday at 17:12"),
        ("2026-11-18T17:12", "on 18 November"),
        ("2025-11-18T17:12", "on 18 November 2025"),
    ],
)
def test_a_past_moment_is_named_as_people_do(moment: str, words: str) -> None:
    assert when(at(moment), at("2026-12-01T08:42"), BERLIN) == words


def test_a_moment_that_no_calendar_has_breaks_nothing() -> None:
    assert when(1e18, at("2026-12-01T08:42"), ZoneInfo("UTC"))
    assert day_of(-1e18, UTC) == date(1969, 12, 31)
