"""Upkeep keeps the store small and its searches whole, and costs nothing when all is well."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hermes.memory.embedders.protocol import Vectors
from hermes.memory.hits import TextSearch, VectorSearch
from hermes.memory.memory import Memory
from hermes.memory.records import Kind, Repo
from hermes.memory.tables import CHUNKS, vector_set
from hermes.memory.upkeep import MAX_VERSIONS, size
from hermes.tests.builders.records import batch_of, sha_of
from hermes.tests.builders.words import WordEmbedder


def versions(folder: Path) -> int:
    """Return how many versions of the chunks table are on disk."""
    return len(list((folder / "lance" / "chunks.lance" / "_versions").glob("*.manifest")))


def nearest(memory: Memory, question: Vectors) -> set[str]:
    """Return the commits whose message has the question's very vector."""
    hits = memory.store.search(VectorSearch(Kind.MESSAGE, question))[0]
    return {hit.ref for hit in hits if hit.score > 0.999}


def test_many_small_appends_stay_within_twice_the_live_data(
    folder: Path, memory: Memory, repo: Repo
) -> None:
    for number in range(3 * MAX_VERSIONS):
        memory.write(repo.id, *batch_of(repo.id, [number]))
        memory.maintain()
        assert versions(folder) <= MAX_VERSIONS + 1
    before = size(folder / "lance")
    memory.maintain(force=True)
    assert before <= 2 * size(folder / "lance")
    assert versions(folder) <= 2
    assert (
        len(memory.store.search(TextSearch(Kind.MESSAGE, "chang", limit=1000))[0])
        == 3 * MAX_VERSIONS
    )


def test_there_is_nothing_to_do_right_after(memory: Memory, repo: Repo) -> None:
    memory.write(repo.id, *batch_of(repo.id, range(600)))
    report = memory.maintain()
    assert report.tables == (CHUNKS,)
    assert memory.maintain().tables == ()
    memory.write(repo.id, *batch_of(repo.id, [700]))
    assert memory.maintain().tables == ()


def test_new_rows_are_indexed_once_they_pile_up(memory: Memory, repo: Repo) -> None:
    memory.write(repo.id, *batch_of(repo.id, range(50)))
    memory.maintain(force=True)
    memory.write(repo.id, *batch_of(repo.id, range(50, 400)))
    assert memory.maintain().tables == (CHUNKS,)
    hits = memory.store.search(TextSearch(Kind.MESSAGE, "number7 number77 number377"))[0]
    assert {hit.ref for hit in hits} == {sha_of(number) for number in (7, 77, 377)}


def test_large_vector_tables_get_an_index_that_finds_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = WordEmbedder(dimension=256)
    with Memory.open(folder, embedder=words, write=True) as memory:
        repo = memory.index.add_repo("shop", "/shop/.git", None, None)
        memory.write(repo.id, *batch_of(repo.id, range(600)))
        memory.fill_vectors()
        monkeypatch.setattr("hermes.memory.upkeep.INDEX_VECTORS", 500)
        table = vector_set(words).table(Kind.MESSAGE)
        assert table in memory.maintain().indexed
        assert memory.maintain().indexed == ()
        question = words.embed_query("change number321")
        assert sha_of(321) in nearest(memory, question)
        memory.write(repo.id, *batch_of(repo.id, range(600, 620)))
        memory.fill_vectors()
        question = words.embed_query("change number611")
        assert sha_of(611) in nearest(memory, question)
        memory.write(repo.id, *batch_of(repo.id, range(620, 2500)))
        memory.fill_vectors()
        assert table in memory.maintain().indexed  # grown fourfold: made anew
        assert len(memory.store.table(table).list_indices()) == 1  # type: ignore[union-attr]
        question = words.embed_query("change number1999")
        assert sha_of(1999) in nearest(memory, question)


def test_what_a_killed_writer_left_unfinished_is_swept_away(
    folder: Path, memory: Memory, repo: Repo
) -> None:
    memory.write(repo.id, *batch_of(repo.id, range(5)))
    memory.close()
    leftover = folder / "lance" / "chunks.lance" / "data" / ".tmpAbc123"
    leftover.write_bytes(os.urandom(100))
    (folder / "lance" / "vectors_words_64_1_message.lance" / "data").mkdir(parents=True)
    with Memory.open(folder, embedder=None, write=True) as again:
        assert not leftover.exists()
        assert again.store.table_names() == [CHUNKS]
        assert again.check() == []
