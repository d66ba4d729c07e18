"""Upkeep, releases and work are told apart by titles, authors and files."""

from __future__ import annotations

import pytest

from hermes.agents.themes.noise import Sort, bumped, sort_of, version_of
from hermes.agents.themes.records import Evidence, EvidenceKind


def commit(title: str, *paths: str, author: str = "Sam Doe") -> Evidence:
    return Evidence(EvidenceKind.COMMIT, "1" * 40, 0, title, author, paths=paths or ("shop/a.py",))


@pytest.mark.parametrize(
    ("title", "paths", "sort"),
    [
        ("Add retries to the payment queue", (), Sort.WORK),
        ("Release 0.31", (), Sort.RELEASE),
        ("release version 3.1.0 (#5640)", (), Sort.RELEASE),
        ("Version 0.27.0 (#1809)", (), Sort.RELEASE),
        ("v1.2.3", (), Sort.RELEASE),
        ("Bump version number to 1.0.2", (), Sort.RELEASE),
        ("Release 0.26a1", (), Sort.RELEASE),
        ("bump: version 2.20.4 → 2.20.5", (), Sort.RELEASE),
        ("Deploying to gh-pages from @ shop/shop@9e6830c 🚀", (), Sort.UPKEEP),
        ("Deploy carts to two zones", (), Sort.WORK),
        ("Bump version number to 1.0.3.dev", (), Sort.UPKEEP),
        ("start version 3.2.0", (), Sort.UPKEEP),
        ("Release the lock before the retry", (), Sort.WORK),
        ("Version the API", (), Sort.WORK),
        ("Bump cryptography from 41.0.4 to 41.0.6 (#2965)", (), Sort.DEPENDENCY),
        ("update dev dependencies", (), Sort.DEPENDENCY),
        ("[pre-commit.ci] pre-commit autoupdate", (), Sort.DEPENDENCY),
        ("Update requirement parsing to allow extras", (), Sort.WORK),
        ("Ran cog", (), Sort.UPKEEP),
        ("Fix for mypy", (), Sort.UPKEEP),
        ("fix typo", (), Sort.UPKEEP),
        ("update changelog", (), Sort.UPKEEP),
        ("Black out the screen on lock", (), Sort.WORK),
        ("Anything at all", ("CHANGES.rst",), Sort.UPKEEP),
        ("Test on Windows too", (".github/workflows/tests.yml",), Sort.UPKEEP),
        ("Test on Windows too", (".github/workflows/tests.yml", "shop/cart.py"), Sort.WORK),
    ],
)
def test_a_commit_is_of_a_sort(title: str, paths: tuple[str, ...], sort: Sort) -> None:
    assert sort_of(commit(title, *paths)) is sort


@pytest.mark.parametrize("author", ["dependabot[bot]", "renovate", "github-actions[bot]"])
def test_what_a_machine_commits_is_upkeep(author: str) -> None:
    assert sort_of(commit("Tidy the carts", author=author)) is Sort.DEPENDENCY


def test_what_is_no_commit_is_work() -> None:
    ticket = Evidence(EvidenceKind.TICKET, "linear:ENG-1", 0, "Release 0.31")
    assert sort_of(ticket) is Sort.WORK


def test_the_version_and_the_dependency_are_read_from_titles() -> None:
    assert version_of("Prepare release 2.0.0rc1") == "2.0.0rc1"
    assert version_of("Release notes") == ""
    assert bumped("Bump actions/setup-python from 4.5.0 to 4.6.0") == "actions/setup-python"
    assert bumped("Update the cart") == ""
