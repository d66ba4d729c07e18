"""The daemon where there are no Unix sockets: a loopback port and a token."""

from __future__ import annotations

import http.client
import json
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from hermes.tests.builders.daemon import LIGHT, Daemon, running


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Generator[Daemon]:
    """One daemon for all tests here."""
    settings = {**LIGHT, "HERMES_AMBIENT_DAEMON__TRANSPORT": "loopback"}
    with running(tmp_path_factory.mktemp("loopback") / "home", settings) as daemon:
        yield daemon


def ask(daemon: Daemon, **headers: str) -> tuple[int, dict[str, Any]]:
    """Say hello with these headers; ``PORT`` and ``TOKEN`` in them stand for the real ones."""
    port, token = (daemon.home / "run" / "token").read_text().split()
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=10)
    try:
        connection.putrequest("GET", "/v1/hello", skip_host=True)
        for name, value in headers.items():
            connection.putheader(name, value.replace("PORT", port).replace("TOKEN", token))
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def test_the_command_line_finds_its_way(daemon: Daemon) -> None:
    assert daemon.call("GET", "/v1/hello")["pid"] == daemon.pid
    assert not (daemon.home / "run" / "daemon.sock").exists()
    assert (daemon.home / "run" / "token").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("host", ["127.0.0.1:PORT", "localhost:PORT"])
def test_with_the_token_and_our_own_name_one_gets_in(daemon: Daemon, host: str) -> None:
    status, said = ask(daemon, Host=host, Authorization="Bearer TOKEN")
    assert (status, said["pid"]) == (200, daemon.pid)


@pytest.mark.parametrize(
    "token", ["", "Bearer ", "Bearer wrong", "Basic TOKEN", "Bearer TOKENx", "Bearer \xe9"]
)
def test_without_the_token_one_does_not(daemon: Daemon, token: str) -> None:
    status, said = ask(daemon, Host="127.0.0.1:PORT", Authorization=token)
    assert (status, said["code"]) == (401, "token")
    assert "pid" not in said


@pytest.mark.parametrize("host", ["evil.example", "evil.example:PORT", "127.0.0.1:1", "localhost"])
def test_a_page_whose_name_was_bent_to_us_does_not_get_in(daemon: Daemon, host: str) -> None:
    status, said = ask(daemon, Host=host, Authorization="Bearer TOKEN")
    assert (status, said["code"]) == (421, "host")


def test_the_token_goes_with_the_daemon(home: Path) -> None:
    with running(home, {**LIGHT, "HERMES_AMBIENT_DAEMON__TRANSPORT": "loopback"}) as daemon:
        daemon.kill()
    assert (home / "run" / "token").exists()
    with running(home) as daemon:
        assert daemon.call("GET", "/v1/hello")["pid"] == daemon.pid
    assert os.listdir(home / "run") == ["daemon.lock"]
