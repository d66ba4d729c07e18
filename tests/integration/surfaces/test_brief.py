"""``hermes brief`` with a real daemon: made by itself, read, rated, and read without the daemon."""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path

import pytest

from hermes.tests.builders.daemon import LIGHT, Daemon, running
from hermes.tests.builders.git import RepoBuilder

from .conftest import Run


@pytest.fixture
def shop(tmp_path: Path) -> RepoBuilder:
    """A repository with work of Sam's that is not committed."""
    shop = RepoBuilder(tmp_path / "shop")
    shop.config("user.name", "Sam Doe")
    shop.config("user.email", "sam@example.com")
    shop.commit({"shop/cart.py": "items = []\n"}, "Sell things", author="Sam Doe <sam@example.com>")
    (shop.path / "shop" / "cart.py").write_text("items = [1]\n")
    return shop


def test_a_brief_is_made_read_and_rated_and_lies_there_when_the_daemon_is_gone(
    tmp_path: Path, shop: RepoBuilder
) -> None:
    home = tmp_path / "home"
    with running(home, LIGHT) as daemon:
        assert daemon.hermes("brief").stderr.startswith("nothing to tell")
        daemon.index(shop.path)
        shown = daemon.hermes("brief", cwd=shop.path)
        assert shown.returncode == 0, shown.stderr
        assert "shop/cart.py" in shown.stdout and "made " in shown.stdout.splitlines()[0]
        assert (home / "brief" / "today.80").read_text().count("\n") > 1
        brief = json.loads(daemon.hermes("brief", "--json").stdout)
        topics = {fact["number"]: fact["topic"] for fact in brief["facts"]}
        rated = daemon.hermes("brief", "rate", "1", "-")
        assert rated.stderr.startswith(f"less of {topics[1].replace('_', ' ')}"), rated.stderr
        wrong = daemon.hermes("brief", "rate", "77", "+")
        assert (wrong.returncode, "has no line 77" in wrong.stderr) == (1, True)
        _others(daemon, shop)
        assert not (home / "brief" / "shown" / brief["day"]).exists()  # a pipe is no person
        daemon.kill()
        gone = daemon.hermes("brief")
        assert gone.returncode == 0 and "shop/cart.py" in gone.stdout
        assert "hermes has not been running since" in gone.stderr
        assert daemon.hermes("brief", "--week").returncode == 4
        assert json.loads(daemon.hermes("brief", "--json").stdout)["day"] == brief["day"]


def test_on_a_full_disk_a_brief_is_shown_and_said_not_to_be_noted(
    home: Path, shop: RepoBuilder
) -> None:
    assert sys.platform == "linux"
    with running(home, LIGHT) as daemon:
        daemon.index(shop.path)
        daemon.settle()
        hard = resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, (1_024, hard))
        shown = daemon.hermes("brief", cwd=shop.path)
        assert (shown.returncode, "shop/cart.py" in shown.stdout) == (0, True), shown
        (note,) = [line for line in shown.stderr.splitlines() if "noted" in line]
        assert note.startswith("that this was shown could not be noted, it may be told again: ")
        resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, (hard, hard))
        again = daemon.hermes("brief", cwd=shop.path)
        assert "shop/cart.py" in again.stdout and "noted" not in again.stderr


def _others(daemon: Daemon, shop: RepoBuilder) -> None:
    """Other times, people and forms."""
    week = daemon.hermes("brief", "--since", "2020-01-01", "--repo", ".", "--all", cwd=shop.path)
    assert week.returncode == 0 and "since 1 January 2020" in week.stdout
    chat = daemon.hermes("brief", "--team", "--since", "2001-01-01", "--markdown")
    assert "**Done**" in chat.stdout and "Sam Doe" in chat.stdout
    aloud = daemon.hermes("brief", "--speak-plain")
    assert "/" not in aloud.stdout and "cart dot py" in aloud.stdout
    nobody = daemon.hermes("brief", "--author", "nobody")
    assert "nobody in memory is called 'nobody'" in nobody.stderr
    late = daemon.hermes("brief", "--since", "someday")
    assert (late.returncode, "someday" in late.stderr) == (2, True)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["rate", "x", "+"], "rate takes a line's number and + or -"),
        (["rate", "0", "+"], "rate takes a line's number"),
        (["today"], "brief takes no today"),
        (["--week", "--since", "friday"], "--week and --since exclude each other"),
        (["--team", "--author", "ana"], "--team and --author exclude each other"),
        (["--repo", "x", "--all-repos"], "--repo and --all-repos exclude each other"),
        (["--author", " "], "--author is empty"),
    ],
)
def test_what_does_not_fit_together_is_refused(
    tmp_path: Path, hermes: Run, words: list[str], problem: str
) -> None:
    ran = hermes("brief", *words)
    assert ran.code == 2 and problem in ran.err


def test_without_daemon_and_brief_it_says_what_to_do(tmp_path: Path, hermes: Run) -> None:
    ran = hermes("brief")
    assert (ran.code, ran.out) == (4, "")
    assert "hermes up" in ran.err


def test_turned_off_no_brief_is_made_and_the_command_says_why(
    tmp_path: Path,
) -> None:
    with running(tmp_path / "home", LIGHT | {"HERMES_AMBIENT_BRIEF__ENABLED": "false"}) as daemon:
        off = daemon.hermes("brief")
        assert (off.returncode, "brief.enabled is off" in off.stderr) == (1, True)
        jobs = daemon.call("GET", "/v1/jobs")["jobs"]
        assert all(job["agent"] != "standup" for job in jobs)
