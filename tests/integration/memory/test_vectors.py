"""Vectors fill in behind the text, and search uses what is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes.memory.embedders.static import StaticEmbedder
from hermes.memory.hits import VectorSearch
from hermes.memory.memory import Memory
from hermes.memory.records import INDEX_TEXT_LIMIT, Filters, Kind, Repo
from hermes.memory.tables import vector_set
from hermes.tests.builders.records import batch_of, chunks_of, commit_of, sha_of
from hermes.tests.builders.words import WordEmbedder


@pytest.fixture
def words() -> WordEmbedder:
    """The embedder of these tests."""
    return WordEmbedder()


def filled(folder: Path, embedder: WordEmbedder, commits: int) -> Memory:
    """Return a memory with so many commits, open for writing."""
    memory = Memory.open(folder, embedder=embedder, write=True)
    repo = memory.index.add_repo("shop", "/shop/.git", None, None)
    memory.write(repo.id, *batch_of(repo.id, range(commits)))
    return memory


def test_messages_come_before_contexts_and_the_newest_first(
    folder: Path, words: WordEmbedder
) -> None:
    with filled(folder, words, 10) as memory:
        progress: list[tuple[int, int]] = []

        def note(done: int, total: int) -> None:
            progress.append((done, total))

        assert memory.fill_vectors(batch=4, on_progress=note) == 30
    for start, numbers in ((0, range(6, 10)), (4, range(2, 6)), (8, range(2))):
        some = words.seen[start : start + len(numbers)]
        assert set(some) == {f"change number{number}" for number in numbers}
    assert all("\n" in text for text in words.seen[10:])
    assert progress[0] == (0, 30)
    assert progress[-1] == (30, 30)
    assert progress == sorted(progress)


def test_half_filled_vectors_are_searched_and_the_rest_follows(
    folder: Path, words: WordEmbedder
) -> None:
    with filled(folder, words, 10) as memory:
        assert memory.fill_vectors(batch=4, should_stop=lambda: len(words.seen) >= 8) == 8
        assert (memory.stats().vectors, memory.stats().vectors_total) == (8, 30)
        question = words.embed_query("change number9")
        assert memory.store.search(VectorSearch(Kind.MESSAGE, question))[0][0].ref == sha_of(9)
        assert len(memory.store.search(VectorSearch(Kind.MESSAGE, question))[0]) == 8
        assert memory.fill_vectors() == 22
        assert memory.fill_vectors() == 0
        assert len(set(words.seen)) == 30
        assert memory.stats().vectors == 30


def test_new_commits_get_theirs_and_orphaned_ones_lose_them(
    folder: Path, words: WordEmbedder
) -> None:
    with filled(folder, words, 4) as memory:
        repo = memory.index.repos()[0].id
        memory.fill_vectors()
        memory.write(repo, *batch_of(repo, [4]))
        memory.orphan(repo, [sha_of(0)])
        assert memory.store.count_vectors() == 9
        assert memory.fill_vectors() == 3
        assert memory.store.count_vectors(repo) == 12
        question = words.embed_query("change number0")
        assert sha_of(0) not in {
            hit.ref for hit in memory.store.search(VectorSearch(Kind.MESSAGE, question))[0]
        }


def test_scores_are_cosines_and_filters_hold(folder: Path, words: WordEmbedder) -> None:
    with filled(folder, words, 20) as memory:
        memory.fill_vectors()
        question = words.embed_query("change number3")
        hits = memory.store.search(VectorSearch(Kind.MESSAGE, question, limit=5))[0]
        assert hits[0].score == pytest.approx(1.0, abs=1e-5)
        assert len(hits) == 5
        old = Filters(path="src/a3.py", refs=frozenset([sha_of(3), sha_of(10), sha_of(4)]))
        found = memory.store.search(VectorSearch(Kind.CONTEXT, question, old))[0]
        assert {hit.ref for hit in found} == {sha_of(3), sha_of(10)}


def test_a_question_of_another_dimension_finds_nothing(folder: Path, words: WordEmbedder) -> None:
    with filled(folder, words, 2) as memory:
        memory.fill_vectors()
        question = WordEmbedder(dimension=16).embed_query("change")
        assert memory.store.search(VectorSearch(Kind.MESSAGE, question))[0] == []


def test_without_an_embedder_there_are_no_vectors_and_stats_say_so(
    memory: Memory, repo: Repo
) -> None:
    memory.write(repo.id, *batch_of(repo.id, range(3)))
    assert memory.fill_vectors() == 0
    assert (memory.stats().embedder, memory.stats().vectors_total) == ("none", 0)
    assert memory.embedder is None


def test_long_texts_are_embedded_by_their_beginning(folder: Path, words: WordEmbedder) -> None:
    with Memory.open(folder, embedder=words, write=True) as memory:
        repo = memory.index.add_repo("shop", "/shop/.git", None, None)
        commit = commit_of(repo.id, 1, message="word " * 5000)
        memory.write(repo.id, [commit], chunks_of(commit, "x" * 9000))
        memory.fill_vectors()
    assert max(map(len, words.seen)) == INDEX_TEXT_LIMIT


def test_questions_go_to_the_embedder_whose_vectors_are_searched(
    folder: Path, words: WordEmbedder
) -> None:
    static = StaticEmbedder()
    with Memory.open(folder, embedder=static, write=True) as memory:
        repo = memory.index.add_repo("shop", "/shop/.git", None, None)
        memory.write(repo.id, *batch_of(repo.id, range(3)))
        memory.fill_vectors()
    with Memory.open(folder, embedder=words, write=True) as memory:
        asked = memory.embedder
        assert asked is not None
        assert vector_set(asked) == vector_set(static)
        assert (memory.stats().embedder, memory.stats().serving) == ("words", "static")
        memory.fill_vectors()
        assert memory.embedder is words


def test_a_former_embedder_that_is_gone_leaves_full_text(folder: Path) -> None:
    with filled(folder, WordEmbedder(name="former"), 3) as memory:
        memory.fill_vectors()
    with Memory.open(folder, embedder=WordEmbedder()) as reader:
        assert reader.embedder is None
