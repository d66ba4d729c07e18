"""``hermes docs`` with a real daemon, real repositories and real git."""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from hermes.surfaces.cli import main
from hermes.surfaces.client import Refused
from hermes.tests.builders.daemon import LIGHT, Daemon, running
from hermes.tests.builders.git import RepoBuilder

README = """\
# Shop

Sells things.

## Config

Settings of the shop:

- `max_items`: how many things a cart holds

A cart forgets after `cache_ttl` seconds.
Keep `cache_ttl` low while testing.

## Use

Run it.
"""
SETTINGS = "max_items = 10\ncache_ttl = 60\n"
CODE = 'import settings\n\n\ndef forget():\n    return settings.get("cache_ttl")\n'


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Generator[Daemon]:
    home = tmp_path_factory.mktemp("home")
    # Nothing looks by itself: each test says when a commit is checked.
    settings = {
        "HERMES_AMBIENT_WATCH__ENABLED": "false",
        "HERMES_AMBIENT_COMMITS__ENABLED": "false",
    }
    with running(home, LIGHT | settings) as daemon:
        yield daemon


@pytest.fixture
def shop(daemon: Daemon, tmp_path: Path) -> RepoBuilder:
    """A repository in memory, whose last commit renamed a setting that README.md names."""
    shop = RepoBuilder(tmp_path / "shop")
    shop.config("user.name", "Sam Doe")
    shop.config("user.email", "sam@example.com")
    shop.commit({"README.md": README, "shop.toml": SETTINGS, "shop/cart.py": CODE}, "Sell things")
    daemon.index(shop.path)
    shop.commit(
        {
            "shop.toml": SETTINGS.replace("cache_ttl", "cache_age"),
            "shop/cart.py": CODE.replace("cache_ttl", "cache_age"),
        },
        "Rename cache_ttl to cache_age",
    )
    check(daemon, shop)
    return shop


def check(daemon: Daemon, shop: RepoBuilder) -> Any:
    """Have the last commit checked, as a commit of a person is."""
    done = daemon.hermes("run", "doc_keeper", "check", "--json", cwd=shop.path)
    assert done.returncode == 0, done.stderr
    return done.stdout


def listed(daemon: Daemon, shop: RepoBuilder, *, everything: bool = False) -> list[dict[str, Any]]:
    more = "&all=true" if everything else ""
    found = daemon.call("GET", f"/v1/documents?cwd={shop.path}{more}")
    proposals: list[dict[str, Any]] = found["proposals"]
    return proposals


def test_from_a_commit_to_the_commit_that_follows_it(daemon: Daemon, shop: RepoBuilder) -> None:
    """18:00 in the design: a setting is renamed, its document is not, and one command puts it
    right."""
    assert daemon.hermes("hooks", "install", cwd=shop.path).returncode == 0
    (each,) = listed(daemon, shop)
    name = each["name"]
    done = daemon.hermes("docs", cwd=shop.path)
    assert done.stdout.split() == [
        *(name, "certain", "README.md:11", "fix"),
        *each["reason"].split(),
    ]
    assert "cache_ttl in" in each["reason"]

    shown = daemon.hermes("docs", "show", name, cwd=shop.path).stdout
    assert "-Keep `cache_ttl` low while testing.\n" in shown
    assert "+Keep `cache_age` low while testing.\n" in shown
    assert f"commit      {shop.head()[:10]} Rename cache_ttl to cache_age" in shown

    accepted = daemon.hermes("docs", "accept", name, cwd=shop.path)
    assert accepted.returncode == 0, accepted.stderr
    assert "`git commit` opens with this message:" in accepted.stdout
    changed = [
        line for line in shop.git("diff", "--cached", "-U0").split("\n") if line[1:2] != line[:1]
    ]
    assert [line for line in changed if line[:1] in "+-"] == [
        "-A cart forgets after `cache_ttl` seconds.",
        "-Keep `cache_ttl` low while testing.",
        "+A cart forgets after `cache_age` seconds.",
        "+Keep `cache_age` low while testing.",
    ]
    assert shop.git("diff") == ""

    shop.git("commit", "-q", environment={"GIT_EDITOR": "true"})
    assert shop.git("log", "-1", "--format=%B") == "Rename cache_ttl to cache_age in README.md"
    check(daemon, shop)
    assert listed(daemon, shop) == []
    (over,) = listed(daemon, shop, everything=True)
    assert (over["state"], over["why"]) == ("accepted", "committed")
    again = daemon.hermes("docs", "accept", name, cwd=shop.path)
    assert (again.returncode, again.stdout) == (1, "")
    assert "was accepted and committed" in again.stderr


def test_what_is_dismissed_is_not_shown_any_more(daemon: Daemon, shop: RepoBuilder) -> None:
    (each,) = listed(daemon, shop)
    path = f"/v1/documents/{each['id']}"
    said = daemon.call("POST", f"{path}/dismiss", {"reason": "an example"})["proposal"]
    assert (said["state"], said["why"]) == ("dismissed", "an example")
    with pytest.raises(Refused, match="is dismissed already"):
        daemon.call("POST", f"{path}/dismiss", {})
    done = daemon.hermes("docs", "scan", "--wait", cwd=shop.path)
    assert done.returncode == 0, done.stderr
    assert "no document has drifted" in done.stderr


def test_what_cannot_be_done_is_said_in_one_line(daemon: Daemon, shop: RepoBuilder) -> None:
    (each,) = listed(daemon, shop)
    shop.write({"README.md": "mine\n"})
    refused = daemon.hermes("docs", "accept", each["name"], "--json", cwd=shop.path)
    assert refused.returncode == 1
    assert "changes that are not committed" in json.loads(refused.stderr)["error"]
    with pytest.raises(Refused, match="there is no D999"):
        daemon.call("GET", "/v1/documents/999")


@pytest.mark.parametrize(
    "words",
    [
        *(["show"], ["show", "x"], ["accept", "D1", "D2"], ["ls", "D1"], ["show", "D1", "--wait"]),
        *(["show", "D1", "--reason", "x"], ["show", "D1", "--all"]),
    ],
)
def test_a_slip_of_the_pen_asks_nobody(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["docs", *words]) == 2
    assert capsys.readouterr().err.startswith("hermes: ")
