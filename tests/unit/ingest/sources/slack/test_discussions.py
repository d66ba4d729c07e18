from __future__ import annotations

import random
from collections.abc import Iterable

import pytest

from hermes.ingest.sources.slack.discussions import (
    LONG,
    LONGEST,
    SILENCE,
    conversation,
    stretches,
    thread,
)
from hermes.ingest.sources.slack.messages import Message, Voice
from hermes.ingest.sources.slack.runs import LONGEST_RUN, whole_runs

NINE = 1_732_870_800
"""29 November 2024, 09:00:00 UTC."""


def said(at: int, voice: Voice = Voice.PERSON, *, answered: bool = False) -> Message:
    ts = f"{NINE + at}.000000"
    return Message(ts, ts, voice, "U1", {}, f"at {at}", answered=answered)


def answer(at: int, to: int, voice: Voice = Voice.PERSON) -> Message:
    return Message(f"{NINE + at}.000000", f"{NINE + to}.000000", voice, "U2", {}, f"at {at}")


def cut(times: Iterable[int]) -> list[list[int]]:
    return [[each.time - NINE for each in some] for some in stretches(map(said, times))]


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ([], []),
        ([0], [[0]]),
        ([0, 60, SILENCE + 59], [[0, 60, SILENCE + 59]]),
        ([0, 60, SILENCE + 60], [[0, 60], [SILENCE + 60]]),
        ([3_590, 3_610], [[3_590, 3_610]]),
    ],
)
def test_a_silence_ends_what_was_said_together(times: list[int], expected: list[list[int]]) -> None:
    assert cut(times) == expected


def test_a_long_stretch_ends_with_the_hour() -> None:
    times = [60 * minute for minute in range(100)]
    assert [len(each) for each in cut(times)] == [60, 40]
    assert [len(each) for each in cut(range(0, 60 * (LONG - 1), 60))] == [LONG - 1]


def test_no_stretch_is_longer_than_what_can_be_read_at_once() -> None:
    assert [len(each) for each in cut(range(LONGEST + 1))] == [LONGEST, 1]


def test_notices_and_programs_neither_join_nor_part() -> None:
    messages = [said(0), said(SILENCE - 1, Voice.NOBODY), said(SILENCE, Voice.PROGRAM)]
    assert [len(each) for each in stretches([*messages, said(SILENCE + 1)])] == [1, 1]


def test_what_was_answered_is_a_discussion_of_its_own_and_does_not_part_the_rest() -> None:
    (stretch,) = stretches([said(0, answered=True), said(SILENCE - 1), said(2 * SILENCE - 3)])
    talk = conversation(stretch)
    assert talk is not None
    assert [each.time - NINE for each in talk.messages] == [SILENCE - 1, 2 * SILENCE - 3]
    assert talk.ts == talk.messages[0].ts
    assert conversation([said(0, answered=True)]) is None


def test_a_reading_that_begins_behind_any_silence_finds_the_same_stretches() -> None:
    dice = random.Random(7)
    at, times = 0, list[int]()
    for _ in range(2_000):
        at += dice.choice([5, 30, 90, 200, 700, SILENCE, 5 * SILENCE])
        times.append(at)
    whole = {tuple(each) for each in cut(times)}
    for start in range(1, len(times)):
        if times[start] - times[start - 1] >= SILENCE:
            assert {tuple(each) for each in cut(times[start:])} <= whole


def test_what_is_added_at_the_end_leaves_what_earlier_stretches_are_called() -> None:
    dice = random.Random(11)
    at, times, names = 0, list[int](), set[int]()
    for _ in range(500):
        at += dice.choice([5, 30, 90, 400, SILENCE])
        times.append(at)
        now = {each[0] for each in cut(times)}
        assert names <= now
        names = now


def test_a_thread_is_kept_if_a_person_says_something_in_it() -> None:
    person, program = said(0), said(0, Voice.PROGRAM)
    gone = said(0, Voice.NOBODY)
    human, robot = answer(60, 0), answer(70, 0, Voice.PROGRAM)
    kept = {
        "person alone": thread(person.ts, person, []),
        "person answered": thread(person.ts, person, [human, robot]),
        "program answered": thread(program.ts, program, [human]),
        "deleted": thread(gone.ts, gone, [human]),
        "missing": thread(gone.ts, None, [human]),
        "program alone": thread(program.ts, program, [robot]),
        "nobody": thread(gone.ts, gone, []),
    }
    assert {name: len(each.messages) if each else 0 for name, each in kept.items()} == {
        "person alone": 1,
        "person answered": 2,
        "program answered": 2,
        "deleted": 1,
        "missing": 1,
        "program alone": 0,
        "nobody": 0,
    }
    assert {each.ts for each in kept.values() if each} == {person.ts}


def runs_of(times: list[int], low: int, end: bool = False) -> tuple[list[list[int]], list[int]]:
    held = [said(at) for at in times]
    runs, rest = whole_runs(held, NINE + low, end)
    return [[m.time - NINE for m in run] for run in runs], [m.time - NINE for m in rest]


def test_newest_first_only_what_a_silence_lies_before_is_whole() -> None:
    assert runs_of([9_000, 8_950, 5_000, 4_990], 4_990) == ([[9_000, 8_950]], [5_000, 4_990])
    assert runs_of([9_000, 8_950, 5_000, 4_990], 4_990, end=True) == (
        [[9_000, 8_950], [5_000, 4_990]],
        [],
    )
    assert runs_of([9_000], 9_000 - SILENCE) == ([[9_000]], [])
    assert runs_of([], 0) == ([], [])


def test_what_programs_were_answered_does_not_wait_for_people_to_speak() -> None:
    alert = said(500, Voice.PROGRAM, answered=True)
    assert whole_runs([alert], NINE + 500, end=False) == ([[alert]], [])


def test_of_talk_without_end_whole_hours_are_told() -> None:
    times = list(range(60 * LONGEST_RUN, -1, -60))
    (run,), rest = runs_of(times, 0)
    assert len(run) + len(rest) == len(times)
    assert rest and max(rest) < 3_600 <= min(run)
