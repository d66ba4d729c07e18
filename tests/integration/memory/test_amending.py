"""What a person edits, takes back or deletes by hand holds in the store, and over every reading."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hermes.ingest.items import chunks_of
from hermes.memory.amending import amend
from hermes.memory.edits import Edit, Stage
from hermes.memory.errors import HermesError
from hermes.memory.forgetting_rules import RuleKind, ref_rule
from hermes.memory.hits import TextSearch, VectorSearch
from hermes.memory.lookup import look_up
from hermes.memory.memory import Memory
from hermes.memory.records import Chunk, Kind
from hermes.tests.builders.items import thread, ticket
from hermes.tests.builders.records import batch_of, sha_of
from hermes.tests.builders.words import WordEmbedder

AT = 1_800_000_000


@pytest.fixture
def held(folder: Path) -> Memory:
    """A memory with ten commits, a discussion and their vectors."""
    memory = Memory.open(folder, embedder=WordEmbedder(), write=True)
    repo = memory.index.add_repo("shop", "/shop/.git", None, None).id
    memory.write(repo, *batch_of(repo, range(10)))
    memory.write_items([thread(1)], chunks_of(thread(1)))
    memory.fill_vectors()
    return memory


def repo_of(memory: Memory) -> str:
    [repo] = memory.index.repos()
    return repo.id


def message_of(memory: Memory, number: int) -> Chunk:
    [chunk] = [c for c in batch_of(repo_of(memory), [number])[1] if not c.path]
    return memory.store.fetch((chunk.id,))[chunk.id]


def no_original(edit: Edit) -> Chunk:
    raise HermesError("git is away")


def refs(memory: Memory, terms: str) -> list[str]:
    return [hit.ref for hit in memory.store.search(TextSearch(Kind.MESSAGE, terms))[0]]


def test_an_edited_piece_is_found_by_its_new_words_and_says_that_it_was_edited(
    held: Memory,
) -> None:
    with held as memory:
        before = message_of(memory, 3)
        memory.index.edits.put(before, "zebras cross\n\nas they like", AT)
        assert message_of(memory, 3) == before
        assert amend(memory, no_original).edited == 1
        after = message_of(memory, 3)
        assert after == replace(
            before,
            title="zebras cross",
            text="zebras cross\n\nas they like",
            index_text="zebras cross\n\nas they like",
            edited=AT,
        )
        assert refs(memory, "zebra") == [sha_of(3)]
        assert refs(memory, "number3") == []
        assert memory.fill_vectors() == 1
        question = WordEmbedder().embed_query("zebras cross")
        assert memory.store.search(VectorSearch(Kind.MESSAGE, question))[0][0].ref == sha_of(3)
        assert memory.check() == []
        assert memory.index.edits.pending() == []


def test_a_file_of_a_commit_and_a_discussion_can_be_edited_too(held: Memory) -> None:
    with held as memory:
        file = next(chunk for chunk in batch_of(repo_of(memory), [3])[1] if chunk.path == "doc.md")
        [said] = chunks_of(thread(1))
        memory.index.edits.put(file, "nothing to see", AT)
        memory.index.edits.put(said, "the giraffe was told", AT)
        amend(memory, no_original)
        [hit] = memory.store.search(TextSearch(Kind.CONTEXT, "see"))[0]
        assert (hit.ref, hit.path) == (sha_of(3), "doc.md")
        assert refs(memory, "giraff") == [thread(1).ref]
        assert memory.store.fetch((said.id,))[said.id].title == said.title
        assert memory.check() == []


def test_an_edit_holds_when_its_commit_and_its_discussion_are_read_again(held: Memory) -> None:
    with held as memory:
        repo, [said] = repo_of(memory), chunks_of(thread(1))
        memory.index.edits.put(message_of(memory, 3), "zebras", AT)
        memory.index.edits.put(said, "giraffes", AT)
        amend(memory, no_original)
        memory.orphan(repo, [sha_of(3)])
        memory.write(repo, *batch_of(repo, range(10)))
        memory.delete_items([thread(1).ref])
        memory.write_items([thread(1)], chunks_of(thread(1)))
        assert message_of(memory, 3).text == "zebras"
        assert message_of(memory, 3).edited == AT
        assert memory.store.fetch((said.id,))[said.id].text == "giraffes"
        assert memory.check() == []


def test_what_was_edited_can_be_had_back_and_what_can_not_stays_edited(held: Memory) -> None:
    with held as memory:
        before = [message_of(memory, number) for number in (3, 4)]
        for chunk in before:
            memory.index.edits.put(chunk, "zebras", AT)
        amend(memory, no_original)
        for chunk in before:
            memory.index.edits.undo(chunk.id)
        assert message_of(memory, 3).edited == AT

        def original(edit: Edit) -> Chunk:
            return before[0] if edit.chunk == before[0].id else no_original(edit)

        report = amend(memory, original)
        assert report.restored == 1
        assert report.failed == {before[1].id: "git is away"}
        assert message_of(memory, 3) == before[0]
        assert message_of(memory, 4).text == "zebras"
        assert memory.index.edits.of([before[1].id])[before[1].id].stage is Stage.DONE


def test_an_edit_that_was_killed_on_the_way_is_carried_out_by_the_next_writer(
    held: Memory, folder: Path
) -> None:
    chunk = message_of(held, 3)
    held.index.edits.put(chunk, "zebras", AT)
    held.store.delete_ids([])  # nothing was done yet
    held.close()
    with Memory.open(folder, embedder=WordEmbedder(), write=True) as again:
        amend(again, no_original)
        amend(again, no_original)
        assert message_of(again, 3).text == "zebras"
        assert again.check() == []


def test_a_deleted_piece_stays_away_and_nothing_counts_as_damaged(
    held: Memory, folder: Path
) -> None:
    repo, chunk = repo_of(held), message_of(held, 3)
    [said] = chunks_of(thread(1))
    for each in (chunk, said):
        held.index.withheld.add(RuleKind.CHUNK, each.id)
    assert amend(held, no_original).deleted == 2
    assert held.store.fetch((chunk.id, said.id)) == {}
    assert held.check() == []
    assert len(held.index.known(repo)) == 10
    held.close()
    with Memory.open(folder, embedder=WordEmbedder(), write=True) as again:
        again.orphan(repo, [sha_of(3)])
        again.write(repo, *batch_of(repo, range(10)))
        again.write_items(
            [thread(1, "thread number1\nand more")],
            chunks_of(thread(1, "thread number1\nand more")),
        )
        assert again.store.fetch((chunk.id, said.id)) == {}
        assert refs(again, "number3") == []
        assert again.check() == []
        assert again.store.count_mine() == 29


def test_a_deleted_commit_is_gone_with_all_its_parts_and_is_not_read_again(
    held: Memory, folder: Path
) -> None:
    repo = repo_of(held)
    held.index.withheld.add(RuleKind.REF, ref_rule(repo, sha_of(3)))
    held.index.withheld.add(RuleKind.REF, ref_rule("", thread(1).ref))
    assert amend(held, no_original).deleted == 2
    assert held.store.count_mine() == 27
    assert held.index.commit(repo, sha_of(3)) is None
    assert held.index.items.get(thread(1).ref) is None
    assert held.check() == []
    held.close()
    with Memory.open(folder, embedder=WordEmbedder(), write=True) as again:
        assert sha_of(3) in again.index.known(repo)
        again.write(repo, *batch_of(repo, range(10)))
        again.write_items([thread(1)], chunks_of(thread(1)))
        assert again.store.count_mine() == 27
        assert again.check() == []


def test_an_id_is_looked_up_by_its_start_a_sha_a_key_or_a_reference(held: Memory) -> None:
    with held as memory:
        repo = repo_of(memory)
        done = ticket("ENG-17", "Retries")
        memory.write_items([done], chunks_of(done))
        chunk = message_of(memory, 3)
        for text, kind in (
            (chunk.id, "chunk"),
            (chunk.id[:8].upper(), "chunk"),
            (sha_of(3), "commit"),
            (sha_of(3)[:7], "commit"),
            (thread(1).ref, "item"),
            ("eng-17", "item"),
        ):
            [named] = look_up(memory, text)
            assert named.kind == kind, text
            assert named.repo == (repo if kind != "item" else "")
        assert look_up(memory, chunk.id[:6]) == []
        assert look_up(memory, "0" * 32) == []
        assert look_up(memory, "ENG-18") == []


def test_what_an_id_may_mean_in_several_repositories_is_all_told(held: Memory) -> None:
    with held as memory:
        fork = memory.index.add_repo("fork", "/fork/.git", None, None).id
        memory.write(fork, *batch_of(fork, range(3)))
        assert {named.repo for named in look_up(memory, sha_of(2))} == {repo_of_first(memory), fork}
        assert [named.repo for named in look_up(memory, sha_of(2), (fork,))] == [fork]


def repo_of_first(memory: Memory) -> str:
    return next(repo.id for repo in memory.index.repos() if repo.name == "shop")
