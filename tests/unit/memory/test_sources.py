"""The sources that were added: kept, read page by page, and what they brought."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes.memory.index import Index
from hermes.memory.intents import Action
from hermes.memory.records import Item
from hermes.memory.sources import Fault, NoSuchSource
from hermes.tests.builders.items import thread

ONE, TWO, THREE = thread(1), thread(2), thread(3)
EXPORT = {"export": "/tmp/export.zip"}
API = {"token": "env:SLACK_TOKEN", "channels": ["payments"]}


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    """An index without anything."""
    opened = Index(tmp_path / "memory.db")
    yield opened
    opened.close()


def put(index: Index, *items: Item) -> None:
    """Put items in, as Memory.write_items does."""
    intent = index.intents.begin("", Action.WRITE_ITEMS, [item.ref for item in items])
    index.intents.finish_items(intent, items, {item.ref: 1 for item in items})


def bring(index: Index, name: str, *items: Item, cursor: str = "1") -> None:
    """Have a source bring a page."""
    index.sources.begin_page(name, [item.ref for item in items])
    put(index, *items)
    index.sources.finish_page(name, (), cursor)


def refs(index: Index, name: str) -> list[str]:
    return [ref for _, ref in index.sources.brought(name)]


def test_a_source_comes_back_as_it_was_added(index: Index) -> None:
    added = index.sources.add("slack", "slack", API, 7)
    assert index.sources.all() == [added]
    assert (added.name, added.kind, added.added, dict(added.options)) == ("slack", "slack", 7, API)
    assert (added.cursor, added.paused, added.tried, added.synced) == ("", False, None, None)


def test_the_same_source_is_added_once_whatever_it_is_called(index: Index) -> None:
    index.sources.add("slack", "slack", API, 7)
    assert index.sources.add("chat", "slack", dict(reversed(API.items())), 8).name == "slack"
    assert index.sources.add("slack", "slack", EXPORT, 9).options == API
    assert len(index.sources.all()) == 1


def test_a_page_that_is_over_leaves_its_items_and_its_cursor(index: Index) -> None:
    index.sources.add("slack", "slack", API, 7)
    bring(index, "slack", ONE, TWO, cursor="page 2")
    row = index.sources.get("slack")
    assert (row.cursor, row.items) == ("page 2", 2)
    assert refs(index, "slack") == [ONE.ref, TWO.ref]


def test_what_a_killed_writer_had_written_of_its_page_counts_as_brought(index: Index) -> None:
    index.sources.add("slack", "slack", API, 7)
    index.sources.begin_page("slack", [ONE.ref, TWO.ref])
    put(index, ONE)
    assert refs(index, "slack") == []
    index.sources.settle()
    assert refs(index, "slack") == [ONE.ref]
    assert index.sources.get("slack").cursor == ""


def test_what_two_sources_brought_belongs_to_none_alone(index: Index) -> None:
    index.sources.add("slack", "slack", API, 7)
    index.sources.add("old", "slack", EXPORT, 7)
    bring(index, "slack", ONE, TWO)
    bring(index, "old", TWO, THREE)
    assert [ref for _, ref in index.sources.brought_alone("slack")] == [ONE.ref]
    assert index.sources.brought_by_others("old", [ONE.ref, TWO.ref, THREE.ref]) == {
        ONE.ref,
        TWO.ref,
    }
    index.sources.remove("old")
    assert [ref for _, ref in index.sources.brought_alone("slack")] == [ONE.ref, TWO.ref]


def test_an_item_that_is_deleted_is_brought_by_nobody(index: Index) -> None:
    index.sources.add("slack", "slack", API, 7)
    bring(index, "slack", ONE, TWO)
    index.intents.finish_delete(index.intents.begin("", Action.DELETE_ITEMS, [ONE.ref]))
    assert refs(index, "slack") == [TWO.ref]
    index.sources.begin_page("slack", ())
    index.sources.finish_page("slack", [TWO.ref], None)
    assert refs(index, "slack") == []
    assert index.items.get(TWO.ref) is not None


def test_an_item_that_changes_stays_brought(index: Index) -> None:
    index.sources.add("slack", "slack", API, 7)
    bring(index, "slack", ONE)
    put(index, thread(1, "edited"))
    assert refs(index, "slack") == [ONE.ref]


def test_a_fault_stands_until_the_source_is_read_to_its_end(index: Index) -> None:
    index.sources.add("slack", "slack", API, 7)
    index.sources.fail("slack", Fault("source_away", "no answer", "later"), "", 99)
    row = index.sources.get("slack")
    assert (row.fault, row.waits_until) == (Fault("source_away", "no answer", "later"), 99)
    index.sources.succeed("slack", 50, "stamp", ["left out: a file"])
    row = index.sources.get("slack")
    assert (row.fault, row.waits_until, row.synced) == (None, 0, 50)
    assert (row.stamp, row.notes) == ("stamp", ("left out: a file",))


def test_sources_are_read_from_the_beginning_when_they_are_told_to(index: Index) -> None:
    index.sources.add("slack", "slack", API, 7)
    index.sources.add("docs", "docs", {}, 7)
    bring(index, "slack", ONE)
    bring(index, "docs", TWO)
    index.sources.read_again("slack")
    assert [row.cursor for row in index.sources.all()] == ["1", ""]
    assert refs(index, "slack") == [ONE.ref]


def test_whoever_reads_a_source_is_told_when_it_was_removed_meanwhile(index: Index) -> None:
    index.sources.add("slack", "slack", API, 7)
    index.sources.begin_page("slack", [ONE.ref])
    index.sources.remove("slack")
    put(index, ONE)
    with pytest.raises(NoSuchSource, match="there is no source slack"):
        index.sources.finish_page("slack", (), "1")
    assert index.items.get(ONE.ref) is not None
