"""``hermes show``, against a real daemon."""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path

import pytest

from hermes.ingest.items import take_in
from hermes.memory.memory import Memory
from hermes.tests.builders.daemon import Daemon, running
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.items import thread, ticket


@pytest.fixture
def shop(tmp_path: Path) -> RepoBuilder:
    """A repository of two commits, of which one names a ticket."""
    builder = RepoBuilder(tmp_path / "shop")
    builder.commit({"src/cache.py": "TTL = 60\n"}, "Cache invoices for an hour")
    builder.commit({"src/cache.py": "TTL = 60\nTRIES = 3\n"}, "Try again (ENG-17)")
    return builder


@pytest.fixture
def daemon(tmp_path: Path, shop: RepoBuilder) -> Generator[Daemon]:
    """A daemon that holds it, a ticket and a discussion."""
    home = tmp_path / "home"
    with running(home) as started:
        started.index(shop.path)
    with Memory.open(home / "memory", embedder=None, write=True) as memory:
        take_in(memory, [ticket("ENG-17", "Try again"), thread(1, "ENG-17: see src/cache.py:2")])
    with running(home) as started:
        yield started


def test_a_thing_is_shown_with_what_is_around_it(daemon: Daemon, shop: RepoBuilder) -> None:
    ran = daemon.hermes("show", "eng-17", cwd=shop.path)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("ticket ENG-17\nTry again\n")
    assert "Try again (ENG-17)  names it" in ran.stdout
    assert "discussions" in ran.stdout
    found = json.loads(daemon.hermes("show", "ENG-17", "--json").stdout)["found"]
    assert [near["sort"] for near in found["near"]] == ["commit", "discussion"]


def test_a_file_is_meant_as_seen_from_where_one_stands_and_git_says_who_wrote_the_line(
    daemon: Daemon, shop: RepoBuilder
) -> None:
    ran = daemon.hermes("show", "cache.py:2", cwd=shop.path / "src")
    assert ran.returncode == 0, ran.stderr
    assert "line 2   TRIES = 3" in ran.stdout
    assert "Try again (ENG-17)  wrote line 2" in ran.stdout
    assert "ENG-17  Try again  with " in ran.stdout


def test_what_is_not_known_or_not_clear_is_said_in_one_line(
    daemon: Daemon, shop: RepoBuilder
) -> None:
    unknown = daemon.hermes("show", "ENG-18", cwd=shop.path)
    assert unknown.returncode == 4
    assert unknown.stderr == "hermes: memory knows nothing called ENG-18\nnearest: ENG-17\n"
    empty = daemon.hermes("show", " ", cwd=shop.path)
    assert empty.returncode == 2
