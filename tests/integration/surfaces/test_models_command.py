"""`hermes models` and `hermes models pull` as a user runs them."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator
from typing import Any

from hermes.daemon.paths import Paths
from hermes.tests.servers.standin import Answer, Standin, hello, reply, stream

from .conftest import OnTerminal, Run

FOUND: dict[str, Any] = {
    "provider": "ollama", "model": "hermes3:8b", "context": 8_192, "hosts": [], "agents": [],
    "usage_days": 30, "suggestions": [], "warnings": [],
}  # fmt: skip
PROGRESS = [
    {"type": "progress", "phase": "pulling 6a07", "done": done, "total": 4_700_000_000}
    for done in (0, 2_350_000_000)
]


def daemon(paths: Paths, **answers: Answer) -> Standin:
    routes = {"models": "GET /v1/models", "pull": "POST /v1/models/pull"}
    known = {routes[name]: answer for name, answer in answers.items()}
    return Standin(paths.socket_address, {"GET /v1/hello": hello(), **known})


def test_it_ends_with_1_where_no_host_has_the_model(paths: Paths, hermes: Run) -> None:
    with daemon(paths, models=reply(FOUND)):
        ran = hermes("models", "--json")
    assert ran.code == 1
    assert json.loads(ran.out) == FOUND


def test_a_pull_is_followed_to_its_end(paths: Paths, hermes: Run) -> None:
    report = {"model": "qwen:7b", "hosts": ["h"], "seconds": 3.0}
    done = {"type": "done", "report": report}
    with daemon(paths, pull=stream([*PROGRESS, done])) as server:
        ran = hermes("models", "pull", "qwen:7b")
    assert (ran.code, ran.out) == (0, "")
    assert "pulling 6a07 (MB): 2,350 of 4,700" in ran.err
    assert "qwen:7b is there" in ran.err
    assert server.requests[-1].json() == {"name": "qwen:7b"}


def test_a_pull_that_fails_says_what_to_do(paths: Paths, hermes: Run) -> None:
    error = {
        "type": "error",
        "error": "There is no model x to fetch.",
        "hint": "Check its name.",
        "code": "model_missing",
    }
    with daemon(paths, pull=stream([error])):
        ran = hermes("models", "pull", "x")
    assert ran.code == 1
    assert ran.err == "hermes: There is no model x to fetch.\nCheck its name.\n"


def test_a_pull_without_a_name_is_wrong_use(hermes: Run) -> None:
    ran = hermes("models", "pull")
    assert ran.code == 2
    assert "pull needs the model's name" in ran.err


def test_ctrl_c_stops_a_pull_and_says_that_it_can_go_on(
    paths: Paths, on_terminal: OnTerminal
) -> None:
    over = threading.Event()

    def slow() -> Generator[dict[str, Any]]:
        while not over.wait(0.01):
            yield from PROGRESS

    with daemon(paths, pull=stream(slow())) as server:
        terminal = on_terminal("models", "pull", "qwen:7b")
        terminal.until("pulling 6a07")
        terminal.type("\x03")
        assert terminal.end() == 130
        assert server.hung_up.wait(10)
        over.set()
    assert "`hermes models pull qwen:7b` goes on from where it was" in terminal.shown
    assert "Traceback" not in terminal.shown
