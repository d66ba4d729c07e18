"""Finding in pages what an area was about."""

from __future__ import annotations

from datetime import UTC, date, timedelta

import pytest

from hermes.agents.themes.compose import week_page
from hermes.agents.themes.reading import find
from hermes.agents.themes.records import Page
from tests.builders.themes import DAY, MONDAY, SHOP, Happenings

FIRST = date(2026, 11, 30)


def two_weeks() -> list[Page]:
    happen = Happenings()
    happen.commit("Retry failed charges (ENG-17)", "shop/payments/retry.py")
    happen.commit("Translate the parcel labels", "shop/parcels/labels.py")
    happen.commit("payments: round in yen", "shop/payments/round.py", at=MONDAY + 8 * DAY)
    happen.thread("Who knows the payments contract?")
    week = FIRST + timedelta(7)
    return [week_page(SHOP, happen.made, day, UTC) for day in (FIRST, week)]


@pytest.mark.parametrize(
    ("area", "titles"),
    [
        ("shop/payments", ["Round in yen", "Retry failed charges"]),
        ("./shop/payments/", ["Round in yen", "Retry failed charges"]),
        ("shop/payments/retry.py", ["Retry failed charges"]),
        (
            "payments",
            ["Who knows the payments contract?", "Round in yen", "Retry failed charges"],
        ),
        ("ENG-17", ["Retry failed charges"]),
        ("eng-17", ["Retry failed charges"]),
        ("ticket:ENG-17", ["Retry failed charges"]),
        ("ENG-1", []),
        ("translated labels", ["Translate the parcel labels"]),
        (
            "Payment",
            ["Who knows the payments contract?", "Round in yen", "Retry failed charges"],
        ),
        ("shop/pay", []),
        ("billing", []),
    ],
)
def test_themes_are_found_by_area(area: str, titles: list[str]) -> None:
    assert [match.theme.title for match in find(two_weeks(), area)] == titles


def test_without_an_area_all_of_a_time_is_found() -> None:
    pages = two_weeks()
    assert len(find(pages, "")) == 4
    assert len(find(pages, "", since=FIRST + timedelta(7))) == 1
    assert len(find(pages, "", until=FIRST)) == 3
    assert find(pages, "", since=FIRST + timedelta(20)) == []
