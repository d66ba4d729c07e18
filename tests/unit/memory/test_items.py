"""Items in the structured index: put in whole, found by what they are and by who and when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hermes.memory.index import Index
from hermes.memory.intents import Action
from hermes.memory.items import UNREAD, kept
from hermes.memory.records import Filters, Item, ItemChange, ItemKind, Link, LinkKind
from hermes.tests.builders.items import BEGUN, KIM, SAM, thread, ticket

OPEN = ticket("ENG-17", "Retry queue grows", time=BEGUN + 1000, assignee="Kim Noor")
DONE = ticket("ENG-9", "Orders slow", time=BEGUN, closed=BEGUN + 500, state="Done")
TALK = thread(1, "why does ENG-17 wait?", tickets=("ENG-17",))
OTHER = thread(2, people=(KIM,))


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    """An index with a repository's and other items in it."""
    opened = Index(tmp_path / "memory.db")
    put(opened, OPEN, DONE, TALK, OTHER)
    yield opened
    opened.close()


def put(index: Index, *items: Item, chunks: int = 1) -> None:
    """Put items in, as Memory.write_items does."""
    intent = index.intents.begin("", Action.WRITE_ITEMS, [item.ref for item in items])
    index.intents.finish_items(intent, items, {item.ref: chunks for item in items})


def test_an_item_comes_back_whole(index: Index) -> None:
    changes = (ItemChange(BEGUN, "state", "Todo"), ItemChange(BEGUN + 5, "assignee", "Kim Noor"))
    links = (Link(LinkKind.COMMIT, "4f1c2d9"), Link(LinkKind.PATH, "shop/Retry.py"))
    item = replace(
        OPEN,
        ref="linear:ENG-18",
        key="ENG-18",
        tickets=("#4", "#5"),
        changes=changes,
        path="docs/retry.md",
        links=links,
    )
    put(index, item)
    assert index.items.get(item.ref) == item
    assert index.items.get("linear:ENG-19") is None


def test_an_item_put_in_again_takes_the_place_of_what_it_was(index: Index) -> None:
    closed = replace(
        OPEN,
        state="Done",
        closed=BEGUN + 9,
        people=(KIM,),
        changes=(ItemChange(9, "state", "x"),),
        links=(Link(LinkKind.MERGED_AS, "4f1c2d9"),),
    )
    put(index, closed)
    put(index, closed)
    assert index.items.get(OPEN.ref) == closed
    assert index.items.counts() == {"linear": 2, "slack": 2}


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({}, [OPEN, DONE, OTHER, TALK]),
        ({"kinds": [ItemKind.TICKET]}, [OPEN, DONE]),
        ({"sources": ["slack"]}, [OTHER, TALK]),
        ({"sources": ["slack", "linear"], "limit": 1}, [OPEN]),
        ({"since": BEGUN + 500}, [OPEN, DONE]),
        ({"since": BEGUN + 501}, [OPEN]),
        ({"until": BEGUN + 60}, [DONE]),
        ({"until": BEGUN + 61}, [DONE, TALK]),
        ({"since": BEGUN + 100, "until": BEGUN + 200}, [DONE, OTHER]),
        ({"ticket": "eng-17"}, [OPEN, TALK]),
        ({"ticket": "ENG-1"}, []),
        ({"person": "KIM"}, [OPEN, OTHER, TALK]),
        ({"person": "sam@"}, [OPEN, DONE, TALK]),
        ({"open_only": True, "kinds": [ItemKind.TICKET]}, [OPEN]),
        ({"repos": [""]}, [OPEN, DONE, OTHER, TALK]),
        ({"repos": ["elsewhere"]}, []),
    ],
)
def test_items_are_found_by_what_is_known_of_them(
    index: Index, wanted: dict[str, Any], found: list[Item]
) -> None:
    assert index.items.find(**wanted) == found


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("docs/adr/0007-redis.md", ["docs:shop/docs/adr/0007-redis.md"]),
        ("docs/", ["docs:shop/docs/adr/0007-redis.md", "docs:shop/docs/run.md"]),
        ("doc", []),
        ("docs/*.md", ["docs:shop/docs/run.md"]),
        (".", ["docs:shop/docs/adr/0007-redis.md", "docs:shop/docs/run.md"]),
    ],
)
def test_documents_are_found_by_where_they_lie(index: Index, path: str, found: list[str]) -> None:
    for at in ("docs/adr/0007-redis.md", "docs/run.md"):
        document = replace(
            TALK, source="docs", ref=f"docs:shop/{at}", kind=ItemKind.DOCUMENT, path=at, repo="shop"
        )
        put(index, document)
    assert index.items.at_path(path) == found
    assert sorted(item.ref for item in index.items.selected(Filters(path=path), 9)) == found
    assert index.items.at_path(path, ["elsewhere"]) == []


def test_one_number_in_several_repositories_is_told_apart(index: Index) -> None:
    here = ticket("#4", "Here", repo="shop", source="github")
    there = replace(here, ref="github:there/4", repo="there")
    nowhere = replace(here, ref="github:nowhere/4", repo="", changed=BEGUN + 1)
    put(index, here, there, nowhere)
    assert index.items.by_key("#4", ["shop"]) == [nowhere, here]
    assert index.items.by_key("#4") == [nowhere, here, there]
    assert index.items.counts(["shop", "there"]) == {"github": 2}
    assert index.items.refs(["shop"]) == [here.ref]
    assert index.items.refs(sources=["github"]) == [here.ref, nowhere.ref, there.ref]


def test_the_items_of_a_repository_go_with_it(index: Index) -> None:
    repo = index.add_repo("shop", "/shop/.git", None, None).id
    put(index, ticket("#4", "Here", repo=repo, source="github"))
    index.delete_repo(repo)
    assert index.items.refs() == sorted(item.ref for item in (OPEN, DONE, TALK, OTHER))


def test_chunks_are_counted_until_they_are_to_be_made_again(index: Index) -> None:
    put(index, TALK, chunks=3)
    assert index.counts() == (0, 6)
    index.items.mark_unread([TALK.ref])
    assert index.items.chunk_counts([TALK.ref, OPEN.ref]) == {TALK.ref: UNREAD, OPEN.ref: 1}
    assert index.items.unread() == [TALK]
    assert index.counts() == (0, 3)


def test_what_no_table_can_hold_is_kept_as_it_can_be() -> None:
    odd = replace(
        TALK, text="caf\udce9", tickets=("ENG-1", "eng-1", "#2"), people=(("\ud800", ""),)
    )
    assert kept(odd).tickets == ("ENG-1", "#2")
    twice = Link(LinkKind.BRANCH, "eng-1\udce9")
    assert len(kept(replace(odd, links=(twice, twice))).links) == 1
    assert kept(odd).text.startswith("caf")
    assert kept(kept(odd)) == kept(odd)
    kept(odd).people[0][0].encode()
    assert SAM in kept(TALK).people
