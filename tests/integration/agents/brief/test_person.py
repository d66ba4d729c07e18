"""Who the brief is for."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes.agents.brief.commits import last_worked
from hermes.agents.brief.person import person_of
from hermes.agents.brief.records import Person
from hermes.ingest.git.command import Git
from hermes.tests.builders.git import FIRST_COMMIT, RepoBuilder


@pytest.fixture
def shop(tmp_path: Path) -> RepoBuilder:
    return RepoBuilder(tmp_path / "shop")


def test_git_says_who_the_person_is_in_each_repository(shop: RepoBuilder, tmp_path: Path) -> None:
    site = RepoBuilder(tmp_path / "site")
    shop.config("user.name", "Sam Doe")
    shop.config("user.email", "Sam@Example.com")
    site.config("user.email", "sam@work.example")
    found = person_of((), (), [Git.open(shop.path), Git.open(site.path)])
    assert found.emails == {"sam@example.com", "sam@work.example"}
    assert found.names == {"Sam Doe"}
    assert found.wrote("anybody", "SAM@example.com")


def test_an_author_that_is_not_the_user_counts_too(shop: RepoBuilder) -> None:
    shop.config("user.email", "sam@example.com")
    shop.config("author.email", "sam@public.example")
    assert "sam@public.example" in person_of((), (), [Git.open(shop.path)]).emails


def test_a_mailmap_gives_the_address_that_commits_are_listed_under(shop: RepoBuilder) -> None:
    shop.config("user.email", "sam@laptop.local")
    shop.commit(
        {
            ".mailmap": "Sam Doe <sam@example.com> <sam@laptop.local>\nSam Doe <sam@example.com> <s@old>\n"
        }
    )
    found = person_of((), ("s@old",), [Git.open(shop.path)])
    assert found.emails == {"sam@example.com", "sam@laptop.local", "s@old"}


def test_settings_add_names_and_addresses(shop: RepoBuilder) -> None:
    found = person_of(("Sammy",), ("sam@home.example", " "), [Git.open(shop.path)])
    assert found == Person(frozenset({"Sammy"}), frozenset({"sam@home.example"}))


def test_without_any_identity_nobody_is_known(shop: RepoBuilder) -> None:
    assert not person_of((), (), [Git.open(shop.path)]).known


def test_an_odd_identity_or_mailmap_breaks_nothing(shop: RepoBuilder) -> None:
    shop.config("user.name", "Sam <x> \n Doe")
    shop.config("user.email", "sam@example.com\nfoo <bar>")
    shop.commit({".mailmap": b"\xff\xfe <<<>>> \n broken"})
    assert person_of((), ("sam@home.example",), [Git.open(shop.path)]).known


def test_a_repository_that_is_gone_adds_nothing(shop: RepoBuilder, tmp_path: Path) -> None:
    shop.config("user.email", "sam@example.com")
    gits = [
        Git.open(shop.path),
        Git(tmp_path / "no/.git", tmp_path / "no", False, False, False, ""),
    ]
    assert person_of((), (), gits).emails == {"sam@example.com"}


def test_it_is_known_when_they_worked_last(shop: RepoBuilder) -> None:
    shop.commit({"a": "1"}, when=FIRST_COMMIT)
    shop.commit({"a": "2"}, when=FIRST_COMMIT + 9_000, branch="x")
    shop.commit({"a": "3"}, when=FIRST_COMMIT + 20_000)
    shop.commit({"a": "4"}, author="Alex <alex@example.org>", when=FIRST_COMMIT + 12_000)
    sam = Person(frozenset(), frozenset({"sam@example.com"}))
    git = Git.open(shop.path)
    assert last_worked(git, sam, FIRST_COMMIT - 1, FIRST_COMMIT + 15_000) == FIRST_COMMIT + 9_000
    assert last_worked(git, sam, FIRST_COMMIT + 21_000, FIRST_COMMIT + 90_000) is None
    assert last_worked(git, Person(), 0, FIRST_COMMIT + 90_000) is None
