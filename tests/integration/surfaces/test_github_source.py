"""A repository on GitHub as a person has it: added, read, asked about, judged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes.surfaces.cli import exits
from hermes.tests.builders import github as gh
from hermes.tests.builders.daemon import LIGHT, Daemon, running
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.servers.github import GitHubServer

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def shop(tmp_path: Path) -> RepoBuilder:
    repo = RepoBuilder(tmp_path / "shop")
    repo.commit({"shop/limiter.py": "counts = {}\n"}, "Begin")
    repo.commit({"shop/limiter.py": "redis = Redis()\n"}, "Limit requests by Redis (#482)")
    repo.git("remote", "add", "origin", "git@github.com:acme/shop.git")
    return repo


@pytest.fixture
def server(shop: RepoBuilder) -> Iterator[GitHubServer]:
    with GitHubServer() as running_one:
        running_one.committers = {"kimnoor": ("Kim Noor", "kim@acme.example")}
        running_one.open_issue(17, "Requests pile up", "Since the last deploy.")
        running_one.open_pull(482, "Limit requests by Redis", merged=gh.BEGUN, merge=shop.head())
        running_one.say(482, "Memcached can't expire and count in one step.", gh.BEGUN + 60)
        running_one.open_pull(483, "Count refused requests")
        yield running_one


def test_pull_requests_are_added_asked_about_and_judged(
    home: Path, shop: RepoBuilder, server: GitHubServer
) -> None:
    with running(home, LIGHT | {"ACME_TOKEN": "ghp_secret"}) as daemon:
        daemon.index(shop.path)
        words = ("sources", "add", "github", "--token-env", "ACME_TOKEN", "--url", server.url)
        added = daemon.hermes(*words, cwd=shop.path)
        assert added.returncode == exits.DONE, added.stderr
        assert "contacts 127.0.0.1: pull requests and issues of acme/shop" in added.stdout
        assert "3 new" in added.stdout

        public = daemon.hermes(
            "sources", "add", "github", "--repo", "acme/shop", "--url", server.url
        )
        assert public.returncode == exits.DONE, public.stderr
        assert "3 known better from another source" in public.stdout

        daemon.settle()
        asked = daemon.hermes("ask", "how does #482 stand?", cwd=shop.path)
        assert "#482 “Limit requests by Redis” is merged" in asked.stdout

        judged = daemon.hermes("council", "--pr", "482", cwd=shop.path)
        assert judged.returncode in (exits.DONE, exits.FAILED, exits.NOTHING_RELEVANT)
        assert "#482 Limit requests by Redis" in judged.stdout
        _is_told(daemon, shop)


def _is_told(daemon: Daemon, shop: RepoBuilder) -> None:
    """What can't be judged is told in a line, with what helps."""
    for number, said in (
        ("483", "git fetch origin pull/483/head"),
        ("17", "#17 is no pull request"),
        ("9", "memory has no pull request #9"),
        ("x", "x is no pull request"),
    ):
        refused = daemon.hermes("council", "--pr", number, cwd=shop.path)
        assert refused.returncode != exits.DONE
        assert said in refused.stderr
