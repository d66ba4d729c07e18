"""Filters and odd questions, on a real store."""

from __future__ import annotations

import numpy as np
import pytest

from hermes.memory.filters import REFS_IN_SQL
from hermes.memory.hits import TextSearch, VectorSearch
from hermes.memory.memory import Memory
from hermes.memory.records import FileChange, Filters, Kind, Repo
from hermes.tests.builders.records import START, batch_of, chunks_of, commit_of, sha_of


@pytest.fixture
def history(memory: Memory, repo: Repo) -> Repo:
    """Six commits by two people in two folders, ten minutes apart."""
    for number in range(6):
        name, email = (("Zoë O'Neil", "ZOE@Shop.org"), ("Sam Ito", "sam@x.org"))[number % 2]
        commit = commit_of(
            repo.id,
            number,
            author=name,
            email=email,
            files=[
                FileChange(f"worker/q{number}.py", "M"),
                FileChange("work_r/100%.py", "M"),
                FileChange(f"lib/deep/er/[{number}].js", "M"),
            ],
            time=START + 600 * number,
        )
        memory.write(repo.id, [commit], chunks_of(commit))
    return repo


@pytest.mark.parametrize("state", ["appended", "compacted", "indexed"])
@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (Filters(), 18),
        (Filters(source="git"), 18),
        (Filters(source="slack"), 0),
        (Filters(path="worker"), 6),
        (Filters(path="worker/"), 6),
        (Filters(path="./worker/q3.py"), 1),
        (Filters(path="work"), 0),
        (Filters(path="work_r/100%.py"), 6),
        (Filters(path="workar"), 0),
        (Filters(path="worker/*.py"), 6),
        (Filters(path="**/*.js"), 6),
        (Filters(path="*.js"), 0),
        (Filters(path="lib/*/er"), 6),
        (Filters(path="lib/**"), 6),
        (Filters(path="worker/q[0-2].py"), 3),
        (Filters(path="worker/q[!0-2].py"), 3),
        (Filters(path="it's"), 0),
        (Filters(author="o'neil"), 9),
        (Filters(author="ZOË"), 9),
        (Filters(author="shop.org"), 9),
        (Filters(author="_am"), 0),
        (Filters(author="%"), 0),
        (Filters(since=START + 1800), 9),
        (Filters(until=START + 1800), 9),
        (Filters(since=START + 600, until=START + 1200), 3),
        (Filters(refs=frozenset({sha_of(2), sha_of(4)})), 6),
        (Filters(refs=frozenset()), 0),
        (Filters(refs=frozenset(map(sha_of, range(4, 3000)))), 6),
        (Filters(repos=("nowhere",)), 0),
        (Filters(repos=("it's'--",)), 0),
        (Filters(path="worker", author="sam", since=START + 1), 3),
    ],
)
def test_filters_leave_what_they_say(
    memory: Memory,
    history: Repo,
    monkeypatch: pytest.MonkeyPatch,
    filters: Filters,
    found: int,
    state: str,
) -> None:
    if state == "indexed":  # as a large table is
        monkeypatch.setattr("hermes.memory.upkeep.INDEX_ROWS", 1)
    if state != "appended":
        memory.maintain(force=True)
    hits = memory.store.search(TextSearch(Kind.CONTEXT, "valu chang", filters, 100))[0]
    assert len(hits) == found
    if filters.refs is None or len(filters.refs) <= REFS_IN_SQL:
        messages = 0 if filters.path else found // 3
        assert memory.store.count_chunks(filters) == found + messages


@pytest.mark.parametrize(
    "terms", ["", " ", "'", '"', "AND (", "\x00", "*", "nothing-like-it", "x" * 5000, "日本"]
)
def test_odd_terms_find_nothing_and_hurt_nothing(memory: Memory, history: Repo, terms: str) -> None:
    assert memory.store.search(TextSearch(Kind.MESSAGE, terms))[0] == []


def test_the_best_match_comes_first_with_the_highest_score(memory: Memory, history: Repo) -> None:
    hits = memory.store.search(TextSearch(Kind.MESSAGE, "chang number4"))[0]
    assert hits[0].ref == sha_of(4)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_many_refs_are_sifted_from_as_long_a_list_as_it_takes(memory: Memory, repo: Repo) -> None:
    memory.write(repo.id, *batch_of(repo.id, range(1500)))
    old = frozenset(map(sha_of, range(1200)))
    hits = memory.store.search(TextSearch(Kind.MESSAGE, "chang", Filters(refs=old), 1100))[0]
    assert len(hits) == 1100
    assert {hit.ref for hit in hits} <= old


def test_without_vectors_a_vector_search_finds_nothing(memory: Memory, history: Repo) -> None:
    assert memory.store.search(VectorSearch(Kind.MESSAGE, np.ones(32, dtype=np.float32)))[0] == []
    assert memory.store.count_vectors() == 0


def test_ids_that_are_gone_are_left_out(memory: Memory, history: Repo) -> None:
    [hit] = memory.store.search(TextSearch(Kind.MESSAGE, "number2"))[0]
    memory.orphan(history.id, [hit.ref])
    assert memory.store.fetch([hit.id, "it's not an id"]) == {}
