"""How ``hermes themes`` shows pages: whole in a pipe, a screen or two of them on a terminal."""

from __future__ import annotations

from typing import Any

import pytest

from hermes.surfaces.cli.text import width_of
from hermes.surfaces.cli.themes import further_back, nothing
from hermes.surfaces.cli.themes_lines import labels_of, pages_lines

from .conftest import MakeStream

SHA = "3f2a9c1" + "0" * 33
LONG = "Try a payment again after a pause, with jitter, and stop after the third try of each card"


def theme(number: int, what: int = 5, why: int = 2) -> dict[str, Any]:
    return {
        "title": f"Payments {number} and what their banks, customers and tills make of them, each day",
        "state": "done",
        "people": ["Sam Doe", "Kim Noor"],
        "paths": ["shop/payments/retry.py", "shop/payments/pause.py", "shop/cart.py"],
        "what": [
            {"text": f"{LONG} {n}", "references": [SHA, "linear:ENG-17", SHA]} for n in range(what)
        ],
        "why": [{"text": f"Banks time out {n}.", "references": [SHA]} for n in range(why)],
    }


def page(themes: int, week: int = 48, **more: Any) -> dict[str, Any]:
    return {
        "name": "shop",
        "span": f"week {week} (2026-11-23 to 2026-11-29)",
        "last": "2026-11-29",
        "themes": [theme(number) for number in range(themes)],
        "more": 0,
        "kept": True,
        **more,
    }


@pytest.mark.parametrize("columns", [40, 46, 60, 80, 120])
def test_no_line_is_wider_than_the_terminal_and_none_is_wrapped(
    make_stream: MakeStream, columns: int
) -> None:
    lines = pages_lines([page(3)], make_stream(columns), today="2026-11-30")
    assert max(map(width_of, lines)) <= columns
    said = [line for line in lines if line.lstrip().startswith("- ")]
    assert len(said) == 3 * 3, "two of what happened and one why of each theme"
    assert sum("why: " in line for line in said) == 3
    assert not any("Banks time out 1" in line for line in lines)


@pytest.mark.parametrize(
    ("title", "text", "told"),
    [
        ("Add jitter to retries", "Sam Doe added jitter to retries (#4): 3 lines in pay.py", True),
        ("Pay: add jitter to retries; round", "Added jitter to retries: 3 lines in pay.py", True),
        ("Retries of failed payments", "Added jitter to retries: 3 lines in pay.py", False),
        ("Retries", "Added retries: 3 lines in pay.py", False),
    ],
)
def test_what_the_title_says_is_not_said_again_on_a_terminal(
    make_stream: MakeStream, title: str, text: str, told: bool
) -> None:
    one = theme(1, what=1, why=0) | {"title": title}
    one["what"] = [{"text": text, "references": [SHA]}, {"text": "More.", "references": [SHA]}]
    lines = pages_lines([page(0) | {"themes": [one]}], make_stream(100), today="2026-11-30")
    assert (f"done     {title} [3f2a9c1]" in lines) is told
    assert (f"         - {text} [3f2a9c1]" in lines) is not told
    assert lines[-1] == "         - More. [3f2a9c1]"
    piped = pages_lines([page(0) | {"themes": [one]}], make_stream(), today="2026-11-30")
    assert f"         - {text} [3f2a9c1]" in piped


def test_what_is_left_out_is_said_once_at_the_end(make_stream: MakeStream) -> None:
    stream = make_stream(100)
    lines = pages_lines([page(6), page(6, 47)], stream, today="2026-11-30")
    assert sum(line.startswith("done ") for line in lines) == 8
    assert lines[-1] == "and 4 more themes and 32 more lines: --markdown has all"
    assert sum("--markdown" in line for line in lines) == 1
    lines = pages_lines([page(9), page(6, 47)], stream, today="2026-11-30")
    assert not any("week 47" in line for line in lines), "no heading without a theme"
    small = page(0) | {"themes": [theme(1, what=2, why=1)]}
    assert "--markdown" not in "".join(pages_lines([small], stream, today="2026-11-30"))


def test_a_pipe_gets_all_of_it(make_stream: MakeStream) -> None:
    lines = pages_lines([page(12)], make_stream(), today="2026-11-30")
    assert sum(line.startswith("done ") for line in lines) == 12
    assert sum(line.lstrip().startswith("- ") for line in lines) == 12 * 7
    assert any(line.endswith(f"{LONG} 4 [3f2a9c1, ENG-17, 3f2a9c1]") for line in lines)
    assert not any("--markdown" in line for line in lines)


@pytest.mark.parametrize(
    ("more", "head"),
    [
        ({}, "shop, week 48 (2026-11-23 to 2026-11-29)"),
        ({"kept": False}, "shop, week 48 (2026-11-23 to 2026-11-29), made now"),
        ({"last": "2026-12-06"}, "shop, week 48 (2026-11-23 to 2026-11-29), so far"),
        ({"name": ""}, "in no repository, week 48 (2026-11-23 to 2026-11-29)"),
    ],
)
def test_the_heading_says_what_sort_of_page_it_is(
    make_stream: MakeStream, more: dict[str, Any], head: str
) -> None:
    assert pages_lines([page(1, **more)], make_stream(100), today="2026-11-30")[0] == head


def test_text_of_others_steers_no_terminal(make_stream: MakeStream) -> None:
    evil = theme(1)
    evil["title"] = evil["people"][0] = evil["what"][0]["text"] = "a\x1b[2Jb\u202ec"
    lines = pages_lines([page(0) | {"themes": [evil]}], make_stream(100), today="2026-11-30")
    assert not any(mark in line for line in lines for mark in ("\x1b", "\u202e"))


FOUND: dict[str, Any] = {
    "made": True,
    "enabled": True,
    "since": "2025-11-24",
    "pages": [],
    "taken_back": "",
}


@pytest.mark.parametrize(
    ("pages", "shown"),
    [
        (["shop-0a1b2c3d/days/2026-11-30"], "shop 2026-11-30"),
        (
            ["shop-0a1b2c3d/days/2026-11-30", "bank-0a1b2c3e/weeks/2026-W49"],
            "bank 2026-W49; shop 2026-11-30",
        ),
        (
            [f"shop-0a1b2c3d/days/2026-11-{day}" for day in range(10, 24)]
            + ["shop-0a1b2c3d/weeks/2026-W48"],
            "shop 14 days from 2026-11-10 to 2026-11-23, 2026-W48",
        ),
    ],
)
def test_pages_are_named_one_by_one_while_they_are_few(pages: list[str], shown: str) -> None:
    assert labels_of(pages) == shown


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (
            {"since": "2024-01-01"},
            "themes go back to 2025-11-24; an earlier week is shown alone: hermes themes 2024-W01",
        ),
        ({"since": "2026-01-05", "until": "2026-01-11"}, "nothing happened that makes a theme"),
        ({"area": "zebras"}, "no theme is about zebras"),
        ({}, "nothing happened here"),
    ],
)
def test_where_nothing_is_found_the_true_reason_is_said(query: dict[str, str], said: str) -> None:
    assert nothing(FOUND, query).startswith(said)
    assert bool(further_back(FOUND, query)) == said.startswith("themes go back")
