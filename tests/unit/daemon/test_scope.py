"""Which repositories and commits a question is about."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hermes.daemon.requests import FiltersIn
from hermes.daemon.scope import NoSuchBranch, NoSuchRepo, common_dir, find_repo, to_filters
from hermes.ingest.git.command import Git
from hermes.memory.records import Repo
from hermes.tests.builders.git import RepoBuilder


def repo(name: str, path: Path, worktree: Path | None = None) -> Repo:
    return Repo(f"id-{name}", name, str(path), str(worktree) if worktree else None, None, 0)


@pytest.fixture
def shop(tmp_path: Path) -> RepoBuilder:
    shop = RepoBuilder(tmp_path / "shop")
    shop.commit({"worker/queue.py": "a\n"}, "Add the queue")
    return shop


def test_the_git_directory_is_found_as_git_finds_it(tmp_path: Path, shop: RepoBuilder) -> None:
    shop.git("worktree", "add", "-b", "side", str(tmp_path / "side"))
    bare = RepoBuilder(tmp_path / "bare.git", bare=True)
    part = RepoBuilder(tmp_path / "part")
    part.commit({"a": "b"})
    shop.git("-c", "protocol.file.allow=always", "submodule", "add", str(part.path), "part")
    link = tmp_path / "link"
    link.symlink_to(shop.path)
    folders = [
        shop.path,
        shop.path / "worker",
        shop.path / "part",
        tmp_path / "side" / "worker",
        bare.path,
        bare.path / "objects",
        link / "worker",
    ]
    for folder in folders:
        assert common_dir(folder) == Git.open(folder).common_dir.resolve(), folder


def test_outside_of_any_repository_there_is_no_git_directory(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    assert common_dir(tmp_path / "plain") is None
    (tmp_path / "plain" / ".git").write_text("nonsense")
    assert common_dir(tmp_path / "plain") is None


def test_who_stands_in_a_repository_asks_that_one(tmp_path: Path, shop: RepoBuilder) -> None:
    repos = [repo("shop", shop.path / ".git", shop.path), repo("other", tmp_path / "other/.git")]
    filters, notes = to_filters(FiltersIn(), str(shop.path / "worker"), repos)
    assert (filters.repos, notes) == (("id-shop",), ())


def test_who_stands_elsewhere_asks_all_and_is_told(tmp_path: Path, shop: RepoBuilder) -> None:
    other = [repo("other", tmp_path / "other/.git")]
    filters, notes = to_filters(FiltersIn(), str(shop.path), other)
    assert filters.repos == ()
    assert "not in memory" in notes[0]
    assert to_filters(FiltersIn(), str(tmp_path), other) == (filters, ())
    assert to_filters(FiltersIn(), None, other) == (filters, ())


@pytest.mark.parametrize("name", ["shop", "id-shop", "/srv/shop", "/srv/shop/.git"])
def test_a_repository_is_found_by_name_id_or_path(name: str) -> None:
    shop = repo("shop", Path("/srv/shop/.git"), Path("/srv/shop"))
    assert find_repo(name, [repo("api", Path("/srv/api/.git")), shop]) == shop


def test_a_repository_is_found_by_a_folder_in_it(shop: RepoBuilder) -> None:
    known = repo("shop", shop.path / ".git", None)
    assert find_repo(str(shop.path / "worker"), [known]) == known


def test_a_name_that_two_have_is_refused_with_both_paths() -> None:
    twins = [repo("shop", Path(f"/srv/{n}/.git"), Path(f"/srv/{n}")) for n in ("a", "b")]
    with pytest.raises(NoSuchRepo) as refusal:
        find_repo("shop", twins)
    assert "/srv/a, /srv/b" in refusal.value.hint


def test_an_unknown_name_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(NoSuchRepo) as refusal:
        find_repo("shp", [repo("shop", Path("/srv/shop/.git"))])
    assert "shop" in refusal.value.hint
    with pytest.raises(NoSuchRepo) as refusal:
        find_repo("shp", [])
    assert "none yet" in refusal.value.hint


def test_a_branch_stands_for_the_commits_it_reaches(tmp_path: Path, shop: RepoBuilder) -> None:
    base = shop.head()
    side = shop.commit({"a": "1"}, "On the side", branch="side")
    shop.commit({"b": "2"}, "On main", branch="main")
    bare = RepoBuilder(tmp_path / "bare.git", bare=True)
    repos = [repo("shop", shop.path / ".git"), repo("bare", bare.path)]
    filters, _ = to_filters(FiltersIn(branch="side"), None, repos)
    assert filters.refs == frozenset({base, side})


@pytest.mark.parametrize("branch", ["nowhere", "--all", "-x", "a..b", "main; id"])
def test_a_branch_that_is_none_is_refused(shop: RepoBuilder, branch: str) -> None:
    with pytest.raises(NoSuchBranch, match="shop"):
        to_filters(FiltersIn(branch=branch), None, [repo("shop", shop.path / ".git")])


def test_other_filters_pass_through() -> None:
    asked = FiltersIn(path="worker/**", author="sam", since=1, until=2, source="git")
    filters, _ = to_filters(asked, os.sep, [])
    assert (filters.path, filters.author, filters.since, filters.until, filters.source) == (
        *("worker/**", "sam", 1, 2, "git"),
    )
