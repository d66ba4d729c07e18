"""People whom a source knows by their address alone, called as git knows them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hermes.ingest.items import take_in
from hermes.memory.records import Item, ItemChange
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.ingested import Ingested
from hermes.tests.builders.items import ticket


def taken_in(tmp_path: Path, item: Item) -> Item:
    repo = RepoBuilder(tmp_path / "shop")
    repo.commit({"a.py": "1\n"}, "Begin", author="Kim N. <kim@shop.example>")
    repo.commit({"a.py": "2\n"}, "Go on", author="Kim Noor <Kim@shop.example>")
    repo.commit({"a.py": "3\n"}, "Go on", author="Sam Ito <sam@shop.example>")
    with Ingested(tmp_path / "memory", repo.path) as ingested:
        ingested.run()
        take_in(ingested.memory, [item])
        found = ingested.memory.index.items.get(item.ref)
        assert found is not None
        return found


def test_an_address_alone_gets_the_name_of_its_newest_commit(tmp_path: Path) -> None:
    bare = replace(
        ticket("ENG-17", "Slow"),
        author="kim",
        email="kim@shop.example",
        assignee="sam",
        people=(("kim", "kim@shop.example"), ("sam", "sam@shop.example")),
        changes=(ItemChange(5, "assignee", "sam"), ItemChange(6, "state", "sam")),
        text="It is slow.\n\nkim (1 May 2026 10:00): It was kim who said so.",
    )
    found = taken_in(tmp_path, bare)
    assert (found.author, found.assignee) == ("Kim Noor", "Sam Ito")
    assert set(found.people) == {("Kim Noor", "kim@shop.example"), ("Sam Ito", "sam@shop.example")}
    assert [change.value for change in found.changes] == ["Sam Ito", "sam"]
    assert found.text.endswith("Kim Noor (1 May 2026 10:00): It was kim who said so.")


def test_a_name_that_a_source_gives_stays(tmp_path: Path) -> None:
    given = replace(
        ticket("ENG-17", "Slow"), author="Kimberley", email="kim@shop.example", assignee="kim"
    )
    found = taken_in(tmp_path, given)
    assert (found.author, found.assignee) == ("Kimberley", "kim")
    other = replace(ticket("ENG-18", "Slow"), author="jo", email="jo@shop.example")
    assert taken_in(tmp_path / "other", other).author == "jo"
