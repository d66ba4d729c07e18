"""Answers of the night over a real daemon: served while they hold, and said to be."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from hermes.tests.builders.daemon import Daemon
from hermes.tests.builders.git import RepoBuilder

QUESTION = "where are we with ENG-17?"
"""Means the same whatever the time of the day is."""


def ask(daemon: Daemon, cwd: Path) -> dict[str, Any]:
    """Ask, and return the last event of the answer."""
    body = {"question": QUESTION, "cwd": str(cwd)}
    return daemon.stream("POST", "/v1/ask", body)[-1]


def test_a_night_answers_and_a_commit_takes_the_answer_back(tmp_path: Path) -> None:
    shop = RepoBuilder(tmp_path / "shop")
    shop.config("user.name", "Sam Doe")
    shop.config("user.email", "sam@example.com")
    shop.commit(
        {"shop/payments/retry.py": "TRIES = 3\n"},
        "Retry payments (ENG-17)",
        when=int(time.time()) - 7_200,
    )
    daemon = Daemon(tmp_path / "home")
    try:
        daemon.index(shop.path)
        at_once = ask(daemon, shop.path)
        assert (at_once["mode"], at_once["made"], at_once["relevant"]) == ("facts", None, True)
        night = daemon.hermes("consolidate", cwd=shop.path)
        assert night.returncode == 0, night.stderr
        ahead = ask(daemon, shop.path)
        assert ahead["made"] is not None
        said = daemon.hermes("ask", QUESTION, cwd=shop.path)
        assert "one commit names ENG-17. Sam Doe" in said.stdout
        shop.commit(
            {"shop/payments/retry.py": "TRIES = 5\n"},
            "Retry payments more (ENG-17)",
            when=int(time.time()),
        )
        assert ask(daemon, shop.path)["made"] is None
        (questions,) = daemon.call("GET", "/v1/status")["work"]["answers"]["questions"]
        assert questions["kind"] == "ticket"
        assert (questions["served"], questions["stale"], questions["unpredicted"]) == (2, 1, 1)
        assert "4 questions in 30 days" in daemon.hermes("status").stdout
        raw = "".join(file.read_text() for file in (tmp_path / "home" / "memory" / "raw").glob("*"))
        assert f'"made":{ahead["made"]}' in raw
    finally:
        daemon.stop()
        daemon.close()
