"""What is remembered of drift: what is shown, what is held, and what a person said."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from hermes.memory.drift import MOST_OPEN, Edit, Found, NoSuchProposal, Proposals, State
from hermes.memory.work import Work

FOUND = Found(
    document="README.md",
    thing="flag",
    name="--fast",
    tier="certain",
    reason="the option --fast was removed from shop/cli.py by 3f2a9c1",
    lines=(12,),
    texts=("Use `--fast`.",),
    keys=("k1",),
    loose=("l1",),
    rank=0,
    digest="d",
    edits=(Edit(12, ("Use `--fast`.\n",), ("Use `--quick`.\n",)),),
    by="rule",
)


@pytest.fixture
def proposals(tmp_path: Path) -> Generator[Proposals]:
    work = Work(tmp_path / "work.db")
    yield work.proposals
    work.close()


def _many(count: int) -> list[Found]:
    return [replace(FOUND, name=f"--f{n}", keys=(f"k{n}",), rank=n) for n in range(count)]


def test_what_is_stored_comes_back_as_it_was_also_with_names_that_are_no_text(
    proposals: Proposals,
) -> None:
    odd = replace(FOUND, document="caf\udce9.md")
    (number,) = proposals.put("r1", [odd], 5.0)
    found = proposals.get(number)
    assert (found.found, found.state, found.at, found.repo) == (odd, State.OPEN, 5.0, "r1")


def test_the_same_drift_keeps_its_number_and_is_brought_up_to_date(proposals: Proposals) -> None:
    (number,) = proposals.put("r1", [FOUND], 1.0)
    assert proposals.put("r1", [replace(FOUND, lines=(14,))], 2.0) == []
    assert proposals.get(number).found.lines == (14,)


def test_at_most_five_are_open_and_the_next_best_moves_up(proposals: Proposals) -> None:
    numbers = proposals.put("r1", _many(MOST_OPEN + 2), 1.0)
    opened = proposals.find("r1", [State.OPEN])
    assert [each.found.rank for each in opened] == [0, 1, 2, 3, 4]
    proposals.close(numbers[1], State.GONE, 2.0)
    opened = proposals.find("r1", [State.OPEN])
    assert [each.found.rank for each in opened] == [0, 2, 3, 4, 5]
    assert [each.found.rank for each in proposals.find("r1", [State.HELD])] == [6]


def test_a_better_one_takes_the_place_of_one_that_is_open(proposals: Proposals) -> None:
    proposals.put("r1", _many(MOST_OPEN), 1.0)
    proposals.put("r1", [replace(FOUND, name="--best", rank=-1)], 2.0)
    assert [each.found.rank for each in proposals.find("r1", [State.OPEN])] == [-1, 0, 1, 2, 3]


def test_each_repository_has_its_own_five(proposals: Proposals) -> None:
    proposals.put("r1", _many(MOST_OPEN), 1.0)
    proposals.put("r2", _many(2), 1.0)
    assert len(proposals.find("r2", [State.OPEN])) == 2
    assert len(proposals.find(None, [State.OPEN])) == MOST_OPEN + 2


def test_a_dismissal_is_remembered_by_the_lines_it_was_said_of(proposals: Proposals) -> None:
    (number,) = proposals.put("r1", [replace(FOUND, keys=("k1", "k2"), loose=("l1", "l2"))], 1.0)
    proposals.dismiss(number, 2.0, "it is an example")
    assert proposals.dismissed("r1") == {"k1", "k2", "l1", "l2"}
    assert proposals.dismissed("r2") == frozenset()
    closed = proposals.get(number)
    assert (closed.state, closed.why) == (State.DISMISSED, "it is an example")


def test_what_was_accepted_and_is_wrong_still_is_open_again(proposals: Proposals) -> None:
    (number,) = proposals.put("r1", [FOUND], 1.0)
    proposals.close(number, State.ACCEPTED, 2.0)
    assert proposals.put("r1", [FOUND], 3.0) == []
    assert proposals.get(number).state is State.OPEN


def test_what_was_committed_and_is_wrong_once_more_is_something_new(proposals: Proposals) -> None:
    (number,) = proposals.put("r1", [FOUND], 1.0)
    proposals.close(number, State.ACCEPTED, 2.0, "committed")
    assert proposals.put("r1", [FOUND], 3.0) == [number + 1]


def test_how_far_a_branch_was_checked_is_remembered(proposals: Proposals) -> None:
    assert proposals.checked("r1", "main") is None
    proposals.set_checked("r1", "main", "a" * 40, 1.0)
    proposals.set_checked("r1", "side", "b" * 40, 2.0)
    assert proposals.checked("r1", "main") == "a" * 40


def test_nothing_grows_without_end(proposals: Proposals) -> None:
    for number in proposals.put("r1", _many(450), 1.0):
        proposals.close(number, State.GONE, 2.0)
    assert len(proposals.find("r1", list(State), 1_000)) == 200
    proposals.put("r1", _many(600), 3.0)
    assert len(proposals.find("r1", list(State), 1_000)) == 700
    for n in range(150):
        proposals.set_checked("r1", f"b{n}", "a" * 40, float(n))
    assert proposals.checked("r1", "b0") is None
    assert proposals.checked("r1", "b149") is not None


def test_a_repository_is_forgotten_whole(proposals: Proposals) -> None:
    (number,) = proposals.put("r1", [FOUND], 1.0)
    proposals.dismiss(number, 2.0)
    proposals.set_checked("r1", "main", "a" * 40, 1.0)
    proposals.forget("r1")
    assert proposals.find("r1", list(State)) == []
    assert proposals.dismissed("r1") == frozenset()
    assert proposals.checked("r1", "main") is None


def test_a_number_that_nothing_has_is_said(proposals: Proposals) -> None:
    with pytest.raises(NoSuchProposal, match="there is no D7"):
        proposals.get(7)
