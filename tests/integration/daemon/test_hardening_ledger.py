"""A ledger that can't be opened: people are answered, and told what is wrong and what to do."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes.tests.builders.daemon import running, until
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.shop import make_shop


def garbage(file: Path) -> None:
    file.write_bytes(os.urandom(8_192))


def newer(file: Path) -> None:
    file.write_bytes(b"")
    with sqlite3.connect(file) as db:
        db.execute("PRAGMA user_version = 999")
    db.close()


def folder(file: Path) -> None:
    file.unlink(missing_ok=True)
    file.mkdir()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a repository in memory, and the repository beside it."""
    folder = tmp_path_factory.mktemp("ledger")
    shop = make_shop(folder / "shop")
    with running(folder / "home") as daemon:
        daemon.index(shop.path)
        daemon.settle()
    return folder


@pytest.mark.parametrize(
    ("break_it", "what", "advice"),
    [
        (garbage, "is damaged", "Move runtime.db away"),
        (newer, "newer version", "Upgrade hermes-ambient"),
        (folder, "is damaged", "Move runtime.db away"),
    ],
)
def test_people_are_answered_without_a_ledger_and_told_what_to_do(
    made: Path, break_it: Callable[[Path], None], what: str, advice: str
) -> None:
    file = made / "home" / "runtime.db"
    if file.is_dir():
        file.rmdir()
    break_it(file)
    with running(made / "home") as daemon:
        assert daemon.call("POST", "/v1/search", {"question": "retry queue"})["passages"]
        assert daemon.hermes("ask", "--plain", "why was the retry queue dropped").stdout
        shown = daemon.hermes("status").stdout
        assert what in shown
        assert advice in shown
        for words in (("jobs",), ("run", "indexer")):
            told = daemon.hermes(*words, cwd=made / "shop")
            assert told.returncode == 1
            assert what in told.stderr
            assert "not running" not in told.stderr
        assert "Traceback" not in daemon.log


def test_an_empty_ledger_is_a_new_one(made: Path) -> None:
    file = made / "home" / "runtime.db"
    if file.is_dir():
        file.rmdir()
    file.write_bytes(b"")
    repo = RepoBuilder(made / "shop", existing=True)
    repo.commit({"wood.txt": "zebrawood\n"}, "Choose a wood")
    with running(made / "home") as daemon:
        until(
            lambda: daemon.call("POST", "/v1/search", {"question": "zebrawood"})["passages"], bool
        )
        assert daemon.call("GET", "/v1/status")["notes"] == []
