"""``hermes trust`` on a real daemon: no code of a repository runs before a person said yes."""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from hermes.surfaces.client import Refused
from hermes.tests.builders.daemon import COMMAND, LIGHT, UNRESTRAINED, Daemon, running, until
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.tested import BROKEN_CART, make_tested

from .conftest import Terminal


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Generator[Daemon]:
    with running(tmp_path_factory.mktemp("trust") / "home") as daemon:
        yield daemon


def runs_of(daemon: Daemon, repo: str) -> list[dict[str, Any]]:
    """The test runner's jobs of a repository that have ended."""
    found = daemon.call("GET", f"/v1/jobs?agent=test_runner&repo={repo}&state={ENDED}")
    jobs: list[dict[str, Any]] = found["jobs"]
    return jobs


ENDED = "ok,silent,skipped,late,failed,blocked_config,cancelled,abandoned,dead"


def test_an_untrusted_repository_never_runs_code(daemon: Daemon, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    shop = make_tested(tmp_path / "shop", canary=canary)
    repo, _ = daemon.index(shop.path)
    shop.write({"shop/cart.py": BROKEN_CART})
    until(lambda: runs_of(daemon, repo["id"]), lambda jobs: len(jobs) > 0)
    daemon.settle()
    shown = daemon.hermes("tests", cwd=shop.path)
    assert shown.returncode == 3
    assert shown.stdout.splitlines()[0] == "shop is not trusted, so none of its code is run"
    for words in (("run",), ("run", "--all"), ("run", "tests/test_cart.py")):
        refused = daemon.hermes("tests", *words, cwd=shop.path)
        assert refused.returncode == 1
        assert "shop is not trusted, so nothing of it is run" in refused.stderr
    asked = {"repo": repo["id"]}
    with pytest.raises(Refused) as refusal:
        daemon.call("POST", "/v1/tests/run", asked)
    assert (refusal.value.status, refusal.value.code) == (403, "not_trusted")
    with pytest.raises(Refused) as refusal:
        daemon.call("GET", f"/v1/tests/why?test=no&repo={repo['id']}")
    assert (refusal.value.status, refusal.value.code) == (404, "no_such_test")
    daemon.hermes("run", "test_runner", "full", cwd=shop.path)
    daemon.settle()
    assert not canary.exists()


def test_a_yes_says_what_it_means_and_runs_all_tests_once(daemon: Daemon, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    till = make_tested(tmp_path / "till", canary=canary)
    repo, _ = daemon.index(till.path)
    said = daemon.hermes("trust", cwd=till.path / "shop")
    assert said.returncode == 0
    first, second, third = said.stderr.splitlines()
    assert first == "till is trusted: hermes runs till's tests, that is its code, as you,"
    assert "`hermes trust revoke` ends it" in second
    assert third.startswith("all tests run once now (j")
    until(lambda: runs_of(daemon, repo["id"]), lambda jobs: jobs != [])
    assert canary.exists()
    again = daemon.hermes("trust", "till")
    assert "till is trusted already" in again.stderr
    assert "all tests run" not in again.stderr


def test_trust_is_listed_and_taken_back(daemon: Daemon, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    mill = make_tested(tmp_path / "mill", canary=canary)
    repo, _ = daemon.index(mill.path)
    daemon.hermes("trust", str(mill.path))
    listed = daemon.hermes("trust", "ls").stdout
    assert str(mill.path) in listed
    revoked = daemon.hermes("trust", "revoke", "mill")
    assert (revoked.returncode, "mill is trusted no more" in revoked.stderr) == (0, True)
    assert str(mill.path) not in daemon.hermes("trust", "ls").stdout
    daemon.settle()
    canary.unlink(missing_ok=True)
    before = len(runs_of(daemon, repo["id"]))
    mill.write({"shop/cart.py": BROKEN_CART})
    until(lambda: runs_of(daemon, repo["id"]), lambda jobs: len(jobs) > before)
    daemon.settle()
    assert not canary.exists()
    assert "was not trusted" in daemon.hermes("trust", "revoke", "mill").stderr


def test_a_folder_in_the_place_of_a_trusted_one_is_not_trusted(
    daemon: Daemon, tmp_path: Path
) -> None:
    canary = tmp_path / "canary"
    mint = make_tested(tmp_path / "mint")
    repo, _ = daemon.index(mint.path)
    daemon.hermes("trust", cwd=mint.path)
    daemon.settle()
    mint.path.rename(tmp_path / "away")
    make_tested(tmp_path / "planted", canary=canary)
    mint.path.symlink_to(tmp_path / "planted")
    shown = daemon.hermes("tests", "--repo", repo["id"])
    assert "mint is not trusted" in shown.stdout
    assert daemon.hermes("tests", "run", "--all", "--repo", repo["id"]).returncode == 1
    assert "not the same folder any more" in daemon.hermes("trust", "ls").stdout
    daemon.settle()
    assert not canary.exists()


def test_scripts_get_json(daemon: Daemon, tmp_path: Path) -> None:
    lamp = make_tested(tmp_path / "lamp")
    daemon.index(lamp.path)
    given = json.loads(daemon.hermes("trust", "--json", cwd=lamp.path).stdout)
    assert (given["new"], given["tests"]) == (True, ["pytest"])
    assert given["trusted"]["path"] == str(lamp.path)
    assert given["run"]["jobs"][0]["subject"] == "full"
    gone = json.loads(daemon.hermes("trust", "revoke", "--json", cwd=lamp.path).stdout)
    assert gone["was_trusted"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("a", "b"), 2, "takes one repository"),
        (("ls", "shop"), 2, "ls takes no shop"),
        (("nowhere",), 4, "no repository nowhere is in memory"),
        (("revoke", "nowhere"), 4, "no repository nowhere is in memory"),
    ],
)
def test_what_is_typed_wrong_is_told(
    daemon: Daemon, words: tuple[str, ...], code: int, said: str
) -> None:
    done = daemon.hermes("trust", *words)
    assert (done.returncode, said in done.stderr) == (code, True)


def up(daemon: Daemon, shop: RepoBuilder) -> Terminal:
    """Start ``hermes up`` on a terminal."""
    environment = {**LIGHT, **UNRESTRAINED, "HERMES_AMBIENT_HOME": str(daemon.home)}
    return Terminal([*COMMAND, "up"], 100, shop.path, **environment)


QUESTION = "tests in the background, that is its code, as you? [y/N] "


@pytest.mark.parametrize(("reply", "trusted"), [("y", True), ("", False)])
def test_up_asks_once_and_enter_is_no(
    daemon: Daemon, tmp_path: Path, reply: str, trusted: bool
) -> None:
    name = "yes" if trusted else "no"
    shop = make_tested(tmp_path / name)
    terminal = up(daemon, shop)
    terminal.until("[Y/n] ")
    terminal.type("n\n")
    terminal.until(QUESTION)
    terminal.type(f"{reply}\n")
    assert terminal.end() == 0
    assert (f"{name} is trusted" in terminal.shown) == trusted
    assert (str(shop.path) in daemon.hermes("trust", "ls").stdout) == trusted
    again = up(daemon, shop)
    assert again.end() == 0
    assert QUESTION not in again.shown


def test_up_does_not_ask_where_there_are_no_tests(daemon: Daemon, tmp_path: Path) -> None:
    shop = RepoBuilder(tmp_path / "plain")
    shop.commit({"a.txt": "a\n"}, "Begin")
    terminal = up(daemon, shop)
    terminal.until("[Y/n] ")
    terminal.type("n\n")
    assert terminal.end() == 0
    assert QUESTION not in terminal.shown


def test_up_does_not_ask_without_a_terminal(daemon: Daemon, tmp_path: Path) -> None:
    shop = make_tested(tmp_path / "quiet")
    done = daemon.hermes("up", cwd=shop.path)
    assert (done.returncode, QUESTION in done.stderr) == (0, False)
    assert os.fspath(shop.path) not in daemon.hermes("trust", "ls").stdout
