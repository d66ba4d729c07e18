from __future__ import annotations

from pathlib import Path

import pytest

from hermes.ingest.sources.github import options
from hermes.ingest.sources.github.options import NotUsable
from hermes.ingest.sources.github.place import api_of, host_of, name_of, placed
from hermes.memory.records import Repo
from hermes.tests.builders.git import RepoBuilder


def clone(folder: Path, **remotes: str) -> Repo:
    built = RepoBuilder(folder)
    for name, address in remotes.items():
        built.git("remote", "add", name, address)
    return Repo(folder.name, folder.name, str(folder / ".git"), str(folder), None, 0)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("acme/shop", ("", "acme/shop")),
        ("https://github.com/acme/shop/pulls", ("github.com", "acme/shop")),
        ("git@code.acme.example:acme/shop.git", ("code.acme.example", "acme/shop")),
        ("shop", ("", "")),
        ("acme/..", ("", "")),
        ("acme/shop;rm", ("", "")),
    ],
)
def test_a_repository_is_named_in_whichever_way_it_is_known(
    said: str, meant: tuple[str, str]
) -> None:
    assert name_of(said) == meant


@pytest.mark.parametrize(
    ("host", "api"),
    [
        ("github.com", "https://api.github.com"),
        ("acme.ghe.com", "https://api.acme.ghe.com"),
        ("code.acme.example", "https://code.acme.example/api/v3"),
    ],
)
def test_each_host_has_its_api(host: str, api: str) -> None:
    assert api_of(host) == api
    assert host_of(api) == host


def test_without_a_name_the_repository_is_that_of_the_folder(tmp_path: Path) -> None:
    clone(tmp_path / "shop", origin="git@github.com:acme/shop.git")
    clone(tmp_path / "inner", origin="https://code.acme.example/acme/inner.git")

    assert options({"root": str(tmp_path / "shop"), "token": "env:T"}) == {
        "repository": "acme/shop",
        "token": "env:T",
    }
    assert options({"root": str(tmp_path / "inner")}) == {
        "repository": "acme/inner",
        "url": "https://code.acme.example/api/v3",
    }


def test_an_export_is_kept_with_its_whole_path(tmp_path: Path) -> None:
    assert options({"export": "prs.json", "root": str(tmp_path)}) == {
        "export": str(tmp_path / "prs.json")
    }


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "which repository"),
        ({"root": "/"}, "which repository"),
        ({"repository": "shop"}, "is no repository on GitHub"),
        ({"repository": "acme/shop", "url": "http://api.example"}, "is no address of an API"),
        ({"repository": "acme/shop", "url": "https://kim@api.example"}, "is no address"),
        ({"repository": "acme/shop", "url": "https://[x"}, "is no address"),
        ({"export": "prs.json", "token": "env:T"}, "takes no token"),
    ],
)
def test_what_can_not_work_is_refused_before_it_is_kept(given: dict[str, str], said: str) -> None:
    with pytest.raises(NotUsable, match=said):
        options(given)


def test_the_local_repository_is_that_whose_origin_it_is(tmp_path: Path) -> None:
    fork = clone(
        tmp_path / "fork",
        origin="git@github.com:kim/shop.git",
        upstream="https://github.com/Acme/Shop",
    )
    own = clone(tmp_path / "own", origin="git@work:acme/shop.git")
    other = clone(tmp_path / "other", origin="https://gitlab.com/acme/shop.git")

    assert placed(["acme/shop"], "github.com", [other, fork, own]).repo == "own"
    assert placed(["acme/shop"], "github.com", [other, fork]).repo == "fork"
    assert placed(["acme/shop"], "github.com", [other]).repo == ""
    assert placed(["acme/store", "acme/shop"], "github.com", [own]).repo == "own"


def test_a_repository_that_is_not_there_any_more_is_passed_over(tmp_path: Path) -> None:
    lost = Repo("lost", "lost", str(tmp_path / "lost/.git"), str(tmp_path / "lost"), None, 0)

    assert placed(["acme/shop"], "github.com", [lost]).repo == ""
