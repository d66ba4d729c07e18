"""How the local page is opened, outlives the daemon, gives way, and is closed."""

from __future__ import annotations

import json
import socket
from collections.abc import Generator
from pathlib import Path

import pytest

from hermes.tests.builders.daemon import Daemon, running, until
from hermes.tests.builders.page import Visitor, path_of


def listens(port: int) -> bool:
    """Say whether anybody listens at a port of this machine."""
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Generator[Daemon]:
    """One daemon for tests that neither stop it nor close its page."""
    with running(tmp_path_factory.mktemp("life") / "home") as started:
        yield started


def opens(daemon: Daemon) -> bool:
    """Say whether the page is open, as the daemon says."""
    return bool(daemon.call("GET", "/v1/web")["open"])


def test_nothing_listens_until_the_page_is_asked_for(home: Path) -> None:
    with running(home) as daemon:
        assert daemon.call("GET", "/v1/web") == {
            "open": False,
            "address": None,
            "port": None,
            "note": "",
        }
        assert not (home / "web.json").exists()
        assert "page " not in daemon.hermes("status").stdout
        port = daemon.call("POST", "/v1/web")["port"]
        assert listens(port)
        assert f"page     http://127.0.0.1:{port}/" in daemon.hermes("status").stdout


def test_an_open_page_finds_the_daemon_again_after_a_restart(home: Path) -> None:
    with running(home) as daemon:
        page = Visitor.let_in(daemon)
        ticket = daemon.call("POST", "/v1/web")["url"]
    assert not listens(page.port)
    with running(home) as daemon:
        until(lambda: opens(daemon), bool)
        assert page.get("/v1/hello").json["pid"] == daemon.pid
        assert Visitor(page.port).get(path_of(ticket)).status == 401
        daemon.kill()
    with running(home) as daemon:
        until(lambda: opens(daemon), bool)
        assert page.get("/v1/hello").json["pid"] == daemon.pid


def test_a_closed_page_lets_nobody_in_any_more(home: Path) -> None:
    with running(home) as daemon:
        page = Visitor.let_in(daemon)
        said = daemon.hermes("web", "--off")
        assert (said.returncode, said.stderr) == (
            0,
            "the page is closed; nothing listens any more\n",
        )
        assert not listens(page.port)
        assert not (home / "web.json").exists()
        assert daemon.hermes("web", "--off").stderr == "the page was not open\n"
        assert Visitor.let_in(daemon).port == page.port
        assert page.get("/v1/hello").status == 401
        assert json.loads(daemon.hermes("web", "--off", "--json").stdout)["was_open"] is True
    with running(home) as daemon:
        assert daemon.settle()["web"]["open"] is False
        assert not listens(page.port)


def test_a_page_is_closed_also_while_the_daemon_is_down(home: Path) -> None:
    with running(home) as daemon:
        page = Visitor.let_in(daemon)
    said = daemon.hermes("web", "--off")
    assert (said.returncode, said.stderr) == (0, "the page is closed; nothing listens any more\n")
    with running(home) as daemon:
        assert daemon.settle()["web"]["open"] is False
    assert not listens(page.port)


def test_streams_end_at_once_when_the_page_closes_or_the_daemon_stops(home: Path) -> None:
    with running(home) as daemon:
        for ending in (lambda: daemon.call("DELETE", "/v1/web"), daemon.stop):
            page = Visitor.let_in(daemon)
            with socket.create_connection(("127.0.0.1", page.port), timeout=20) as reader:
                reader.sendall(
                    f"GET /v1/journal/follow HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\n"
                    f"Cookie: {page.cookie}\r\n\r\n".encode()
                )
                seen = b""
                while b"retry: " not in seen:
                    seen += reader.recv(65_536)
                ending()
                while piece := reader.recv(65_536):
                    seen += piece
            assert seen.endswith(b"0\r\n\r\n")  # the whole answer, as HTTP has it
        assert "ERROR" not in daemon.log  # uvicorn tells of what it had to break off


def test_where_its_port_is_taken_the_page_moves_and_says_so(home: Path) -> None:
    with running(home) as daemon:
        page = Visitor.let_in(daemon)
    with socket.create_server(("127.0.0.1", page.port)), running(home) as daemon:
        note = until(lambda: daemon.call("GET", "/v1/web"), lambda web: web["open"])
        assert note["port"] != page.port
        assert note["note"].startswith(f"port {page.port} is taken by another program")
        assert any(note["note"] in line for line in daemon.call("GET", "/v1/status")["notes"])
        moved = Visitor.let_in(daemon)
        assert moved.get("/v1/hello").status == 200
        # Whoever took the port has been shown the cookie.
        assert Visitor(moved.port, page.cookie).get("/v1/hello").status == 401
    with running(home) as daemon:
        until(lambda: opens(daemon), bool)
        assert moved.get("/v1/hello").status == 200


def test_a_file_that_is_damaged_is_told_and_made_again(home: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "web.json").write_text("{")
    with running(home) as daemon:
        fault = until(lambda: daemon.call("GET", "/v1/trouble")["trouble"], bool)
        assert fault[0]["name"] == "web"
        assert "web.json" in fault[0]["detail"]
        assert Visitor.let_in(daemon).get("/v1/hello").status == 200
        assert daemon.call("GET", "/v1/trouble")["trouble"] == []


def test_two_homes_have_pages_that_do_not_mix(daemon: Daemon, home: Path) -> None:
    with running(home) as other:
        first, second = Visitor.let_in(daemon), Visitor.let_in(other)
        both = f"{first.cookie}; {second.cookie}"
        assert first.cookie.partition("=")[0] != second.cookie.partition("=")[0]
        for page, behind in ((first, daemon), (second, other)):
            assert Visitor(page.port, both).get("/v1/hello").json["pid"] == behind.pid
        assert Visitor(first.port, second.cookie).get("/v1/hello").status == 401
        secret = second.cookie.partition("=")[2]
        renamed = f"{first.cookie.partition('=')[0]}={secret}"
        assert Visitor(first.port, renamed).get("/v1/hello").status == 401


def test_it_is_served_also_where_the_ledger_can_not_be_opened(home: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "runtime.db").write_bytes(b"no database at all" * 1000)
    with running(home) as daemon:
        page = Visitor.let_in(daemon)
        assert page.get("/v1/status").json["pid"] == daemon.pid
        assert page.get("/v1/councils").code == "no_worker"


def test_the_command_prints_the_address_where_there_is_no_browser(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION"):
        monkeypatch.delitem(daemon.environment, name, raising=False)
    said = daemon.hermes("web")
    assert said.returncode == 0
    assert said.stderr == "lets one browser in, once, within a minute\n"
    found = json.loads(daemon.hermes("web", "--json").stdout)
    assert said.stdout.startswith(f"{found['address']}enter?ticket=")
    visitor = Visitor(found["port"])
    assert visitor.get(path_of(said.stdout.strip())).status == 303
    monkeypatch.setitem(daemon.environment, "SSH_CONNECTION", "10.0.0.2 50000 10.0.0.1 22")
    assert f"ssh -L {found['port']}:127.0.0.1:{found['port']} HOST" in daemon.hermes("web").stderr
    assert daemon.hermes("web", "--print", "--off").returncode == 2


def test_the_command_has_the_browser_show_the_page(
    daemon: Daemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = tmp_path / "shown"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {shown}.new; mv {shown}.new {shown}\n')
    browser.chmod(0o755)
    monkeypatch.setitem(daemon.environment, "BROWSER", str(browser))
    said = daemon.hermes("web")
    assert (said.returncode, said.stdout) == (0, "")
    assert said.stderr.startswith("the page is in your browser: http://127.0.0.1:")
    until(shown.exists, bool)
    address = shown.read_text()
    assert Visitor(int(address.split(":")[2].split("/")[0])).get(path_of(address)).status == 303
    assert not daemon.hermes("web", "--print").stdout.startswith(address)
