from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hermes.daemon.council_pull import PullNotHere, change_of, document_of
from hermes.ingest.git.command import Git
from hermes.memory.records import Item, ItemChange, ItemKind, Link, LinkKind
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.items import ticket


@pytest.fixture
def shop(tmp_path: Path) -> RepoBuilder:
    repo = RepoBuilder(tmp_path / "shop")
    repo.commit({"limiter.py": "in memory\n"}, "Begin")
    return repo


def pull(*links: Link, state: str = "open", closed: int | None = None) -> Item:
    made = ticket("#482", "Limit requests by Redis", "Counts in Redis.", source="github")
    changes = (
        ItemChange(made.time + 60, "review", "approved by Kim Noor"),
        ItemChange(made.time + 60, "checks", "running"),
        ItemChange(made.time + 90, "checks", "failed: tests"),
    )
    return replace(
        made,
        ref="github:acme/shop#482",
        kind=ItemKind.PULL,
        state=state,
        closed=closed,
        links=links,
        changes=changes,
    )


def diff(repo: RepoBuilder, between: str) -> str:
    return repo.git("diff", between)


def test_of_a_merged_pull_request_its_merge_is_judged(shop: RepoBuilder) -> None:
    squash = shop.commit({"limiter.py": "in redis\n"}, "Limit requests by Redis (#482)")
    shop.commit({"limiter.py": "in memcached\n"}, "Change it again")
    between = change_of(Git.open(shop.path), pull(Link(LinkKind.MERGED_AS, squash)))

    assert "+in redis" in diff(shop, between)
    assert "memcached" not in diff(shop, between)


def test_of_an_open_pull_request_all_since_it_left_main_is_judged(shop: RepoBuilder) -> None:
    shop.git("switch", "--quiet", "--create", "rate-limit")
    first = shop.commit({"limiter.py": "in redis\n"}, "Limit by Redis")
    head = shop.commit({"limit.lua": "take\n"}, "Take in one step")
    shop.git("switch", "--quiet", "main")
    shop.commit({"other.py": "x\n"}, "Go on meanwhile")
    links = [Link(LinkKind.COMMIT, first), Link(LinkKind.COMMIT, head)]
    said = diff(shop, change_of(Git.open(shop.path), pull(*links)))

    assert "+in redis" in said
    assert "+take" in said
    assert "other.py" not in said


@pytest.mark.parametrize(
    ("links", "hint"),
    [
        ([Link(LinkKind.COMMIT, "9" * 40)], "git fetch origin pull/482/head"),
        ([Link(LinkKind.MERGED_AS, "9" * 40)], "git fetch origin"),
        ([], "git fetch origin pull/482/head"),
    ],
)
def test_what_is_not_here_is_for_the_person_to_fetch(
    shop: RepoBuilder, links: list[Link], hint: str
) -> None:
    with pytest.raises(PullNotHere, match="hermes never fetches") as caught:
        change_of(Git.open(shop.path), pull(*links))

    assert caught.value.hint == hint


def test_how_a_pull_request_stands_is_told_before_what_was_said() -> None:
    found = document_of(pull())

    assert found.path == "github:acme/shop#482"
    assert found.text.split("\n") == [
        "Pull request #482 Limit requests by Redis",
        "It is open. Its author is Sam Ito.",
        "Reviews: approved by Kim Noor.",
        "Checks: failed: tests.",
        "",
        "Counts in Redis.",
    ]
