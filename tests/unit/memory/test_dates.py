"""Dates as people type them."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.memory.dates import DateRefused, parse

NOW = datetime(2025, 3, 12, 15, 30)  # a Wednesday


def shown(text: str, *, end: bool = False) -> str:
    """Return what the text names, in local time, without the midnight that most have."""
    found = datetime.fromtimestamp(parse(text, NOW, end=end))
    return found.isoformat(" ").removesuffix(" 00:00:00").removesuffix(":00")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2025-03-01", "2025-03-01"),
        ("2025/3/1", "2025-03-01"),
        ("2025-03-01 09:30", "2025-03-01 09:30"),
        ("2025-03-01T09:30", "2025-03-01 09:30"),
        ("2024-02", "2024-02-01"),
        ("2023", "2023-01-01"),
        ("now", "2025-03-12 15:30"),
        ("today", "2025-03-12"),
        ("Yesterday", "2025-03-11"),
        ("the day before yesterday", "2025-03-10"),
        ("this week", "2025-03-10"),
        ("last week", "2025-03-03"),
        ("this month", "2025-03-01"),
        ("last month", "2025-02-01"),
        ("last year", "2024-01-01"),
        ("monday", "2025-03-10"),
        ("wednesday", "2025-03-05"),
        ("last  friday", "2025-03-07"),
        ("fri", "2025-03-07"),
        ("2 weeks ago", "2025-02-26"),
        ("two weeks ago", "2025-02-26"),
        ("a month ago", "2025-02-12"),
        ("13 months ago", "2024-02-12"),
        ("1 year ago", "2024-03-12"),
        ("3d", "2025-03-09"),
        ("2w ago", "2025-02-26"),
        ("6mo", "2024-09-12"),
        ("2 hours ago", "2025-03-12 13:30"),
        ("last 3 months", "2024-12-12"),
        ("april", "2024-04-01"),
        ("march", "2025-03-01"),
        ("sept 2024", "2024-09-01"),
        ("last april", "2024-04-01"),
    ],
)
def test_a_date_starts_when_people_mean_it_to(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2025-03-01", "2025-03-01 23:59:59"),
        ("yesterday", "2025-03-11 23:59:59"),
        ("april 2024", "2024-04-30 23:59:59"),
        ("2023", "2023-12-31 23:59:59"),
        ("last week", "2025-03-09 23:59:59"),
        ("2025-03-01T09:30", "2025-03-01 09:30"),
    ],
)
def test_an_end_includes_what_it_names(text: str, expected: str) -> None:
    assert shown(text, end=True) == expected


def test_a_month_ago_is_the_last_day_of_a_shorter_month() -> None:
    found = parse("a month ago", datetime(2025, 3, 31))
    assert datetime.fromtimestamp(found) == datetime(2025, 2, 28)


def test_an_offset_is_respected() -> None:
    assert parse("2025-03-01T09:30+02:00", NOW) == 1_740_814_200


@pytest.mark.parametrize(
    "text",
    ["", "soon", "2025-13-01", "2025-02-30", "0 fortnights ago", "next week", "tomorrow", "1e9"]
    + ["999999 years ago", "2025-00", "ma", "--"],
)
def test_what_is_no_date_is_refused_with_examples(text: str) -> None:
    with pytest.raises(DateRefused) as refused:
        parse(text, NOW)
    assert "last friday" in refused.value.hint


@given(st.text(max_size=40))
def test_any_text_gives_a_time_or_a_refusal(text: str) -> None:
    with suppress(DateRefused):
        assert isinstance(parse(text, NOW), int)
