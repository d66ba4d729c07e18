"""Which facts a brief tells: new ones, within its lines, and one thing to begin with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta

import pytest

from hermes.agents.brief.choose import STILL_OPEN, Choice, choose, everything, within
from hermes.agents.brief.records import Fact, Reference, Section
from hermes.memory.briefs import Told

TUESDAY = date(2026, 12, 1)
DONE = Fact("done:cart", Section.FINISHED, "cart: 3 commits", topic="theme:cart")
STASH = Fact("stash:1", Section.HALF_DONE, "1 stash: WIP cart", topic="stash")
BRANCH = Fact(
    "unpushed:x",
    Section.HALF_DONE,
    "feature/x: 2 commits not pushed",
    (Reference("branch", "feature/x"),),
    topic="unpushed",
)
MAIN = Fact("main:shop", Section.OVERNIGHT, "main has 5 new commits", topic="main")
DRIFT = Fact("drift", Section.HERMES, "1 document drifted", topic="drift")
MOVE = Fact("move:x", Section.FIRST_MOVE, "push feature/x", topic="unpushed")
ALL = (MOVE, DRIFT, MAIN, BRANCH, STASH, DONE)


def _one(fact: Fact) -> int:
    return 1


def _told(*facts: Fact, days_ago: int = 1, last: int | None = None) -> dict[str, Told]:
    first = (TUESDAY - timedelta(days_ago)).isoformat()
    until = (TUESDAY - timedelta(days_ago if last is None else last)).isoformat()
    return {fact.key: Told(fact.key, fact.digest, first, until) for fact in facts}


def _choose(
    *facts: Fact,
    told: Mapping[str, Told] | None = None,
    factors: Mapping[str, float] | None = None,
    room: int = 13,
    working: bool = True,
) -> Choice:
    return choose(facts, told or {}, factors or {}, TUESDAY, room, _one, working=working)


def _keys(choice: Choice) -> list[str]:
    return [fact.key for fact in choice.told]


def test_facts_stand_by_section_the_heaviest_first() -> None:
    heavy = replace(STASH, key="stash:2", weight=2.0)
    assert _keys(_choose(*ALL, heavy)) == [
        *("done:cart", "stash:2", "stash:1", "unpushed:x", "main:shop", "drift", "move:x")
    ]


def test_what_was_told_yesterday_is_not_told_again() -> None:
    choice = _choose(DONE, MAIN, told=_told(DONE))
    assert _keys(choice) == ["main:shop"]


def test_it_is_told_again_once_it_says_something_else() -> None:
    grown = replace(MAIN, text="main has 7 new commits")
    assert _keys(_choose(grown, told=_told(MAIN))) == ["main:shop"]


def test_what_was_told_this_morning_already_is_still_in_this_mornings_brief() -> None:
    assert _keys(_choose(DONE, told=_told(DONE, days_ago=0))) == ["done:cart"]


def test_open_work_that_did_not_change_is_one_line() -> None:
    second = replace(STASH, key="stash:2")
    third = replace(STASH, key="stash:3")
    told = _told(STASH, second, BRANCH) | _told(third, days_ago=4, last=1)
    choice = _choose(DONE, STASH, second, third, BRANCH, told=told)
    assert _keys(choice) == ["done:cart", STILL_OPEN]
    assert choice.told[1].text == "still open: 3 stashes, feature/x unpushed (since Fri)"
    assert {fact.key for fact in choice.folded} == {"stash:1", "stash:2", "stash:3", "unpushed:x"}


def test_what_stands_behind_news_is_told_once_that_is_none_any_more() -> None:
    waits = replace(STASH, key="open:#482", behind=MAIN.key)
    assert _keys(_choose(waits, MAIN)) == ["main:shop"]
    assert _keys(_choose(waits, MAIN, told=_told(MAIN))) == ["open:#482"]
    assert _keys(_choose(waits)) == ["open:#482"]
    assert everything([waits, MAIN], {}) == [MAIN]


def test_open_work_that_changed_speaks_for_itself_again() -> None:
    grown = replace(BRANCH, text="feature/x: 3 commits not pushed")
    choice = _choose(grown, STASH, told=_told(BRANCH, STASH))
    assert _keys(choice) == ["unpushed:x", STILL_OPEN]


@pytest.mark.parametrize(
    ("facts", "told", "silent"),
    [
        ((), {}, "there is nothing"),
        ((DONE,), _told(DONE), "there is nothing"),
        ((STASH,), _told(STASH), "nothing is new"),
        ((STASH,), _told(STASH, days_ago=30, last=6), "nothing is new"),
        ((STASH,), _told(STASH, days_ago=30, last=7), ""),
        ((MOVE, STASH), _told(MOVE, STASH), "nothing is new"),
        ((MOVE,), {}, ""),
        ((MAIN, STASH), _told(STASH), ""),
    ],
    ids=[
        *("no facts", "all told", "open as yesterday", "open for long", "reminded after a week"),
        *("the same first move", "a new first move", "news beside it"),
    ],
)
def test_it_is_silent_when_nothing_is_new(
    facts: tuple[Fact, ...], told: dict[str, Told], silent: str
) -> None:
    assert _choose(*facts, told=told).silent == silent


def test_a_day_off_hears_only_what_is_urgent() -> None:
    assert _choose(*ALL, working=False).silent == "it is a day off"
    urgent = replace(MAIN, weight=3.0)
    assert _choose(urgent, working=False).silent == ""


def test_there_is_one_first_move_and_rather_a_new_one() -> None:
    other = replace(MOVE, key="move:y", text="answer Ana", weight=0.6)
    assert _keys(_choose(MOVE, other, DONE)) == ["done:cart", "move:x"]
    assert _keys(_choose(MOVE, other, DONE, told=_told(MOVE))) == ["done:cart", "move:y"]


def test_what_finds_no_room_is_counted_and_the_first_move_always_does() -> None:
    many = [replace(MAIN, key=f"m{n}", weight=1.0 - n / 100) for n in range(9)]
    choice = _choose(*many, MOVE, room=4)
    assert _keys(choice) == ["m0", "m1", "m2", "move:x"]
    assert [fact.key for fact in choice.rest] == [f"m{n}" for n in range(3, 9)]


def test_one_topic_does_not_take_all_the_room() -> None:
    same = [replace(MAIN, key=f"m{n}", weight=1.2) for n in range(4)]
    assert _keys(_choose(*same, STASH, BRANCH, room=4)) == ["stash:1", "unpushed:x", "m0", "m1"]


def test_a_long_fact_gives_its_place_to_shorter_ones() -> None:
    long = replace(MAIN, key="long", weight=0.9)
    choice = choose(
        [DONE, long, STASH], {}, {}, TUESDAY, 2, lambda fact: 2 if fact.key == "long" else 1
    )
    assert _keys(choice) == ["done:cart", "stash:1"]


def test_ratings_move_a_topic_up_down_and_out() -> None:
    other = replace(MAIN, key="other", topic="other", weight=1.1)
    assert _keys(_choose(MAIN, other)) == ["other", "main:shop"]
    assert _keys(_choose(MAIN, other, factors={"other": 0.5})) == ["main:shop", "other"]
    gone = _choose(MAIN, other, factors={"other": 0.125})
    assert _keys(gone) == ["main:shop"]
    assert [fact.key for fact in gone.rest] == ["other"]


def test_of_one_key_the_heavier_fact_is_told() -> None:
    twice = replace(MAIN, text="main moved", weight=2.0)
    assert [fact.text for fact in _choose(MAIN, twice).told] == ["main moved"]


def test_the_order_does_not_hang_on_the_order_of_sources() -> None:
    assert _choose(*ALL) == _choose(*reversed(ALL))


def test_all_of_it_is_told_to_whoever_asks() -> None:
    assert everything(ALL, {})[0].key == "done:cart"
    assert len(everything(ALL, {"stash": 0.1})) == len(ALL)


def test_a_narrow_screen_leaves_out_the_lightest() -> None:
    facts = everything([replace(STASH, weight=0.4), MAIN, DONE, MOVE], {})
    kept, gone = within(facts, 3, _one)
    assert ([fact.key for fact in kept], gone) == (["done:cart", "main:shop", "move:x"], 1)


@pytest.mark.parametrize(
    ("fact", "words"),
    [
        (replace(BRANCH, references=(Reference("branch", "feature/x"),)), "feature/x unpushed"),
        (STASH, "1 stash"),
        (replace(STASH, topic="red", references=(Reference("test", "t/a.py::b"),)), "b red"),
        (
            replace(STASH, topic="uncommitted", references=(Reference("path", "a.py"),)),
            "work in a.py",
        ),
        (
            replace(STASH, topic="operation", text="a rebase of x began on Monday, at 2"),
            "a rebase of x began on Monday",
        ),
        (replace(STASH, topic="other", text="word " * 30), "word " * 9 + "word…"),
    ],
)
def test_each_kind_of_open_work_has_a_few_words(fact: Fact, words: str) -> None:
    choice = _choose(fact, DONE, told=_told(fact))
    assert choice.told[1].text == f"still open: {words} (since Mon)"
