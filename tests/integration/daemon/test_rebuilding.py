"""A rebuild through a real daemon: what was known answers until what is read anew takes its place."""

from __future__ import annotations

import os
import random
import shutil
import signal
import threading
import time
from collections.abc import Generator
from functools import partial
from operator import not_
from pathlib import Path
from typing import Any

import pytest

from hermes.memory.errors import HermesError
from hermes.memory.memory import Memory
from hermes.memory.tables import CHUNKS
from hermes.tests.builders.daemon import Daemon, lives, running, until, worker_of
from hermes.tests.builders.git import RepoBuilder

COMMITS = 800


@pytest.fixture
def shop(tmp_path: Path) -> RepoBuilder:
    """A repository of some size, with one commit to ask for."""
    builder = RepoBuilder(tmp_path / "shop")
    builder.many_commits(COMMITS, files=40)
    builder.git("reset", "--quiet", "--hard")
    builder.commit({"cache.py": "HOUR = 3600\n"}, "Cache invoices for an hour")
    return builder


@pytest.fixture
def daemon(tmp_path: Path, shop: RepoBuilder) -> Generator[Daemon]:
    """A daemon that holds it."""
    with running(tmp_path / "home") as started:
        started.index(shop.path)
        started.settle()
        yield started


class Asking(threading.Thread):
    """Asks the same question again and again, and writes down how it was answered."""

    def __init__(self, daemon: Daemon) -> None:
        super().__init__()
        self._daemon = daemon
        self.enough = threading.Event()
        self.answers: list[list[str]] = []
        self.failures: list[str] = []

    def run(self) -> None:
        with self._daemon.connect() as client:
            while not self.enough.is_set():
                try:
                    found = client.call("POST", "/v1/search", {"question": "cache invoices"})
                    asked = list(client.stream("POST", "/v1/ask", {"question": "cache invoices"}))
                except HermesError as error:
                    self.failures.append(repr(error))
                    return
                self.answers.append([p["chunk"]["title"] for p in found["passages"]])
                if asked[-1]["type"] != "done" or not asked[-1]["relevant"]:
                    self.failures.append(f"{asked}")


def content(home: Path) -> dict[str, Any]:
    """Return all that a memory holds."""
    with Memory.open(home / "memory", embedder=None) as memory:
        assert memory.check() == []
        ids: list[str] = memory.store.column(CHUNKS, "id").to_pylist()
        assert len(ids) == len(set(ids))
        [repo] = memory.index.repos()
        return {
            "repo": repo,
            "chunks": memory.store.fetch(ids),
            "commits": memory.index.commits_for(repo.id, memory.index.known(repo.id)),
            "tips": memory.index.tips(repo.id),
        }


def test_who_asks_meanwhile_is_always_answered_and_new_commits_are_not_lost(
    daemon: Daemon, shop: RepoBuilder, tmp_path: Path
) -> None:
    before = content(tmp_path / "home")
    asking = Asking(daemon)
    asking.start()
    try:
        with daemon.connect() as client:
            events = client.stream("POST", "/v1/memory/rebuild")
            next(event for event in events if event["type"] == "progress")
            sha = shop.commit({"refunds.py": "HOUR = 3600\n"}, "Cache refunds too")
            last = list(events)[-1]
        daemon.settle()
    finally:
        asking.enough.set()
        asking.join()
    assert last["type"] == "done"
    assert last["report"]["beside"]
    assert asking.failures == []
    assert len(asking.answers) > 5
    assert all(titles[0] == "Cache invoices for an hour" for titles in asking.answers)
    after = content(tmp_path / "home")
    assert before["chunks"].items() <= after["chunks"].items()
    assert sha in {commit.sha for commit in after["commits"]}
    assert len(after["commits"]) == COMMITS + 2
    assert after["repo"] == before["repo"]
    assert not (tmp_path / "home" / "memory" / "rebuilding").exists()
    assert len(list((tmp_path / "home" / "memory" / "lance").iterdir())) == 1


@pytest.mark.timeout(240)
def test_a_worker_killed_at_any_moment_leaves_the_old_answers_until_the_new_are_ready(
    daemon: Daemon, shop: RepoBuilder, tmp_path: Path
) -> None:
    before = content(tmp_path / "home")
    asking = Asking(daemon)
    asking.start()
    try:
        for turn in range(4):
            with daemon.connect() as client:
                events = client.stream("POST", "/v1/memory/rebuild")
                next(events)
                time.sleep(random.Random(turn).uniform(0, 1.5))  # the moment to die
                worker = worker_of(daemon.call("GET", "/v1/status"))
                if worker is not None:
                    os.kill(worker, signal.SIGKILL)
                    until(partial(lives, worker), not_)
                last = list(events)[-1]
            assert last["type"] == "done", last
        daemon.settle()
    finally:
        asking.enough.set()
        asking.join()
    assert asking.failures == []
    assert all(titles[0] == "Cache invoices for an hour" for titles in asking.answers)
    assert content(tmp_path / "home") == before
    assert len(list((tmp_path / "home" / "memory" / "lance").iterdir())) == 1


def test_a_killed_daemon_goes_on_with_the_rebuild_when_it_is_started_again(
    shop: RepoBuilder, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    with running(home) as first:
        first.index(shop.path)
        first.settle()
        before = content(home)
        tables = {path.name for path in (home / "memory" / "lance").iterdir()}
        with first.connect() as client:
            events = client.stream("POST", "/v1/memory/rebuild")
            next(event for event in events if event["type"] == "progress")
            worker = worker_of(first.call("GET", "/v1/status"))
            first.kill()
    assert worker is not None
    until(lambda: lives(worker), lambda living: not living)
    assert content(home) == before
    with running(home) as second:
        second.settle()
    assert content(home) == before
    assert {path.name for path in (home / "memory" / "lance").iterdir()} != tables
    assert not (home / "memory" / "rebuilding").exists()


def test_what_can_not_be_read_again_stays_as_it_was_and_that_is_said(
    daemon: Daemon, shop: RepoBuilder, tmp_path: Path
) -> None:
    before = content(tmp_path / "home")
    shutil.move(shop.path, tmp_path / "elsewhere")
    ran = daemon.hermes("memory", "rebuild", "--yes")
    assert ran.returncode == 0
    assert "801 commits could not be read again and stay as they were" in ran.stderr
    daemon.settle()
    assert content(tmp_path / "home") == before
