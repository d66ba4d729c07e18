"""What is remembered of briefs: what was told since when, and what was said to it."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from hermes.memory.briefs import MOST_BRIEFS, MOST_RATED, MOST_TOLD, Briefs, Rating, Told
from hermes.memory.work import Work

SAID = Told("stash:shop", "d1", "2026-12-01", "2026-12-01", "r1")
RATED = Rating("2026-12-01", "stash:shop", "stash", useful=False, at=5.0, repo="r1")


@pytest.fixture
def work(tmp_path: Path) -> Generator[Work]:
    found = Work(tmp_path / "work.db")
    yield found
    found.close()


@pytest.fixture
def briefs(work: Work) -> Briefs:
    return work.briefs


def test_what_is_told_again_in_the_same_words_keeps_its_first_day(briefs: Briefs) -> None:
    briefs.tell([SAID])
    briefs.tell([replace(SAID, first="2026-12-02", last="2026-12-02")])
    assert briefs.told() == {SAID.key: replace(SAID, last="2026-12-02")}


def test_what_says_something_else_is_told_for_the_first_time(briefs: Briefs) -> None:
    briefs.tell([SAID])
    changed = replace(SAID, digest="d2", first="2026-12-02", last="2026-12-02")
    briefs.tell([changed])
    assert briefs.told() == {SAID.key: changed}


def test_a_second_word_on_a_line_replaces_the_first(briefs: Briefs) -> None:
    briefs.rate(RATED)
    briefs.rate(replace(RATED, useful=True, at=6.0))
    assert briefs.ratings() == [replace(RATED, useful=True, at=6.0)]


def test_a_brief_is_kept_until_it_is_seen_and_then_known_as_seen(briefs: Briefs) -> None:
    briefs.keep("2026-12-01", 1.0, {"facts": []})
    briefs.keep("2026-12-01", 2.0, {"facts": [1]})
    assert [made.made for made in briefs.unseen()] == [2.0]
    briefs.seen("2026-12-01", 3.0, [SAID])
    assert briefs.unseen() == []
    made = briefs.made("2026-12-01")
    assert made is not None and (made.shown, made.brief) == (3.0, {"facts": [1]})
    assert briefs.told() == {SAID.key: SAID}


def test_what_is_remembered_is_bounded(briefs: Briefs) -> None:
    days = [(date(2020, 1, 1) + timedelta(n)).isoformat() for n in range(MOST_TOLD + 100)]
    briefs.tell([replace(SAID, key=f"k{day}", last=day) for day in days])
    assert sorted(briefs.told()) == [f"k{day}" for day in days[100:]]
    for number in range(MOST_RATED + 5):
        briefs.rate(replace(RATED, key=f"k{number}", at=float(number)))
    assert len(briefs.ratings()) == MOST_RATED
    for number in range(1, MOST_BRIEFS + 6):
        briefs.keep(f"2026-12-{number:02}", 1.0, {})
    assert briefs.made("2026-12-01") is None
    last = briefs.last()
    assert last is not None and last.day == f"2026-12-{MOST_BRIEFS + 5}"


def test_a_forgotten_repository_leaves_nothing(work: Work) -> None:
    other = replace(SAID, key="stash:web", repo="r2")
    work.briefs.tell([SAID, other])
    work.briefs.rate(RATED)
    work.briefs.keep("2026-12-01", 1.0, {"facts": [{"text": "secret of shop"}]})
    work.forget("r1")
    assert work.briefs.told() == {other.key: other}
    assert work.briefs.ratings() == []
    assert work.briefs.last() is None
