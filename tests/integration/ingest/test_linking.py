"""Items know what their source and their text say they lead to, and so do commits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hermes.ingest.items import restore, take_in
from hermes.ingest.linking import link_commits
from hermes.memory import plain
from hermes.memory.forgetting_rules import RuleKind, path_rule, person_rule
from hermes.memory.plain import Plain
from hermes.memory.records import Filters, Item, ItemKind, Link, LinkKind
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.ingested import Ingested
from hermes.tests.builders.items import thread, ticket


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Ingested]:
    """A repository whose README and limiter are known."""
    repo = RepoBuilder(tmp_path / "shop")
    first = repo.commit({"README.md": "shop\n", "limits.py": "LIMIT = 5\n"}, "Count requests")
    repo.commit({"limits.py": "LIMIT = 6\n"}, f"Count one more\n\nFollows {first[:9]}.")
    with Ingested(tmp_path / "memory", repo.path) as ingested:
        ingested.run()
        yield ingested


def taken(shop: Ingested, item: Item) -> Item:
    """An item as it is in memory, after it was taken in twice."""
    assert take_in(shop.memory, [item]).news == 1
    assert take_in(shop.memory, [item]).news == 0
    found = shop.memory.index.items.get(item.ref)
    assert found is not None
    return found


def test_a_discussion_leads_to_what_it_names(shop: Ingested) -> None:
    talk = taken(shop, thread(1, "ENG-17: README.md and setup.cfg, limits.py:3, 4f1c2d9, other#3"))
    assert talk.tickets == ("ENG-17",)
    assert talk.links == (
        Link(LinkKind.PATH, "README.md"),
        Link(LinkKind.PATH, "limits.py"),
        Link(LinkKind.COMMIT, "4f1c2d9"),
    )


def test_what_the_source_knew_comes_first_and_its_branch_names_the_ticket(shop: Ingested) -> None:
    known = (Link(LinkKind.MERGED_AS, "a" * 40), Link(LinkKind.BRANCH, "kim/eng-17-limits"))
    pull = replace(
        ticket("#482", "Count in Redis", "As acme/shop#480 and #482 say, see acme/tool#9"),
        source="github",
        ref="github:acme/shop#482",
        kind=ItemKind.PULL,
        repo=shop.repo.id,
        links=known,
        tickets=("#479",),
    )
    found = taken(shop, pull)
    assert found.tickets == ("#479", "ENG-17", "#480")
    assert found.links == (*known, Link(LinkKind.ITEM, "github:acme/tool#9"))


def test_a_decision_record_is_called_by_its_number(shop: Ingested) -> None:
    path = "docs/adr/0007-redis.md"
    record = replace(
        thread(1, "# Redis\n\nSupersedes ADR-3, see docs/adr/0007-redis.md", repo=shop.repo.id),
        source="docs",
        ref=f"docs:{shop.repo.id}/{path}",
        kind=ItemKind.DOCUMENT,
        path=path,
    )
    found = taken(shop, record)
    assert (found.key, found.tickets, found.links) == ("ADR-7", ("ADR-3",), ())


def test_a_commit_leads_to_the_one_it_names(shop: Ingested) -> None:
    [last, first] = shop.memory.index.newest(Filters(), 10)
    assert last.links == (Link(LinkKind.COMMIT, first.sha[:9]),)
    assert first.links == ()


def age(shop: Ingested) -> None:
    """Make the memory as one that knows nothing of links leaves it."""
    with shop.memory.index.writing() as db:
        db.execute("DELETE FROM commit_links")
        db.execute("DELETE FROM tickets")
        db.execute("INSERT INTO unlinked SELECT id FROM commits")


def test_an_item_that_was_taken_in_before_links_gets_them(shop: Ingested) -> None:
    talk = taken(shop, thread(1, "ENG-17: limits.py:3 as of 4f1c2d9"))
    with shop.memory.index.writing() as db:
        db.execute("DELETE FROM item_links")
        db.execute("DELETE FROM item_tickets")
    shop.memory.index.items.mark_unread([talk.ref])
    assert restore(shop.memory) == 1
    assert shop.memory.index.items.get(talk.ref) == talk
    assert shop.memory.check() == []


def test_what_was_read_before_links_gets_them_without_git(shop: Ingested) -> None:
    before = shop.memory.index.newest(Filters(), 10)
    age(shop)
    assert shop.memory.index.newest(Filters(), 10) != before
    (shop.repository / ".git").rename(shop.repository / "away")
    told: list[tuple[int, int]] = []
    assert (
        link_commits(shop.memory, on_progress=lambda done, total: told.append((done, total))) == 2
    )
    assert shop.memory.index.newest(Filters(), 10) == before
    assert told == [(2, 2)]
    assert link_commits(shop.memory) == 0


def test_linking_that_is_stopped_goes_on_where_it_was(
    shop: Ingested, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = shop.memory.index.newest(Filters(), 10)
    age(shop)
    monkeypatch.setattr("hermes.ingest.linking.AT_ONCE", 1)
    stops = iter([False, True])
    assert link_commits(shop.memory, lambda: next(stops)) == 1
    assert shop.memory.index.unlinked.count() == 1
    assert link_commits(shop.memory) == 1
    assert shop.memory.index.newest(Filters(), 10) == before


def test_commits_that_are_left_get_no_links_and_none_leads_to_what_is_forgotten(
    tmp_path: Path,
) -> None:
    repo = RepoBuilder(tmp_path / "shop")
    first = repo.commit({"limits.py": "LIMIT = 5\n"}, "Count as docs/plan.md says")
    repo.commit({"limits.py": "LIMIT = 6\n"}, f"Follow {first[:9]} and docs/secret/plan.md")
    with Ingested(tmp_path / "memory", repo.path) as shop:
        shop.run()
        age(shop)
        shop.memory.orphan(shop.repo.id, [first])
        rule = shop.memory.index.withheld.add(
            RuleKind.PATH, path_rule("docs/secret", shop.memory.index.withheld.salt())
        )
        assert link_commits(shop.memory) == 2
        [last] = shop.memory.index.newest(Filters(), 10)
        assert last.links == (Link(LinkKind.COMMIT, first[:9]),)
        assert shop.memory.index.withheld.touched(rule) == {shop.repo.id: {last.sha}}
        assert shop.memory.index.unlinked.count() == 0


def test_a_link_that_names_a_forgotten_person_goes_and_stays_away(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "shop")
    repo.commit({"a.py": "1\n"}, "Begin")
    repo.commit({"a.py": "2\n"}, "Merge branch 'kim-noor/limits'\n\nSee ENG-17.")
    with Ingested(tmp_path / "memory", repo.path) as shop:
        shop.run()
        links = {
            link.target for each in shop.memory.index.newest(Filters(), 10) for link in each.links
        }
        assert "kim-noor/limits" in links
        withheld = shop.memory.index.withheld
        rule = withheld.add(
            RuleKind.PERSON, person_rule(["Kim Noor"], ["kim@shop.example"], (), withheld.salt())
        )
        plain.write(shop.memory.folder, rule, Plain(names=("Kim Noor",)))
        shop.memory.forget_withheld()
        for again in (False, True):
            if again:
                age(shop)
                link_commits(shop.memory)
            left = shop.memory.index.newest(Filters(), 10)
            assert not any("noor" in link.target for each in left for link in each.links)
