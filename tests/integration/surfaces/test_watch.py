"""What is followed on a terminal: status over a restart, and a job that is left running."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from hermes.daemon.paths import Paths
from hermes.tests.builders.daemon import LIGHT
from hermes.tests.builders.runtime_api import serving
from hermes.tests.servers.standin import Standin, hello, reply, stream

from .conftest import OnTerminal, Run
from .test_command_line import HEAVY

JOB: dict[str, Any] = {
    "id": 12,
    "agent": "indexer",
    "subject": "read",
    "state": "running",
    "repo": None,
}
QUEUED = reply({"event": 3, "decision": {"reason": "you asked"}, "jobs": [JOB]}, 202)


@pytest.fixture(autouse=True)
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in LIGHT.items():
        monkeypatch.setenv(name, value)


def test_status_waits_for_a_daemon_that_is_away(paths: Paths, on_terminal: OnTerminal) -> None:
    with serving(paths):
        terminal = on_terminal("status", "--watch")
        terminal.until("memory is empty")
    terminal.until("the daemon is away; waiting for it")
    with serving(paths):
        terminal.shown = ""
        terminal.until("memory is empty")
        assert "away" not in terminal.shown
        terminal.type("\x03")
        assert terminal.end() == 130
    assert terminal.shown.endswith("\x1b[?25h\x1b[?1049l")


def test_a_job_goes_on_when_its_command_is_interrupted(
    paths: Paths, on_terminal: OnTerminal
) -> None:
    over = threading.Event()

    def going() -> Generator[dict[str, Any]]:
        yield {"type": "progress", "phase": "read", "done": 40, "total": 100}
        while not over.wait(0.01):
            yield {"type": "progress", "phase": "read", "done": 41, "total": 100}

    answers = {
        "GET /v1/hello": hello(),
        "POST /v1/run": QUEUED,
        "GET /v1/jobs/12/watch": stream(going()),
    }
    with Standin(paths.socket_address, answers) as server:
        terminal = on_terminal("run", "indexer")
        terminal.until("reading history")
        terminal.type("\x03")
        assert terminal.end() == 130
        assert server.hung_up.wait(10)
        over.set()
    assert "j12 goes on behind; `hermes jobs show j12` says how it went" in terminal.shown
    assert "Traceback" not in terminal.shown


def test_a_job_that_fails_says_why_and_the_command_fails(paths: Paths, hermes: Run) -> None:
    error = {"error": "the disk is full", "hint": "make room", "code": "no_space"}
    ended = JOB | {
        "state": "failed",
        "reason": "the disk is full",
        "error": error,
        "report": {},
        "started_at": 10.0,
        "ended_at": 12.0,
        "queued_at": 9.0,
    }
    answers = {
        "GET /v1/hello": hello(),
        "POST /v1/run": QUEUED,
        "GET /v1/jobs/12/watch": stream([{"type": "error", **error}]),
        "GET /v1/jobs/12": reply({"job": ended}),
    }
    with Standin(paths.socket_address, answers) as server:
        ran = hermes("run", "indexer", "read", "all of it", "--dry-run", "--repo", "shop")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == ("j12 indexer read\nj12 failed after 2 s: the disk is full\nmake room\n")
    assert server.requests[1].json() == {
        "repo": "shop",
        "agent": "indexer",
        "subject": "read",
        "text": "all of it",
        "dry_run": True,
    }


@pytest.mark.parametrize("words", [["jobs"], ["log"], ["why", "j1"], ["status"], ["pause"]])
def test_nothing_heavy_is_imported(paths: Paths, words: list[str]) -> None:
    # Without site: an editable install's finder imports modules of its own.
    code = (
        "import sys; sys.path[:0] = sys.argv.pop(1).split(':')\n"
        "from hermes.surfaces.cli import main\n"
        "main()\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    root = Path(__file__).resolve().parents[3]
    with serving(paths):
        done = subprocess.run(
            [sys.executable, "-S", "-c", code, str(root / ".typing"), *words],
            capture_output=True,
            text=True,
            check=True,
        )
    loaded = set(done.stderr.split("\n")[-2].split())
    assert "hermes.surfaces.cli.main" in loaded
    assert not loaded & HEAVY
