"""People first, at the model too: a background answer gives way, and is written all the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hermes.tests.builders.daemon import Daemon, running, until
from hermes.tests.builders.shop import make_shop
from hermes.tests.servers.ollama import OllamaServer, Reply

WHY = "why was the retry queue dropped?"


def drop(home: Path, event: dict[str, Any]) -> None:
    """Put an event into the spool folder, as any script may."""
    fresh = home / "spool" / ".fresh"
    fresh.write_text(json.dumps(event))
    fresh.rename(fresh.with_name("asked.json"))


def jobs_of(daemon: Daemon, agent: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = daemon.call("GET", f"/v1/jobs?agent={agent}")["jobs"]
    return found


def test_a_background_answer_gives_way_to_a_person_and_is_finished_afterwards(
    home: Path, tmp_path: Path
) -> None:
    shop = make_shop(tmp_path / "shop")
    with OllamaServer() as server:
        settings = {
            "HERMES_AMBIENT_EMBEDDER__PROVIDER": "none",
            "HERMES_AMBIENT_OLLAMA__HOST": server.url,
            "HERMES_AMBIENT_ROUTER__MODE": "rules",
            "HERMES_AMBIENT_BRIEF__ENABLED": "false",  # it would ask the model too
        }
        with running(home, settings) as daemon:
            daemon.index(shop.path)
            daemon.settle()
            server.script(
                Reply(["It hid real"], then="hang"),
                Reply(["It hid real errors [1]."]),
                Reply(["It hid real errors [1]."]),
            )
            drop(home, {"kind": "requested", "text": WHY})
            until(lambda: len(server.calls("/api/chat")), lambda calls: calls == 1)
            server.client_left.clear()

            answer = daemon.stream("POST", "/v1/ask", {"question": WHY, "cwd": str(shop.path)})
            assert (answer[-1]["type"], answer[-1]["mode"]) == ("done", "model")
            assert server.client_left.wait(10)  # cancelled on the server too

            (job,) = until(
                lambda: jobs_of(daemon, "qa"), lambda jobs: bool(jobs) and jobs[0]["state"] == "ok"
            )
            assert job["attempts"] == 1
            assert "It hid real errors" in job["report"]["answer"]
            told = daemon.call("GET", f"/v1/why/j{job['id']}")
    (story,) = told["jobs"]
    assert [call["outcome"] for call in story["calls"]] == ["preempted", "ok"]
    assert "given_back" in [entry["what"] for entry in story["history"]]
