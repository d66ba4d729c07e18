"""Moments and lengths of time, as typed and as shown."""

from __future__ import annotations

import time
from collections.abc import Generator

import pytest

from hermes.surfaces.cli.moments import TimeRefused, ago, clock, exactly, how_long, length


@pytest.fixture(autouse=True)
def berlin(monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def at(text: str) -> float:
    return time.mktime(time.strptime(text, "%Y-%m-%d %H:%M"))


NOON = "2025-06-10 12:00"


@pytest.mark.parametrize(
    ("typed", "now", "until"),
    [
        ("2h", NOON, "2025-06-10 14:00"),
        ("90 min", NOON, "2025-06-10 13:30"),
        ("90m", NOON, "2025-06-10 13:30"),
        ("1h 30m", NOON, "2025-06-10 13:30"),
        ("1h30min", NOON, "2025-06-10 13:30"),
        ("1.5h", NOON, "2025-06-10 13:30"),
        ("3d", NOON, "2025-06-13 12:00"),
        ("until 18:00", NOON, "2025-06-10 18:00"),
        ("UNTIL  18:00", NOON, "2025-06-10 18:00"),
        ("8:00", NOON, "2025-06-11 08:00"),
        ("until 12:00", NOON, "2025-06-11 12:00"),
        ("today", NOON, "2025-06-11 00:00"),
        ("today", "2025-01-31 23:00", "2025-02-01 00:00"),
        ("today", "2025-10-26 01:00", "2025-10-27 00:00"),  # a day of 25 hours
        ("until 08:00", "2025-03-29 20:00", "2025-03-30 08:00"),  # a night of one hour less
    ],
)
def test_how_long_a_pause_is(typed: str, now: str, until: str) -> None:
    seconds = how_long(typed, at(now))
    assert seconds is not None
    assert at(now) + seconds == at(until)


def test_nothing_typed_means_until_further_notice() -> None:
    assert how_long("  ", at(NOON)) is None


@pytest.mark.parametrize(
    "typed",
    [
        "soon",
        "0h",
        "-2h",
        "until 25:00",
        "12:60",
        "h",
        "2 weeks",
        "2x",
        "1h 2x",
    ],
)
def test_what_is_no_length_is_refused_with_examples(typed: str) -> None:
    with pytest.raises(TimeRefused) as refused:
        how_long(typed, at(NOON))
    assert typed in refused.value.message
    assert "until 18:00" in refused.value.hint


def test_moments_are_told_as_people_tell_them() -> None:
    now = at(NOON)
    assert ago(now - 240, now) == "4 min ago"
    assert ago(now + 7200, now) == "in 2 h"
    assert ago(now - 0.2, now) == "just now"
    assert clock(now - 240, now) == "11:56"
    assert clock(now - 86_400, now) == "2025-06-09 12:00"
    assert exactly(now - 5, now) == "11:59:55"


@pytest.mark.parametrize("typed", ["9" * 30 + "h", "367d", "365d 48h"])
def test_what_is_longer_than_a_year_is_refused(typed: str) -> None:
    with pytest.raises(TimeRefused, match="is longer than a year"):
        how_long(typed, at(NOON))


@pytest.mark.parametrize(
    ("typed", "seconds"),
    [("15min", 900), ("1 h 30m", 5_400), ("2d", 172_800), ("", None), ("5", None), ("-5m", None)],
)
def test_a_length_of_time_is_understood_or_not(typed: str, seconds: float | None) -> None:
    assert length(typed) == seconds
