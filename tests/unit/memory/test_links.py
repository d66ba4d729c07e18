"""What is one step away, by the names that things call each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hermes.memory import succession
from hermes.memory.index import Index
from hermes.memory.intents import Action
from hermes.memory.links import Neighbour
from hermes.memory.marks import Key
from hermes.memory.records import Commit, Item, ItemKind, Link, LinkKind
from hermes.tests.builders.items import BEGUN, thread, ticket

SQUASHED, LATER, TWIN = "4f1c2d9" + "a" * 33, "5e0b1c8" + "b" * 33, "4f1c2d8" + "c" * 33


class Known:
    """An index with two repositories, filled as a test says."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.shop = index.add_repo("shop", "/shop/.git", None, None).id
        self.tool = index.add_repo("tool", "/tool/.git", None, None).id

    def commit(self, sha: str, *links: Link, tickets: tuple[str, ...] = (), repo: str = "") -> Key:
        """Put a commit in."""
        repo = repo or self.shop
        commit = Commit(
            repo, sha, (), "Sam", "s@x", BEGUN, BEGUN, "x", tickets=tickets, links=links
        )
        intent = self.index.intents.begin(repo, Action.WRITE, [sha])
        self.index.intents.finish_write(intent, [commit], {})
        return repo, sha

    def item(self, item: Item, *links: Link) -> Key:
        """Put an item in."""
        item = replace(item, links=links)
        intent = self.index.intents.begin("", Action.WRITE_ITEMS, [item.ref])
        self.index.intents.finish_items(intent, [item], {item.ref: 1})
        return item.repo, item.ref

    def pull(self, number: int, *links: Link, repo: str = "", tickets: tuple[str, ...] = ()) -> Key:
        """Put a pull request in, of acme/shop or acme/tool."""
        name = "tool" if repo == self.tool else "shop"
        item = ticket(f"#{number}", "x", repo=repo or self.shop, source="github")
        ref = f"github:acme/{name}#{number}"
        return self.item(replace(item, ref=ref, kind=ItemKind.PULL, tickets=tickets), *links)

    def document(self, path: str, *links: Link, key: str = "") -> Key:
        """Put a document in."""
        ref = f"docs:{self.shop}/{path}"
        item = replace(thread(99), source="docs", ref=ref, kind=ItemKind.DOCUMENT, path=path)
        return self.item(replace(item, key=key, repo=self.shop), *links)

    def near(self, *keys: Key) -> list[list[Key]]:
        """What is one step from each."""
        found = self.index.links.around(keys)
        return [[each.key for each in found[key]] for key in keys]


@pytest.fixture
def known(tmp_path: Path) -> Iterator[Known]:
    """An index with nothing in it but two repositories."""
    index = Index(tmp_path / "memory.db")
    yield Known(index)
    index.close()


def test_a_squashed_commit_and_its_pull_request_lead_to_each_other(known: Known) -> None:
    commit = known.commit(SQUASHED)
    pull = known.pull(482, Link(LinkKind.MERGED_AS, SQUASHED))
    found = known.index.links.around([commit, pull])
    assert found[commit] == (Neighbour(*pull, LinkKind.MERGED_AS, SQUASHED, inward=True),)
    assert found[pull] == (Neighbour(*commit, LinkKind.MERGED_AS, SQUASHED, inward=False),)


def test_a_commit_and_the_ticket_it_names_lead_to_each_other_in_any_case(known: Known) -> None:
    commit = known.commit(SQUASHED, tickets=("eng-17",))
    of_it = known.item(ticket("ENG-17", "Retry"))
    assert known.near(commit, of_it) == [[of_it], [commit]]


def test_the_beginning_of_a_sha_leads_there_where_it_begins_one_alone(known: Known) -> None:
    one, other = known.commit(SQUASHED), known.commit(TWIN)
    sure = known.item(thread(1), Link(LinkKind.COMMIT, "4f1c2d9a"))
    unsure = known.item(thread(2), Link(LinkKind.COMMIT, "4f1c2d"))
    nowhere = known.item(thread(3), Link(LinkKind.COMMIT, "0123abc"))
    assert known.near(sure, unsure, nowhere) == [[one], [], []]
    assert known.near(one, other) == [[sure], []]


def test_commits_that_name_commits_lead_both_ways(known: Known) -> None:
    first = known.commit(SQUASHED)
    revert = known.commit(LATER, Link(LinkKind.COMMIT, SQUASHED))
    assert known.near(first, revert) == [[revert], [first]]


def test_a_number_is_of_the_repository_where_it_is_used(known: Known) -> None:
    here, there = known.pull(4), known.pull(4, repo=known.tool)
    commit = known.commit(LATER, tickets=("#4",))
    of_tool = known.commit(SQUASHED, tickets=("#4",), repo=known.tool)
    assert known.near(commit, of_tool) == [[here], [there]]
    assert known.near(here, there) == [[commit], [of_tool]]


def test_a_number_in_a_chat_leads_nowhere_where_it_may_be_either(known: Known) -> None:
    here, there = known.pull(4), known.pull(4, repo=known.tool)
    only = known.pull(5)
    vague = known.item(thread(1, tickets=("#4", "#5")))
    plain = known.item(thread(2, tickets=("#4",)), Link(LinkKind.ITEM, "github:ACME/tool#4"))
    assert known.near(vague, plain) == [[only], [there]]
    assert known.near(here, there, only) == [[], [plain], [vague]]


def test_a_number_of_a_repository_that_is_not_here_is_no_number_of_this_one(known: Known) -> None:
    here = known.pull(4)
    talk = known.item(thread(1, tickets=("#4",)), Link(LinkKind.ITEM, "github:else/where#4"))
    assert known.near(here, talk) == [[], []]


def test_a_discussion_is_found_by_its_address_and_a_document_by_its_path(known: Known) -> None:
    talk = known.item(thread(1))
    record = known.document("docs/adr/0007-redis.md", key="ADR-7")
    pull = known.pull(
        482,
        Link(LinkKind.ITEM, "slack:c024/1"),
        Link(LinkKind.PATH, "docs/adr/0007-redis.md"),
        Link(LinkKind.PATH, "shop/limits.py"),
    )
    commit = known.commit(LATER, tickets=("ADR-7",))
    assert known.near(pull, talk, record) == [[talk, record], [pull], [commit, pull]]


def test_a_record_leads_to_what_it_took_the_place_of(known: Known) -> None:
    old = known.document("docs/adr/0003-memcached.md", key="ADR-3")
    new = known.document("docs/adr/0007-redis.md", Link(LinkKind.SUPERSEDES, old[1]), key="ADR-7")
    found = known.index.links.around([old])[old]
    assert found == (Neighbour(*new, LinkKind.SUPERSEDES, old[1], inward=True),)


def test_a_branch_ties_what_names_it_and_the_commit_where_it_stands(known: Known) -> None:
    branch = Link(LinkKind.BRANCH, "feature/eng-17-retry")
    tip = known.commit(LATER)
    merge = known.commit(SQUASHED, branch, Link(LinkKind.BRANCH, "main"))
    known.commit(TWIN, Link(LinkKind.BRANCH, "main"))
    pull = known.pull(482, branch)
    known.index.set_tips(known.shop, {"refs/heads/feature/eng-17-retry": LATER})
    assert known.near(pull, merge) == [[merge, tip], [pull, tip]]


def test_what_is_not_known_has_no_neighbours(known: Known) -> None:
    assert known.index.links.around([("", "slack:C1/1"), (known.shop, SQUASHED)]) == {}
    known.commit(SQUASHED)
    assert known.index.links.around([(known.tool, SQUASHED)]) == {}


def test_what_names_a_test_or_a_file_is_found_by_it(known: Known) -> None:
    test = "tests/test_a.py::test_b"
    talk = known.item(thread(1), Link(LinkKind.TEST, test), Link(LinkKind.PATH, "shop/Limits.py"))
    assert known.index.links.naming(LinkKind.TEST, test) == [talk]
    assert known.index.links.naming(LinkKind.PATH, "shop/limits.py") == []


def test_an_index_that_takes_over_another_ones_items_and_history_has_their_links(
    known: Known, tmp_path: Path
) -> None:
    commit = known.commit(SQUASHED, Link(LinkKind.COMMIT, LATER))
    pull = known.pull(482, Link(LinkKind.MERGED_AS, SQUASHED))
    succession.copy(known.index, tmp_path / "copy.db")
    copied = Index(tmp_path / "copy.db")
    talk = known.item(thread(1), Link(LinkKind.COMMIT, SQUASHED))
    succession.follow(copied, tmp_path / "memory.db")
    assert copied.links.around([commit]) == known.index.links.around([commit])
    succession.take_over(known.index, tmp_path / "copy.db", {})
    assert set(known.near(commit)[0]) == {pull, talk}
    [read] = known.index.commits_for(known.shop, [SQUASHED])
    assert read.links == (Link(LinkKind.COMMIT, LATER),)
    copied.close()
