"""How much discussions and automatic commits count."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hermes.agents.hygiene import automatic, chatter
from hermes.memory.records import Commit
from hermes.tests.builders.items import BEGUN, thread
from hermes.tests.builders.records import commit_of

DAY = 86_400
DECISION = (
    "Which store for the rate limiter?\n"
    "Kim Noor: let us take Redis, because memcached loses counters on restart\n"
    "Sam Ito: agreed, and the sliding window needs sorted sets anyway\n"
    "Kim Noor: then ENG-17 is about moving `limits.py` over, see https://example.org/adr/4"
)


def weights(*texts: str, days: int = 0) -> list[float]:
    now = BEGUN + days * DAY
    return [chatter.weight_of(thread(n, text, time=BEGUN), now) for n, text in enumerate(texts)]


def test_a_decision_counts_in_full_however_old() -> None:
    assert weights(DECISION) == weights(DECISION, days=3_000) == [1.0]


def test_small_talk_fades_to_a_little_and_never_to_nothing() -> None:
    (fresh,) = weights("+1")
    (later,) = weights("+1", days=60)
    (old,) = weights("+1", days=3_000)
    assert 1.0 > fresh > later >= old == chatter.LEAST


def test_who_took_part_adds_nothing_to_what_was_said() -> None:
    alone = thread(1, "+1", people=[("Sam Ito", "sam@example.org")])
    crowd = replace(alone, text="+1\nKim Noor: +1", people=(("Sam Ito", ""), ("Kim Noor", "")))
    assert chatter.substance_of(crowd) == chatter.substance_of(alone)


def test_a_night_later_on_the_same_day_changes_no_weight() -> None:
    talk = thread(1, "nice, thanks", time=BEGUN)
    morning = BEGUN // DAY * DAY + 40 * DAY
    assert chatter.marks("", [talk], morning) == chatter.marks("", [talk], morning + DAY - 1)


def test_the_same_words_again_are_folded_into_the_first() -> None:
    said = "The deploy of the payments service is done, see the board for what is in it"
    first, again = thread(1, said), thread(2, said.upper())
    marks = {mark.ref: mark for mark in chatter.marks("", [again, first], BEGUN)}
    assert marks[again.ref].folded_into == first.ref
    assert first.ref not in marks or not marks[first.ref].folded_into


def test_what_a_bot_writes_each_time_counts_half_after_the_first_time() -> None:
    text = "Build {} of payments failed in stage integration tests after {} minutes: {}"
    builds = [
        thread(n, text.format(n, n * 3, f"https://ci.example/{n}") + " " + DECISION)
        for n in range(1, 4)
    ]
    marks = {mark.ref: mark.weight for mark in chatter.marks("", builds, BEGUN)}
    assert marks == {builds[1].ref: chatter.AGAIN, builds[2].ref: chatter.AGAIN}


def test_why_something_counts_less_is_the_same_on_any_day() -> None:
    runs = [
        thread(n, f"Nightly load run {n} of checkout on machine blue ended early") for n in (1, 2)
    ]
    for days in (0, 10, 400):
        marks = {m.ref: m for m in chatter.marks("", runs, BEGUN + days * DAY)}
        assert marks[runs[1].ref].why == chatter.REPEATED
        assert marks[runs[1].ref].weight <= chatter.AGAIN


def bump(number: int, subject: str, author: str = "dependabot[bot]") -> Commit:
    return commit_of("r", number, message=subject, author=author)


@pytest.mark.parametrize(
    ("subject", "author", "by_program"),
    [
        ("Bump pytest from 7.1 to 7.2", "Sam Ito", True),
        ("build(deps): bump the actions group with 2 updates", "Sam Ito", True),
        ("[pre-commit.ci] pre-commit autoupdate", "pre-commit-ci[bot]", True),
        ("Update plugin list", "pytest bot[bot]", True),
        ("Bump the timeout of the retry queue", "Sam Ito", False),
        ("Update dependency handling of the worker", "Sam Ito", False),
        ("Add a robot arm", "Abbott Ito", False),
    ],
)
def test_what_a_program_made(subject: str, author: str, by_program: bool) -> None:
    assert automatic.is_automatic(bump(1, subject, author)) == by_program


def test_of_a_series_the_last_counts_most() -> None:
    series = [bump(n, f"Bump pytest from 7.{n} to 7.{n + 1} (#{n})") for n in range(1, 4)]
    other = bump(9, "Bump ruff from 0.1 to 0.2")
    marks = {mark.ref: mark.weight for mark in automatic.marks("r", [*series, other])}
    assert [marks[commit.sha] for commit in (*series, other)] == [
        automatic.FOLLOWED,
        automatic.FOLLOWED,
        automatic.LAST,
        automatic.LAST,
    ]


def test_the_times_at_which_little_was_said_do_not_make_it_more() -> None:
    bare = thread(1, "lunch?\n\n+1\n\nok")
    dated = thread(
        1,
        "Sam Ito (29 November 2024 10:30): lunch?\n\nKim Noor (29 November 2024 10:32): +1\n\n"
        "Sam Ito (30 December 2024 11:35): ok",
    )
    assert chatter.substance_of(dated) == chatter.substance_of(bare)
