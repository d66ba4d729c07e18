"""Pages: the same evidence gives the same bytes, and only other evidence gives others."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from hermes.agents.themes import compose
from hermes.agents.themes.compose import day_page, digest_of, week_page
from hermes.agents.themes.evidence import start_of
from hermes.agents.themes.pages import (
    PageDamaged,
    from_json,
    reference_text,
    span_of,
    to_json,
    to_markdown,
)
from hermes.agents.themes.records import Evidence
from hermes.tests.builders.themes import DAY, HOUR, MONDAY, SHOP, Happenings, pages_between

FIRST = date(2026, 11, 30)
BERLIN = ZoneInfo("Europe/Berlin")


def a_week() -> list[Evidence]:
    happen = Happenings()
    first = happen.commit(
        "Retry failed payments (ENG-17)",
        "shop/pay.py",
        why="The bank refuses one call in a hundred.",
    )
    happen.ticket("ENG-17", "Payments hammer the bank", "closed", "was done")
    happen.thread("Shall we retry? ENG-17", "ENG-17")
    happen.commit("Round prices in yen", "shop/prices.py", at=MONDAY + 2 * DAY)
    happen.commit('Revert "Retry failed payments"', "shop/pay.py", undoes=first.ref)
    happen.test("tests/test_pay.py::test_retry", "red", at=MONDAY + 3 * DAY)
    happen.commit("Try a queue", "shop/queue.py", landed=MONDAY + 9 * DAY, branch="queue")
    return happen.made


def test_a_page_comes_back_from_json_as_it_was() -> None:
    page = week_page(SHOP, a_week(), FIRST, UTC)
    text = to_json(page)

    assert page.themes
    assert from_json(text) == page
    assert to_json(from_json(text)) == text
    assert text.endswith("}\n")
    assert "derived" in json.loads(text)


def test_the_order_in_which_evidence_is_given_changes_no_byte() -> None:
    evidence = a_week()
    text = to_json(week_page(SHOP, evidence, FIRST, BERLIN))
    for seed in range(20):
        random.Random(seed).shuffle(evidence)
        assert to_json(week_page(SHOP, evidence, FIRST, BERLIN)) == text


def test_evidence_of_other_days_changes_no_byte() -> None:
    evidence = a_week()
    happen = Happenings()
    happen.commit("Begin anew", "shop/new.py", at=MONDAY + 8 * DAY)
    happen.commit("Long ago", "shop/old.py", at=MONDAY - 1)

    page = week_page(SHOP, evidence, FIRST, UTC)
    assert to_json(week_page(SHOP, [*happen.made, *evidence], FIRST, UTC)) == to_json(page)


@pytest.mark.parametrize(
    "change",
    [
        {"title": "Retry payments that failed (ENG-17)"},
        {"why": "It was slow."},
        {"lines": 21},
        {"paths": ("shop/pay.py", "shop/bank.py")},
        {"at": MONDAY + 10 * HOUR + 1},
        {"author": "Kim Noor"},
        {"pull": "#9"},
        {"tickets": ()},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_digest_changes_with_the_evidence(change: dict[str, object]) -> None:
    before = a_week()
    after = [replace(before[0], **change), *before[1:]]  # type: ignore[arg-type]
    page = week_page(SHOP, before, FIRST, UTC)

    assert page.digest == digest_of(SHOP, before, FIRST, FIRST + timedelta(6), UTC)
    assert week_page(SHOP, after, FIRST, UTC).digest != page.digest


def test_a_digest_changes_with_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    before = week_page(SHOP, a_week(), FIRST, UTC).digest
    monkeypatch.setattr(compose, "RULES", compose.RULES + 1)
    assert week_page(SHOP, a_week(), FIRST, UTC).digest != before


def test_what_lands_after_a_page_s_time_changes_nothing_of_it() -> None:
    waiting = a_week()
    never = [replace(each, landed=0) if each.branch else each for each in waiting]

    assert to_json(week_page(SHOP, waiting, FIRST, UTC)) == to_json(
        week_page(SHOP, never, FIRST, UTC)
    )


def test_a_day_has_the_hours_of_its_zone() -> None:
    spring, autumn = date(2026, 3, 29), date(2026, 10, 25)
    hours = [
        (start_of(day + timedelta(1), BERLIN) - start_of(day, BERLIN)) / HOUR
        for day in (spring, autumn, FIRST)
    ]
    assert hours == [23, 25, 24]


@pytest.mark.parametrize(
    ("clock", "day"),
    [
        ("2026-10-25T00:30+02:00", date(2026, 10, 25)),
        ("2026-10-25T02:30+02:00", date(2026, 10, 25)),
        ("2026-10-25T02:30+01:00", date(2026, 10, 25)),
        ("2026-10-25T23:30+01:00", date(2026, 10, 25)),
        ("2026-10-26T00:00+01:00", date(2026, 10, 26)),
        ("2026-03-29T23:59+02:00", date(2026, 3, 29)),
        ("2026-03-29T00:00+01:00", date(2026, 3, 29)),
    ],
)
def test_what_happens_where_clocks_are_changed_is_on_one_day(clock: str, day: date) -> None:
    happen = Happenings()
    happen.commit(
        "Set the clocks", "shop/clock.py", at=int(datetime.fromisoformat(clock).timestamp())
    )
    found = [
        each
        for each in (day - timedelta(1), day, day + timedelta(1))
        if day_page(SHOP, happen.made, each, BERLIN).themes
    ]
    assert found == [day]


def test_a_page_is_of_the_zone_that_is_given() -> None:
    happen = Happenings()
    happen.commit("Work late", "shop/a.py", at=MONDAY + 23 * HOUR + 1800)

    assert day_page(SHOP, happen.made, FIRST, UTC).themes
    moved = ZoneInfo("Asia/Tokyo")
    assert not day_page(SHOP, happen.made, FIRST, moved).themes
    assert day_page(SHOP, happen.made, FIRST + timedelta(1), moved).themes


def test_all_days_and_weeks_with_something_have_a_page() -> None:
    labels = [
        page.label for page in pages_between(SHOP, a_week(), FIRST, FIRST + timedelta(13), UTC)
    ]
    assert labels == ["2026-11-30", "2026-12-02", "2026-12-03", "2026-W49"]


def test_a_week_is_made_of_its_evidence() -> None:
    evidence = a_week()
    week = week_page(SHOP, evidence, FIRST + timedelta(3), UTC)

    assert (week.first, week.last, week.label) == (FIRST, FIRST + timedelta(6), "2026-W49")
    told = {ref for theme in week.themes for ref in theme.references}
    assert len(told) + week.more == len({each.ref for each in evidence})


def test_a_day_without_anything_has_no_theme() -> None:
    page = day_page(SHOP, [], FIRST, UTC)
    assert (page.themes, page.more) == ((), 0)
    assert "Nothing that makes a theme." in to_markdown(page)


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "null", '{"format": 1}', '{"format": 9, "themes": []}', "nonsense"],
)
def test_a_page_that_can_t_be_read_says_so(text: str) -> None:
    with pytest.raises(PageDamaged) as error:
        from_json(text)
    assert "hermes consolidate" in (error.value.hint or "")


def test_a_page_with_something_else_in_its_place_can_t_be_read() -> None:
    page = json.loads(to_json(week_page(SHOP, a_week(), FIRST, UTC)))
    page["themes"][0]["people"] = "Sam"
    with pytest.raises(PageDamaged):
        from_json(json.dumps(page))


def test_markdown_names_state_people_and_references() -> None:
    happen = Happenings()
    happen.commit("Retry failed payments", "shop/pay.py", why="The bank refuses some.")
    text = to_markdown(day_page(SHOP, happen.made, FIRST, UTC))

    assert text.splitlines()[:9] == [
        "# shop, Monday 2026-11-30",
        "",
        "## Retry failed payments",
        "",
        "done; Sam Doe; `shop/pay.py`",
        "",
        "- Retry failed payments: 20 lines in shop/pay.py [0000001]",
        "- Why: The bank refuses some. [0000001]",
        "",
    ]


def test_what_others_wrote_stays_text_in_markdown() -> None:
    happen = Happenings()
    happen.commit("Add <script>x</script>\x1b[31m [x](http://evil)\n# Heading", "shop/a.py")
    text = to_markdown(day_page(SHOP, happen.made, FIRST, UTC))

    assert "\x1b" not in text
    assert "<script>" not in text.replace("\\<script>", "")
    assert "[x](" not in text.replace("\\[x](", "")
    assert "\n# Heading" not in text


def test_references_are_written_as_people_write_them() -> None:
    assert reference_text("3f2a91c" + "0" * 33) == "3f2a91c"
    assert reference_text("linear:ENG-17") == "linear:ENG-17"
    assert reference_text("test:tests/test_pay.py::test_retry@4") == "test:test_retry@4"
    assert span_of(week_page(SHOP, [], FIRST, UTC)) == "week 49 (2026-11-30 to 2026-12-06)"
