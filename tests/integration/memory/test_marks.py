"""What is marked in memory: kept, replaced, and honoured by recall."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hermes.memory.memory import Memory
from hermes.memory.recall import recall
from hermes.memory.records import DatedFact, Filters, Mark, Repo
from hermes.tests.builders.records import chunks_of, commit_of, sha_of

MAIN, PICKED, LATER, OTHER = (sha_of(number) for number in range(4))


@pytest.fixture
def shop(memory: Memory, repo: Repo) -> Memory:
    """A change on the main branch, the same one on a release branch, and two others."""
    messages = [
        "Retry failed payments",
        "Retry failed payments",
        "Count retries",
        "Drop the footer",
    ]
    for number, message in enumerate(messages):
        commit = commit_of(repo.id, number, message=message)
        memory.write(repo.id, [commit], chunks_of(commit))
    return memory


def found(memory: Memory, question: str, filters: Filters | None = None) -> list[str]:
    return [passage.chunk.ref for passage in recall(memory, question, filters).passages]


def folded(repo: Repo) -> Mark:
    return Mark(
        repo.id, PICKED, folded_into=MAIN, why="cherry-pick", branch="release-1.2", weight=1.0
    )


def ended(repo: Repo) -> Mark:
    return Mark(repo.id, MAIN, 0.8, ended=1_700_009_000, ended_by=OTHER, why="taken back")


def test_a_change_that_was_picked_is_shown_once_and_says_where_else_it_is(
    shop: Memory, repo: Repo
) -> None:
    assert found(shop, "retry failed payments")[:2] == [PICKED, MAIN]
    shop.index.marks.replace(repo.id, [folded(repo)])
    assert PICKED not in found(shop, "retry failed payments")
    first = recall(shop, "retry failed payments").passages[0]
    assert first.chunk.ref == MAIN
    assert [(twin.ref, twin.branch) for twin in first.twins] == [(PICKED, "release-1.2")]


def test_on_its_own_branch_a_picked_change_is_still_found(shop: Memory, repo: Repo) -> None:
    shop.index.marks.replace(repo.id, [folded(repo)])
    branch = Filters(refs=frozenset((PICKED, LATER)))
    assert found(shop, "retry failed payments", branch)[0] == PICKED


def test_a_picked_change_is_found_by_its_sha(shop: Memory, repo: Repo) -> None:
    shop.index.marks.replace(repo.id, [folded(repo)])
    passage = recall(shop, f"what is {PICKED[:10]}").passages[0]
    assert passage.chunk.ref == PICKED
    assert passage.mark == folded(repo)


def test_what_was_taken_back_scores_less_and_says_so(shop: Memory, repo: Repo) -> None:
    question = "retry failed payments"
    before = {p.chunk.ref: p.score for p in recall(shop, question).passages}
    shop.index.marks.replace(repo.id, [ended(repo)])
    after = {p.chunk.ref: p for p in recall(shop, question).passages}
    assert after[MAIN].mark == ended(repo)
    assert after[MAIN].score == pytest.approx(before[MAIN] * 0.8)
    assert after[PICKED].score == pytest.approx(before[PICKED])


def test_a_mark_of_one_repository_says_nothing_of_the_same_commit_in_another(
    shop: Memory, repo: Repo
) -> None:
    clone = shop.index.add_repo("clone", "/home/sam/clone/.git", None, None)
    shop.index.marks.replace(clone.id, [replace(folded(repo), repo=clone.id)])
    assert PICKED in found(shop, "retry failed payments")


def test_replacing_marks_leaves_other_repositories_alone_and_says_what_changed(
    shop: Memory, repo: Repo
) -> None:
    marks = shop.index.marks
    talk = Mark("", "slack:C1/1", weight=0.2, why="small talk")
    assert marks.replace("", [talk]) == 1
    assert marks.replace(repo.id, [folded(repo), ended(repo)]) == 2
    assert marks.replace(repo.id, [folded(repo), ended(repo)]) == 0
    assert marks.replace(repo.id, [replace(ended(repo), weight=0.7)]) == 2
    assert marks.all("") == [talk]
    counts = marks.counts()
    assert (counts.folded, counts.ended, counts.faded) == (0, 1, 1)
    with pytest.raises(ValueError, match="other repositories"):
        marks.replace(repo.id, [talk])


def test_what_a_commit_took_back_holds_again_as_soon_as_that_commit_is_dropped(
    shop: Memory, repo: Repo
) -> None:
    shop.index.marks.replace(repo.id, [ended(repo), folded(repo)])
    shop.orphan(repo.id, [OTHER])
    assert shop.index.marks.all(repo.id) == [folded(repo)]
    shop.orphan(repo.id, [MAIN])
    assert shop.index.marks.all(repo.id) == []
    assert found(shop, "retry failed payments")[0] == PICKED


def test_facts_are_told_by_their_subject_and_relation(memory: Memory, repo: Repo) -> None:
    facts = memory.index.facts
    doing = DatedFact("", "ticket:ENG-17", "state", "In Progress", 100, "linear:ENG-17", 200, "x")
    done = DatedFact("", "ticket:ENG-17", "state", "Done", 200, "linear:ENG-17")
    theirs = DatedFact(repo.id, "ticket:ENG-17", "assignee", "Kim", 150, "linear:ENG-17")
    assert facts.replace("", [doing, done]) == 2
    assert facts.replace("", [done, doing]) == 0
    assert facts.replace(repo.id, [theirs]) == 1
    assert facts.of("ticket:eng-17", relation="state") == [doing, done]
    assert facts.replace("", []) == 2
    assert facts.count() == 1
