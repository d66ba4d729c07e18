"""Which of what was found is shown, and what is said of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from hermes.memory.records import Mark
from hermes.memory.standing import said_of, stand

MAIN, PICKED, OTHER = "1" * 40, "2" * 40, "3" * 40


def shown(
    found: Mapping[str, float],
    *marks: Mark,
    k: int = 8,
    named: Sequence[str] = (),
    exact: Sequence[str] = (),
) -> list[str]:
    by_ref = {mark.ref: mark for mark in marks}
    ranked = sorted(
        (((0 if ref in exact else -1, score), ref) for ref, score in found.items()), reverse=True
    )

    def marks_of(refs: Sequence[str]) -> dict[str, Mark]:
        return {ref: by_ref[ref] for ref in refs if ref in by_ref}

    return [ref for ref, _ in stand(ranked, k, marks_of, named)]


def folded(ref: str, into: str = MAIN) -> Mark:
    return Mark("r", ref, folded_into=into, why="cherry-pick", branch="release-1.2")


def test_what_is_folded_gives_way_to_the_one_that_stands_for_it() -> None:
    assert shown({PICKED: 2.0, MAIN: 1.9, OTHER: 1.0}, folded(PICKED)) == [MAIN, OTHER]


def test_what_is_folded_is_shown_where_the_one_that_stands_for_it_was_not_found() -> None:
    assert shown({PICKED: 2.0, OTHER: 1.0}, folded(PICKED)) == [PICKED, OTHER]


def test_of_several_that_say_the_same_one_is_shown() -> None:
    marks = [folded("a"), folded("b"), folded("c")]
    assert shown({"a": 3.0, "b": 2.0, "c": 1.0}, *marks) == ["a"]


def test_a_commit_that_the_question_names_is_shown_although_it_is_folded() -> None:
    found = {PICKED: 2.0, MAIN: 1.0}
    assert shown(found, folded(PICKED), named=[PICKED]) == [PICKED, MAIN]


def test_a_weight_lowers_the_score_but_never_under_what_is_not_matched_to_the_letter() -> None:
    faded = Mark("r", "a", weight=0.2)
    assert shown({"a": 2.0, "b": 1.0}, faded) == ["b", "a"]
    assert shown({"a": 2.0, "b": 1.0}, faded, exact=["a"]) == ["a", "b"]


@pytest.mark.parametrize("k", [0, 1, 3, 10])
def test_of_very_many_the_best_are_found_as_if_all_had_been_looked_at(k: int) -> None:
    found = {f"r{n}": 1000.0 - n for n in range(300)}
    marks = [Mark("r", f"r{n}", weight=0.5 if n % 3 else 0.9) for n in range(250)]
    weights = {mark.ref: mark.weight for mark in marks}
    everything = sorted(found, key=lambda ref: -found[ref] * weights.get(ref, 1.0))
    assert shown(found, *marks, k=k) == everything[:k]


def test_what_was_taken_back_says_by_what_and_when() -> None:
    mark = Mark("r", MAIN, 0.8, ended=1_747_008_000, ended_by=OTHER, why="taken back")
    assert said_of(mark) == "taken back by 3333333333 on 2025-05-12"


def test_what_stands_for_others_says_where_they_are() -> None:
    twins = [folded(PICKED), Mark("r", OTHER, folded_into=MAIN, why="copy")]
    assert said_of(None, twins) == "also on release-1.2 as 2222222222, as 3333333333"


def test_of_very_many_others_a_few_are_named() -> None:
    twins = [folded(f"{n}" * 40) for n in range(6)]
    assert said_of(None, twins).endswith("as 2222222222, 3 more times")


def test_a_ticket_says_when_it_was_closed_and_not_by_itself() -> None:
    mark = Mark("", "linear:ENG-17", ended=1_747_008_000, ended_by="linear:ENG-17", why="closed")
    assert said_of(mark) == "closed on 2025-05-12"


def test_there_is_nothing_to_say_of_most() -> None:
    assert said_of(None) == said_of(Mark("r", MAIN, weight=0.5)) == ""
