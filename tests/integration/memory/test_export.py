"""An export holds everything once, in an order that does not change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes.ingest.items import chunks_of
from hermes.memory import export
from hermes.memory.export import Wanted, describe, outline, read
from hermes.memory.memory import Memory
from hermes.memory.records import Mark
from hermes.memory.tables import CHUNKS
from hermes.tests.builders.items import thread, ticket
from hermes.tests.builders.records import START, batch_of, commit_of, sha_of
from hermes.tests.builders.records import chunks_of as chunks_of_commit


@pytest.fixture
def held(folder: Path) -> Iterator[Memory]:
    """A memory with two repositories, discussions and a ticket."""
    with Memory.open(folder, embedder=None, write=True) as memory:
        for name in ("zoo", "shop"):
            repo = memory.index.add_repo(name, f"/{name}/.git", None, None).id
            memory.write(repo, *batch_of(repo, range(50)))
        items = [*(thread(number) for number in range(20)), ticket("ENG-17", "Retries")]
        memory.write_items(items, [chunk for item in items for chunk in chunks_of(item)])
        yield memory


def all_of_it(memory: Memory, wanted: Wanted) -> list[dict[str, Any]]:
    repos = {repo.id: repo for repo in memory.index.repos()}
    return [
        fields
        for window in outline(memory, wanted).windows
        for fields in describe(memory, read(memory, wanted, window), repos)
    ]


@pytest.mark.parametrize("window", [1, 7, 1_000])
def test_it_holds_every_piece_once_in_order_whatever_is_read_at_once(
    held: Memory, window: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "WINDOW", window)
    found = all_of_it(held, Wanted())
    ids: list[str] = held.store.column(CHUNKS, "id").to_pylist()
    assert sorted(fields["id"] for fields in found) == sorted(ids)
    assert len(found) == outline(held, Wanted()).chunks == 2 * 150 + 21
    order = [(f["repo"], f["time"], f["ref"], f["path"], f["part"]) for f in found]
    assert order == sorted(order)
    stored = held.store.fetch(ids)
    for fields in found:
        chunk = stored[fields["id"]]
        assert (fields["text"], fields["title"]) == (chunk.text, chunk.title)
        assert (fields["author"], fields["email"]) == (chunk.author, chunk.email)
        assert (fields["repo_id"], fields["kind"]) == (chunk.repo, chunk.kind)


def test_commits_of_one_second_are_all_there(held: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "WINDOW", 4)
    same = held.index.add_repo("same", "/same/.git", None, None).id
    commits = [commit_of(same, number, time=START) for number in range(10)]
    held.write(same, commits, [c for commit in commits for c in chunks_of_commit(commit)])
    assert len(all_of_it(held, Wanted(repos=(same,)))) == 30


def test_it_can_be_confined_to_repositories_a_source_and_a_time(held: Memory) -> None:
    shop = next(repo.id for repo in held.index.repos() if repo.name == "shop")
    assert {f["repo"] for f in all_of_it(held, Wanted(repos=(shop,)))} == {"shop"}
    slack = all_of_it(held, Wanted(source="slack"))
    assert len(slack) == 20
    assert {fields["source"] for fields in slack} == {"slack"}
    some = all_of_it(held, Wanted(repos=(shop,), since=START + 60, until=START + 180))
    assert {fields["ref"] for fields in some} == {sha_of(1), sha_of(2)}
    assert all_of_it(held, Wanted(source="nobody")) == []


def test_it_says_what_is_known_of_a_piece_besides_its_text(held: Memory) -> None:
    shop = next(repo.id for repo in held.index.repos() if repo.name == "shop")
    held.index.marks.replace(
        shop, [Mark(shop, sha_of(3), 0.5, ended=START, ended_by=sha_of(4), why="taken back")]
    )
    found = all_of_it(held, Wanted())
    marked = [fields for fields in found if "mark" in fields]
    assert {(f["repo"], f["ref"]) for f in marked} == {("shop", sha_of(3))}
    assert marked[0]["mark"]["ended_by"] == sha_of(4)
    [told] = [fields for fields in found if fields.get("item", {}).get("key") == "ENG-17"]
    assert told["item"]["state"] == "In Progress"


def test_an_empty_memory_is_exported_as_such(memory: Memory) -> None:
    assert outline(memory, Wanted()) == export.Outline(0, {}, ())
