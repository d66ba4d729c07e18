"""Discussions and tickets in memory: written whole, replaced whole, and made again when damaged."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from hermes.ingest.items import chunks_of, restore, take_in
from hermes.memory.errors import ReadOnly
from hermes.memory.hits import TextSearch
from hermes.memory.intents import Action
from hermes.memory.memory import Memory
from hermes.memory.recall import recall
from hermes.memory.records import Filters, Item, ItemKind, Kind, Link, LinkKind, Repo
from hermes.memory.tables import CHUNKS
from hermes.memory.tokens import terms
from hermes.tests.builders.items import thread, ticket
from hermes.tests.builders.records import batch_of
from hermes.tests.builders.secrets import planted
from hermes.tests.integration.memory.test_killed import kill_after

LONG = "why\n" + "a line of some words\n" * 1000
"""The text of a discussion of three chunks."""


def write(memory: Memory, *items: Item) -> int:
    return memory.write_items(items, [chunk for item in items for chunk in chunks_of(item)])


def found(memory: Memory, words: str) -> list[str]:
    """The references of the chunks that hold these words, in order."""
    search = TextSearch(Kind.MESSAGE, " ".join(terms(words)))
    return sorted(hit.ref for hit in memory.store.search(search)[0])


def agrees(memory: Memory) -> bool:
    """Whether the memory agrees with itself and holds no chunk twice."""
    ids: list[str] = memory.store.column(CHUNKS, "id").to_pylist()
    return (
        memory.index.intents.pending() == []
        and memory.check() == []
        and len(ids) == len(set(ids)) == memory.index.counts()[1]
    )


def test_a_discussion_is_found_by_its_words(memory: Memory) -> None:
    item = thread(1, "Why does the retry queue grow?\nKim Noor: because nothing drains it")
    assert write(memory, item, thread(2)) == 2
    assert found(memory, "drains") == [item.ref]
    assert memory.index.items.get(item.ref) == item
    assert agrees(memory)


def test_what_is_given_again_changes_nothing(memory: Memory) -> None:
    items = [thread(1), thread(2, LONG), ticket("ENG-17", "Retry queue", "")]
    assert write(memory, *items) == 3
    before = memory.store.connection.open_table(CHUNKS).version
    assert write(memory, *items) == 0
    assert write(memory, *reversed(items), items[0]) == 0
    assert memory.store.connection.open_table(CHUNKS).version == before


def test_an_item_that_says_something_else_has_other_chunks(memory: Memory) -> None:
    write(memory, thread(1, LONG), thread(2))
    assert memory.store.count_chunks() == 4
    assert write(memory, thread(1, "all of it is deleted"), thread(2)) == 1
    assert found(memory, "deleted") == [thread(1).ref]
    assert found(memory, "words") == []
    assert memory.store.count_chunks() == 2
    assert agrees(memory)


def test_a_ticket_that_is_closed_keeps_its_chunks(memory: Memory) -> None:
    item = ticket("ENG-17", "Retry queue grows")
    write(memory, item)
    before = memory.store.connection.open_table(CHUNKS).version
    assert write(memory, replace(item, state="Done", closed=item.time + 9)) == 1
    assert memory.store.connection.open_table(CHUNKS).version == before
    read = memory.index.items.get(item.ref)
    assert read is not None
    assert read.state == "Done"


def test_a_discussion_that_is_found_to_belong_to_a_repository_moves_there(
    memory: Memory, repo: Repo
) -> None:
    write(memory, thread(1, LONG))
    write(memory, thread(1, LONG, repo=repo.id))
    assert memory.store.count_mine(repo.id) == memory.store.count_chunks() == 3
    assert agrees(memory)


def test_deleted_items_are_gone_with_their_chunks(memory: Memory) -> None:
    write(memory, thread(1, LONG), thread(2))
    memory.delete_items([thread(1).ref, "slack:never/there"])
    assert memory.index.items.refs() == [thread(2).ref]
    assert memory.store.count_chunks() == 1
    assert agrees(memory)


def test_a_repository_is_forgotten_with_its_items(memory: Memory, repo: Repo) -> None:
    memory.write(repo.id, *batch_of(repo.id, range(3)))
    write(memory, thread(1, repo=repo.id), thread(2))
    memory.forget_repo(repo.id)
    assert memory.index.items.refs() == [thread(2).ref]
    assert found(memory, "thread") == [thread(2).ref]
    assert agrees(memory)


@pytest.mark.parametrize("stray", [thread(2), thread(1, repo="elsewhere"), thread(1, source="irc")])
def test_chunks_of_another_item_or_place_are_refused(memory: Memory, stray: Item) -> None:
    with pytest.raises(ValueError, match="of its batch"):
        memory.write_items([thread(1)], [replace(chunks_of(stray)[0], ref=stray.ref)])
    assert memory.store.count_chunks() == 0


def test_a_reader_may_not_write_items(folder: Path, memory: Memory) -> None:
    with Memory.open(folder, embedder=None) as reader:
        with pytest.raises(ReadOnly):
            write(reader, thread(1))
        with pytest.raises(ReadOnly):
            reader.delete_items([thread(1).ref])


# Secrets


def test_secrets_that_somebody_pasted_are_not_kept(folder: Path, memory: Memory) -> None:
    secrets = planted(7)
    items = [
        thread(number, f"{secret.line}\nKim Noor: thanks\n{secret.line}")
        for number, secret in enumerate(secrets)
    ]
    report = take_in(memory, items)
    assert report.news == len(items)
    assert report.redacted >= len(items)
    memory.close()
    everything = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert [secret.kind for secret in secrets if secret.secret.encode() in everything] == []


# Killed, damaged, rebuilt


@pytest.mark.parametrize("step", range(4))
def test_a_write_of_items_cut_after_any_step_can_be_done_again(
    folder: Path, memory: Memory, step: int
) -> None:
    write(memory, thread(0), thread(1, "as before"))
    now = [thread(1, LONG), thread(2)]
    chunks = [chunk for item in now for chunk in chunks_of(item)]
    memory.index.intents.begin("", Action.WRITE_ITEMS, [item.ref for item in now])
    if step > 0:
        memory.store.delete_refs("", [item.ref for item in now])
    if step > 1:
        memory.store.append(chunks[: 2 if step == 2 else None])
    memory.close()
    with Memory.open(folder, embedder=None, write=True) as again:
        assert agrees(again)
        assert restore(again) == 1
        assert found(again, "before") == [thread(1).ref]
        assert agrees(again)
        write(again, *now)
        assert found(again, "words") == [thread(1).ref] * 3
        assert agrees(again)


@pytest.mark.parametrize("deleted", [False, True])
def test_a_deletion_of_items_cut_after_any_step_is_finished(
    folder: Path, memory: Memory, deleted: bool
) -> None:
    write(memory, thread(1, LONG), thread(2))
    memory.index.intents.begin("", Action.DELETE_ITEMS, [thread(1).ref])
    if deleted:
        memory.store.delete_refs("", [thread(1).ref])
    memory.close()
    with Memory.open(folder, embedder=None, write=True) as again:
        assert again.index.items.refs() == [thread(2).ref]
        assert agrees(again)


@pytest.mark.parametrize("harm", ["less", "more"])
def test_items_whose_chunks_are_lost_or_there_twice_are_made_whole_again(
    folder: Path, memory: Memory, repo: Repo, harm: str
) -> None:
    memory.write(repo.id, *batch_of(repo.id, range(3)))
    write(memory, thread(1, LONG), thread(2), thread(3, repo=repo.id))
    if harm == "less":
        memory.store.delete_refs(("", repo.id), [thread(1).ref, thread(3).ref])
    else:
        memory.store.append(chunks_of(thread(1, LONG))[:1] + chunks_of(thread(3, repo=repo.id)))
    [finding] = memory.check()
    assert finding.problem.startswith("2 discussions or tickets have more or fewer")
    memory.close()
    with Memory.open(folder, embedder=None, write=True) as again:
        assert len(again.index.known(repo.id)) == 3
        assert restore(again) == 2
        assert found(again, "words") == [thread(1).ref] * 3
        assert agrees(again)


def test_a_rebuild_makes_the_chunks_of_items_again(
    folder: Path, memory: Memory, repo: Repo
) -> None:
    items = [thread(1, LONG), thread(2, repo=repo.id), ticket("ENG-17", "Retry queue grows")]
    write(memory, *items)
    memory.close()
    Memory.rebuild(folder)
    with Memory.open(folder, embedder=None, write=True) as again:
        assert again.store.count_chunks() == 0
        assert agrees(again)
        assert restore(again) == 3
        assert restore(again) == 0
        assert found(again, "retry") == ["linear:ENG-17"]
        assert again.index.items.get_all([i.ref for i in items]) == {i.ref: i for i in items}
        assert agrees(again)


WRITER = """
    import sys
    from pathlib import Path
    from hermes.ingest.items import chunks_of, restore
    from hermes.memory.memory import Memory
    from hermes.tests.builders.items import thread

    folder, count = Path(sys.argv[1]), int(sys.argv[2])
    with Memory.open(folder, embedder=None, write=True, wait=10) as memory:
        print("ready", flush=True)
        restore(memory)
        for turn in range(10_000):
            items = [thread(n, f"number{n} in turn {turn % 4}") for n in range(turn % 5, count, 3)]
            memory.write_items(items, [chunk for item in items for chunk in chunks_of(item)])
            if turn % 3 == 2:
                memory.delete_items([thread(n).ref for n in range(turn % 7, count, 9)])
            if turn % 5 == 4:
                memory.maintain(force=True)
"""


def test_a_writer_of_items_killed_at_random_moments_never_leaves_half_a_batch(folder: Path) -> None:
    items = [thread(n) for n in range(40)]
    for turn in range(8):
        moment = random.Random(turn).uniform(0, 0.3)
        kill_after(WRITER, [str(folder), str(len(items))], moment)
        with Memory.open(folder, embedder=None, write=True) as memory:
            assert agrees(memory), f"killed after {moment:.3f} s"
            restore(memory)
            assert agrees(memory), f"killed after {moment:.3f} s, and restored"
    with Memory.open(folder, embedder=None, write=True) as memory:
        take_in(memory, items)
        assert len(found(memory, "thread")) == len(items)
        assert agrees(memory)


def test_a_document_is_found_by_its_path_and_what_has_none_is_not(
    memory: Memory, repo: Repo
) -> None:
    talk = thread(1, "Why does the retry queue grow?")
    path = "docs/adr/0007-retry.md"
    record = replace(
        thread(2, "# Retry\n\nThe retry queue has an end.", repo=repo.id),
        source="docs",
        ref=f"docs:{repo.id}/{path}",
        kind=ItemKind.DOCUMENT,
        path=path,
    )
    take_in(memory, [talk, record])

    def refs(place: str | None) -> list[str]:
        found = recall(memory, "retry queue", Filters(path=place))
        return sorted(passage.chunk.ref for passage in found.passages)

    assert refs(None) == [record.ref, talk.ref]
    assert refs("docs") == refs(path) == refs("docs/**/*.md") == [record.ref]
    assert refs("src") == []


def test_links_are_news_and_chunks_stay(memory: Memory) -> None:
    write(memory, thread(1))
    before = memory.store.connection.open_table(CHUNKS).version
    led = replace(thread(1), links=(Link(LinkKind.COMMIT, "4f1c2d9"),))
    assert write(memory, led) == 1
    assert write(memory, led) == 0
    assert memory.store.connection.open_table(CHUNKS).version == before
    assert memory.index.items.get(led.ref) == led


def test_what_is_open_and_somebody_takes_part_in_is_found_by_name_or_address(
    memory: Memory,
) -> None:
    mine = replace(ticket("#1", "Mine", source="github"), kind=ItemKind.PULL)
    held = replace(
        ticket("ENG-2", "Held", assignee="Sam Ito"), author="Kim", email="", people=(("Kim", ""),)
    )
    over = replace(mine, ref="github:#3", key="#3", closed=mine.time)
    other = replace(held, ref="linear:ENG-4", key="ENG-4", assignee="Samuel")
    write(memory, mine, held, over, other, thread(1))

    def keys(names: Sequence[str], emails: Sequence[str], *sources: str) -> set[str]:
        kinds = (ItemKind.PULL, ItemKind.TICKET)
        items = memory.index.items.open_with(
            names, emails, kinds=kinds, sources=sources, repos=("",)
        )
        return {item.key for item in items}

    assert keys(["sam ito"], [], "github", "linear") == {"#1", "ENG-2"}
    assert keys([], ["SAM@example.org"], "github", "linear") == {"#1"}
    assert keys(["Sam Ito"], [], "linear") == {"ENG-2"}
    assert keys([], [], "linear") == set()


def test_an_address_has_the_names_that_go_with_it_and_with_no_other(memory: Memory) -> None:
    people = (("Sam Ito", "sam@example.org"), ("Sam", "sam@example.org"), ("Kim", ""))
    write(memory, thread(1, people=people), thread(2, people=(("Sam", "sam@other.example"),)))
    assert memory.index.items.called(["Sam@example.org"]) == {"Sam Ito"}
    assert memory.index.items.called([]) == set()
