"""Answers of a daemon that has a language model."""

from __future__ import annotations

import signal
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from hermes.surfaces.client import DaemonLost
from hermes.tests.builders.daemon import Daemon, running, until
from hermes.tests.builders.shop import make_shop
from hermes.tests.servers.ollama import OllamaServer, Reply

QUESTION = {"question": "why was the retry queue dropped?"}


@pytest.fixture(scope="module")
def server() -> Generator[OllamaServer]:
    with OllamaServer() as server:
        yield server


@pytest.fixture(scope="module")
def daemon(server: OllamaServer, tmp_path_factory: pytest.TempPathFactory) -> Generator[Daemon]:
    """A daemon whose model is the server's, with a repository in memory. Its end is a test's."""
    folder = tmp_path_factory.mktemp("model")
    settings = {
        "HERMES_AMBIENT_EMBEDDER__PROVIDER": "static",
        "HERMES_AMBIENT_OLLAMA__HOST": server.url,
    }
    with running(folder / "home", settings) as daemon:
        daemon.index(make_shop(folder / "shop").path)
        daemon.settle()
        yield daemon


@contextmanager
def answering(daemon: Daemon, server: OllamaServer) -> Generator[Iterator[dict[str, Any]]]:
    """Ask, and hand out the rest of the answer once the model has begun to write and fell silent."""
    before = len(server.calls("/api/chat"))
    server.script(Reply(["It hid real"], then="hang"))
    with daemon.connect() as client:
        events = client.stream("POST", "/v1/ask", QUESTION)
        next(events)
        until(lambda: len(server.calls("/api/chat")), lambda calls: calls > before)
        server.client_left.clear()
        yield events


def test_a_model_that_is_there_is_shown_and_asked(daemon: Daemon, server: OllamaServer) -> None:
    model = daemon.call("GET", "/v1/status")["model"]
    assert (model["name"], model["reachable"], model["present"]) == ("hermes3:8b", True, True)
    server.script(Reply(["It hid real errors [1]."]))
    done = daemon.stream("POST", "/v1/ask", QUESTION)[-1]
    assert (done["mode"], done["model"]) == ("model", "hermes3:8b")
    (check,) = [c for c in daemon.call("GET", "/v1/doctor")["checks"] if c["name"] == "destination"]
    assert check["state"] == "ok"
    assert check["detail"] == f"{server.url} (language model): this machine"


def test_who_wants_it_plain_gets_it_without_the_model(daemon: Daemon, server: OllamaServer) -> None:
    before = len(server.calls("/api/chat"))
    done = daemon.stream("POST", "/v1/ask", {**QUESTION, "plain": True})[-1]
    assert (done["mode"], done["model"]) == ("extractive", None)
    assert len(server.calls("/api/chat")) == before


def test_who_hangs_up_cancels_the_model(daemon: Daemon, server: OllamaServer) -> None:
    with answering(daemon, server):
        assert not server.client_left.is_set()
    assert server.client_left.wait(30)
    assert daemon.call("GET", "/v1/hello")["pid"] == daemon.pid


def test_a_daemon_that_is_told_to_stop_does_not_wait_for_a_silent_model(
    daemon: Daemon, server: OllamaServer
) -> None:
    with answering(daemon, server) as events:
        daemon.process.send_signal(signal.SIGTERM)
        with pytest.raises(DaemonLost):
            list(events)
    assert server.client_left.wait(30)
    assert daemon.wait() == 0
