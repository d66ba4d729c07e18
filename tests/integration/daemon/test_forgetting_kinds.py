"""What comes from a source, what is old, a path in several repositories: forgotten by the command line
as a person would, at once with other things, and let in again."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hermes.ingest.items import take_in
from hermes.memory.memory import Memory
from hermes.surfaces.cli import exits
from hermes.tests.builders.daemon import Daemon, running
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.items import thread, ticket
from hermes.tests.builders.searching import where_is

pytestmark = pytest.mark.timeout(400)

OLD = int(datetime(2020, 5, 4, 12, tzinfo=UTC).timestamp())
NEW = int(datetime(2024, 5, 4, 12, tzinfo=UTC).timestamp())


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with two repositories, old and new in each, a discussion and tickets."""
    folder = tmp_path_factory.mktemp("kinds")
    for name in ("shop", "till"):
        repo = RepoBuilder(folder / name)
        repo.now = OLD
        repo.commit({"lib/keys.py": f"# numbat of {name}\n"}, f"Bring the quokka to {name}")
        repo.now = NEW
        repo.commit({"lib/doors.py": f"# wallaby of {name}\n"}, f"Show the bandicoot to {name}")
    with running(folder / "home") as daemon:
        for name in ("shop", "till"):
            daemon.index(folder / name)
        daemon.settle()
    with Memory.open(folder / "home" / "memory", embedder=None, write=True) as memory:
        take_in(
            memory,
            [
                thread(1, "Feeding the echidna\nKim Noor: at noon", time=NEW),
                thread(2, "Washing the cassowary\nKim Noor: never", time=OLD),
                ticket("ENG-17", "The dugong is wet", "It swims", time=NEW),
            ],
        )
    return folder


@pytest.fixture
def zoo(home: Path, filled: Path) -> Path:
    """The home of a test, a copy of that one."""
    shutil.copytree(filled / "home", home, symlinks=True)
    return home


def found(daemon: Daemon, word: str) -> bool:
    """Say whether a search finds a word."""
    return word in daemon.hermes("search", word).stdout


def test_what_came_from_a_source_goes_and_nothing_else(zoo: Path) -> None:
    with running(zoo) as daemon:
        looked = daemon.hermes("forget", "--source", "slack", "--dry-run")
        assert (looked.returncode, "discussions" in looked.stdout) == (exits.DONE, True)
        assert found(daemon, "echidna")

        done = daemon.hermes("forget", "--source", "slack", "-y")

        assert done.returncode == exits.DONE, (done.stdout, done.stderr)
        assert "nothing is left" in done.stdout
        daemon.settle()
        assert where_is(zoo, "echidna", "cassowary") == []
        assert found(daemon, "dugong")
        assert found(daemon, "quokka")
        assert "what came from slack" in daemon.hermes("forget", "--list").stdout
        again = daemon.hermes("forget", "--source", "teams", "-y")
        assert again.returncode != exits.DONE
        assert "nothing came from teams" in again.stderr


def test_what_is_older_than_a_day_goes_from_all_repositories(zoo: Path) -> None:
    with running(zoo) as daemon:
        done = daemon.hermes("forget", "--before", "2022-01-01", "-y")
        assert done.returncode == exits.DONE, (done.stdout, done.stderr)
        assert "nothing is left" in done.stdout
        daemon.settle()
        assert where_is(zoo, "quokka", "numbat", "cassowary") == []
        for word in ("bandicoot", "wallaby", "echidna", "dugong"):
            assert found(daemon, word)
        assert "older than 2022-01-01" in daemon.hermes("forget", "--list").stdout


def test_whoever_would_empty_memory_is_asked_twice(zoo: Path) -> None:
    with running(zoo) as daemon:
        asked = daemon.hermes("forget", "--before", "2025-01-01", "-y")
        assert asked.returncode == exits.USAGE
        assert "twice" in asked.stderr
        assert found(daemon, "quokka")
        done = daemon.hermes("forget", "--before", "2025-01-01", "-y", "-y")
        assert done.returncode == exits.DONE, (done.stdout, done.stderr)
        daemon.settle()
    assert where_is(zoo, "quokka", "bandicoot", "echidna", "dugong") == []


def test_what_is_let_in_again_is_read_from_git_in_every_repository(zoo: Path) -> None:
    with running(zoo) as daemon:
        assert daemon.hermes("forget", "--path", "lib/keys.py", "-y").returncode == exits.DONE
        daemon.settle()
        assert where_is(zoo, "numbat of shop", "numbat of till", "keys.py") == []
        (rule,) = daemon.call("GET", "/v1/forget")["rules"]
        assert daemon.hermes("forget", "--undo", str(rule["id"])).returncode == exits.DONE
        daemon.settle()
        lines = daemon.hermes("search", "numbat").stdout
        assert "shop" in lines
        assert "till" in lines
        assert daemon.call("GET", "/v1/forget")["rules"] == []
        assert daemon.hermes("memory", "check").returncode == exits.DONE


def test_two_that_are_asked_for_at_once_are_both_carried_out(zoo: Path) -> None:
    with running(zoo) as daemon, ThreadPoolExecutor(2) as pool:
        asked = [
            pool.submit(daemon.stream, "POST", "/v1/forget", body)
            for body in ({"path": "lib/doors.py"}, {"source": "slack"})
        ]
        assert [each.result()[-1]["type"] for each in asked] == ["done", "done"]
        daemon.settle()
        assert all(rule["done"] for rule in daemon.call("GET", "/v1/forget")["rules"])
    assert where_is(zoo, "wallaby", "doors.py", "echidna") == []


def test_what_is_forgotten_while_memory_is_rebuilt_is_not_in_the_new_one(zoo: Path) -> None:
    with running(zoo) as daemon, ThreadPoolExecutor(1) as pool, daemon.connect() as client:
        asked: Any = None
        for event in client.stream("POST", "/v1/memory/rebuild"):
            if asked is None and event["type"] == "progress":
                body = {"path": "lib/keys.py"}
                asked = pool.submit(daemon.stream, "POST", "/v1/forget", body)
        assert asked is not None
        assert asked.result()[-1]["type"] == "done"
        daemon.settle()
        assert found(daemon, "wallaby")
        assert daemon.hermes("memory", "check").returncode == exits.DONE
    assert where_is(zoo, "numbat", "keys.py") == []


def test_a_repository_that_a_rule_took_from_leaves_nothing_either(zoo: Path) -> None:
    with running(zoo) as daemon:
        assert daemon.hermes("forget", "--path", "lib/keys.py", "-y").returncode == exits.DONE
        (shop,) = (r for r in daemon.call("GET", "/v1/repos")["repos"] if r["name"] == "shop")
        done = daemon.hermes("forget", "--repo", "shop", "-y")
        assert (done.returncode, "nothing is left" in done.stdout) == (exits.DONE, True)
        daemon.settle()
        assert where_is(zoo, shop["id"], "to shop", "numbat") == []
        assert found(daemon, "bandicoot")
