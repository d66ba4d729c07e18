"""What to begin with: what costs most if it is forgotten."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from hermes.agents.brief.first_move import (
    ORDER,
    first_moves,
    question_of,
    related_to,
    with_related,
)
from hermes.agents.brief.records import Fact, Reference, Section
from hermes.memory.records import Chunk, Filters, Kind, Passage, Recollection


def fact(topic: str, weight: float = 1.0, move: str = "do it", key: str = "") -> Fact:
    return Fact(
        key or topic, Section.HALF_DONE, f"{topic} is so", weight=weight, topic=topic, move=move
    )


TABLE: list[tuple[list[Fact], str | None]] = [
    ([], None),
    ([fact("theme:queue", move="")], None),
    ([fact("unpushed", move="")], None),
    ([fact("main", move="look at it")], None),
    ([fact("flaky", move="")], None),
    ([fact("stash")], "stash"),
    ([fact("drift")], "drift"),
    ([fact("stash"), fact("drift")], "drift"),
    ([fact("drift"), fact("full_run")], "full_run"),
    ([fact("full_run"), fact("uncommitted")], "uncommitted"),
    ([fact("uncommitted"), fact("accepted")], "accepted"),
    ([fact("accepted"), fact("draft")], "draft"),
    ([fact("draft"), fact("unpushed")], "unpushed"),
    ([fact("unpushed"), fact("touched_branch")], "touched_branch"),
    ([fact("touched_branch"), fact("incident")], "incident"),
    ([fact("incident"), fact("review")], "review"),
    ([fact("review"), fact("touched_open")], "touched_open"),
    ([fact("touched_open"), fact("forced")], "forced"),
    ([fact("forced"), fact("red")], "red"),
    ([fact("red"), fact("operation")], "operation"),
    ([fact(topic) for topic in ORDER], "operation"),
    ([fact(topic) for topic in reversed(ORDER)], "operation"),
    ([fact("operation", move=""), fact("stash")], "stash"),
    ([fact("unpushed", 0.7), fact("uncommitted")], "uncommitted"),
    ([fact("unpushed", 0.7), fact("stash", 0.4)], "unpushed"),
    ([fact("unpushed", 1.1), fact("uncommitted", 1.4)], "unpushed"),
    ([fact("red", 1.2, key="old"), fact("red", 1.8, key="new")], "new"),
    ([fact("stash", key="b"), fact("stash", key="a")], "a"),
    ([fact("touched_open", 1.9), fact("uncommitted", 1.4), fact("draft")], "touched_open"),
]


@pytest.mark.parametrize(("facts", "key"), TABLE)
def test_the_first_move_is_what_costs_most_if_forgotten(facts: list[Fact], key: str | None) -> None:
    found = next(iter(first_moves(facts)), None)
    assert (None if found is None else found.key) == (None if key is None else f"first:{key}")


def test_one_thing_is_suggested_once() -> None:
    news, waits = fact("review", key="item:#482"), fact("waiting", key="open:#482")
    found = first_moves([replace(waits, behind=news.key), news])
    assert [each.key for each in found] == ["first:item:#482"]


def test_other_moves_stand_by_for_when_the_best_was_suggested_before() -> None:
    found = first_moves([fact("stash"), fact("red"), fact("draft"), fact("drift")])
    assert [each.key for each in found] == ["first:red", "first:draft", "first:drift"]
    assert [each.weight for each in found] == sorted((each.weight for each in found), reverse=True)


def test_an_operation_under_way_outweighs_what_is_new_also_when_it_was_suggested() -> None:
    one, two = first_moves([fact("operation"), fact("red")])
    assert one.weight / 2 > two.weight


def test_it_says_what_to_do_and_has_the_references_of_its_reason() -> None:
    reason = Fact(
        "red:shop:t",
        Section.HALF_DONE,
        "tests/test_retry.py::test_skew failed yesterday",
        references=(Reference("test", "tests/test_retry.py::test_skew"),),
        topic="red",
        repo="r1",
        move="look at test_skew first",
    )
    found = next(iter(first_moves([reason])), None)
    assert found is not None
    assert (found.section, found.text) == (Section.FIRST_MOVE, "look at test_skew first")
    assert found.references == reason.references
    assert (found.repo, found.details[0]) == ("r1", reason.text)


def passage(ref: str, title: str, body: str = "") -> Passage:
    text = f"{title}\n\n{body}"
    chunk = Chunk("id", "r1", "git", Kind.MESSAGE, ref, "", 0, "Alex", "a@b", 0, title, text, text)
    return Passage(chunk=chunk, score=1.0, arms={}, exact=None, also=())


def remembering(
    *passages: Passage, relevant: bool = True
) -> Callable[[str, Filters], Recollection]:
    def recall(question: str, filters: Filters) -> Recollection:
        return Recollection(passages, 0.9 if relevant else 0.1, relevant, {}, ())

    return recall


FIRST = Fact(
    "first:stash",
    Section.FIRST_MOVE,
    "take up the stash “retry with clock skew” again or drop it",
    references=(Reference("path", "queue/retry.py"), Reference("commit", "aaaaaaa", "a" * 40)),
    topic="first:stash",
    repo="r1",
)


def test_an_earlier_commit_that_bears_on_it_is_named() -> None:
    said = "Guard the retry fixture against clock skew"
    recall = remembering(passage("b" * 40, said, "In queue/retry.py."))
    found = with_related(FIRST, recall)
    assert found.text.endswith("; see “Guard the retry fixture against clock skew”")
    assert found.references[-1] == Reference("commit", "b" * 7, "b" * 40)


@pytest.mark.parametrize(
    "recall",
    [
        remembering(),
        remembering(
            passage("b" * 40, "Guard retries against clock skew", "retry.py"), relevant=False
        ),
        remembering(passage("b" * 40, "Rename the package", "In retry.py.")),
        # Words alone, without a name, are about anything.
        remembering(passage("b" * 40, "Guard the retry fixture against clock skew", "my_retry.py")),
        remembering(passage("b" * 40, "Update changelog: retry with clock skew", "retry.py")),
        remembering(passage("b" * 40, "Retry the download", "retry.py")),  # one word is an accident
        remembering(
            passage("a" * 40, "Guard the retry against clock skew", "retry.py")
        ),  # named already
    ],
)
def test_what_may_have_nothing_to_do_with_it_is_not(
    recall: Callable[[str, Filters], Recollection],
) -> None:
    assert with_related(FIRST, recall) is FIRST


def test_a_move_without_words_of_its_own_asks_nothing() -> None:
    bare = Fact(
        "first:uncommitted",
        Section.FIRST_MOVE,
        "go on with llm/cli.py: it is not committed",
        references=(Reference("path", "llm/cli.py"), Reference("branch", "main")),
    )
    assert question_of(bare) == ""
    assert related_to(bare, remembering(passage("b" * 40, "Rename llm cli"))) is None


def test_a_branch_and_a_test_are_words_to_look_for() -> None:
    one = Fact(
        "first:x",
        Section.FIRST_MOVE,
        "look at test_skew",
        references=(
            Reference("test", "tests/test_retry.py::test_skew"),
            Reference("branch", "fix/clock-skew"),
        ),
    )
    assert question_of(one) == "test_skew fix clock skew"
