"""``hermes memory audit`` and marks in ``search``, with a real daemon and real git."""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from pathlib import Path

import pytest

from hermes.tests.builders.daemon import LIGHT, Daemon, running
from hermes.tests.builders.git import ALEX, RepoBuilder

QUIET = {
    "HERMES_AMBIENT_WATCH__ENABLED": "false",
    "HERMES_AMBIENT_COMMITS__ENABLED": "false",
    "HERMES_AMBIENT_DOCUMENTS__ENABLED": "false",
}


@pytest.fixture
def daemon(home: Path) -> Generator[Daemon]:
    with running(home, LIGHT | QUIET) as daemon:
        yield daemon


@pytest.fixture
def shop(tmp_path: Path) -> RepoBuilder:
    """A change that was reverted."""
    shop = RepoBuilder(tmp_path / "shop")
    shop.commit({"pay.py": "def pay(card):\n    pass\n"}, "Begin")
    tried = shop.commit({"pay.py": "def pay(card):\n    retry(card, 3)\n"}, "Retry payments thrice")
    shop.git("revert", "--no-commit", tried)
    said = f'Revert "Retry payments thrice"\n\nThis reverts commit {tried}.\n'
    shop.commit(None, said, author=ALEX)
    return shop


def test_the_audit_is_one_screen_and_ends_with_one_past_a_threshold(
    daemon: Daemon, shop: RepoBuilder
) -> None:
    daemon.index(shop.path)
    healthy = daemon.hermes("memory", "audit")
    assert healthy.returncode == 0, healthy
    assert "3 entries in 6 chunks of 1 repository" in healthy.stdout
    assert "memory is healthy" in healthy.stdout
    assert len(healthy.stdout.splitlines()) <= 24
    folder = next(daemon.home.rglob("memory.db")).parent
    stray = folder / "old.bin"
    stray.write_bytes(b"x")
    os.utime(stray, (1, 1))
    sick = daemon.hermes("memory", "audit")
    assert sick.returncode == 1
    assert "nothing uses old.bin in memory's folder" in sick.stdout
    found = json.loads(daemon.hermes("memory", "audit", "--json").stdout)
    assert (found["ok"], found["stray"]) == (False, ["old.bin"])
    assert found["line"] == "memory needs a look: stray files 1 (hermes memory audit)"


def test_after_a_night_search_says_what_was_taken_back(daemon: Daemon, shop: RepoBuilder) -> None:
    daemon.index(shop.path)
    before = daemon.hermes("search", "retry payments thrice", cwd=shop.path)
    assert "taken back" not in before.stdout
    assert daemon.hermes("consolidate").returncode == 0
    after = daemon.hermes("search", "retry payments thrice", cwd=shop.path)
    assert f"taken back by {shop.head()[:10]} on 2025-01-01" in after.stdout
    assert "1 over or taken back" in daemon.hermes("memory", "audit").stdout
    answer = daemon.hermes("ask", "when did we retry payments thrice?", cwd=shop.path)
    assert "took back" in answer.stdout or "reverted" in answer.stdout
