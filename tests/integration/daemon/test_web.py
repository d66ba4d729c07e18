"""The local page's door: who gets in, who does not, and what the page may ask."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import psutil
import pytest

from hermes.daemon.web_allowed import ALLOWED
from hermes.tests.builders.daemon import Daemon, running, until
from hermes.tests.builders.page import JSON, Visitor, path_of


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Generator[Daemon]:
    """One daemon for all tests here."""
    with running(tmp_path_factory.mktemp("web") / "home") as daemon:
        yield daemon


@pytest.fixture
def page(daemon: Daemon) -> Visitor:
    """A browser that was let in."""
    return Visitor.let_in(daemon)


@pytest.fixture
def stranger(page: Visitor) -> Visitor:
    """Somebody who knows the port."""
    return Visitor(page.port)


def test_a_browser_that_was_let_in_has_the_page_and_its_files(page: Visitor) -> None:
    index = page.get("/")
    assert (index.status, index.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert b"<title>" in index.content
    script = page.get("/static/app.js")
    assert (script.status, script.headers["content-type"]) == (
        200,
        "text/javascript; charset=utf-8",
    )
    again = page.get("/static/app.js", if_none_match=script.headers["etag"])
    assert (again.status, again.content) == (304, b"")


def test_every_answer_tells_the_browser_to_trust_nothing_else(page: Visitor) -> None:
    for path in ("/", "/static/app.js", "/v1/hello", "/v1/doctor", "/nothing"):
        headers = page.get(path).headers
        policy = headers["content-security-policy"].split("; ")
        assert {"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"} <= set(policy)
        assert not any("unsafe" in each or "http" in each for each in policy)
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert "access-control-allow-origin" not in headers
        assert "server" not in headers
    assert page.get("/v1/hello").headers["cache-control"] == "no-store"


def test_the_cookie_is_for_the_browser_alone(daemon: Daemon) -> None:
    url = daemon.call("POST", "/v1/web")["url"]
    given = Visitor(int(url.split(":")[2].split("/")[0])).get(path_of(url)).headers["set-cookie"]
    assert {"HttpOnly", "Path=/", "SameSite=strict"} <= set(given.split("; "))
    assert "Domain" not in given


def test_without_the_cookie_one_is_told_how_to_get_in(stranger: Visitor) -> None:
    index = stranger.get("/")
    assert index.status == 401
    assert b"hermes web" in index.content
    for path in ("/v1/hello", "/v1/shutdown", "/v1/nothing"):
        asked = stranger.get(path)
        assert (asked.status, asked.code) == (401, "cookie")
    assert stranger.get("/static/app.js").status == 401


@pytest.mark.parametrize("value", ["", "x", "{}x", "x{}", "{}\xe9"])
def test_a_cookie_that_is_not_ours_is_none(page: Visitor, value: str) -> None:
    name, _, secret = page.cookie.partition("=")
    other = Visitor(page.port, f"{name}={value.format(secret)}")
    assert other.get("/v1/hello").status == 401


def test_a_cookie_that_another_server_put_before_ours_does_no_harm(page: Visitor) -> None:
    name = page.cookie.partition("=")[0]
    other = Visitor(page.port, f"a=b; {name}=theirs; {page.cookie}")
    assert other.get("/v1/hello").status == 200


def test_a_ticket_is_good_once(daemon: Daemon, stranger: Visitor) -> None:
    path = path_of(daemon.call("POST", "/v1/web")["url"])
    assert stranger.ask("HEAD", path).status == 401
    assert Visitor(stranger.port).get(path).status == 303
    second = stranger.get(path)
    assert (second.status, "set-cookie" in second.headers) == (401, False)
    assert b"used already" in second.content


@pytest.mark.parametrize("path", ["/enter", "/enter?ticket=", "/enter?ticket=guess", "/enter?x"])
def test_a_ticket_can_not_be_guessed(stranger: Visitor, path: str) -> None:
    assert (stranger.get(path).status, stranger.cookie) == (401, "")


def test_whoever_is_in_may_follow_an_old_address(daemon: Daemon, page: Visitor) -> None:
    assert page.get("/enter?ticket=used").status == 303


def test_two_browsers_are_let_in_by_a_ticket_each(daemon: Daemon) -> None:
    first, second = Visitor.let_in(daemon), Visitor.let_in(daemon)
    assert (first.get("/v1/hello").status, second.get("/v1/hello").status) == (200, 200)


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:PORT", "127.0.0.1", "127.0.0.1:1", "hermes", "0.0.0.0:PORT"],
)
def test_a_name_that_was_bent_to_us_is_nobody_s(page: Visitor, host: str) -> None:
    asked = page.get("/v1/hello", host=host.replace("PORT", str(page.port)))
    assert (asked.status, asked.code) == (421, "host")


def test_without_a_host_or_with_two_nothing_is_answered(page: Visitor) -> None:
    own = f"Host: 127.0.0.1:{page.port}\r\n"
    head = f"GET /v1/hello HTTP/1.0\r\nCookie: {page.cookie}\r\n"
    assert page.send(head + own + "\r\n").startswith(b"HTTP/1.1 200")
    assert page.send(head + "\r\n").startswith(b"HTTP/1.1 421")
    assert page.send(head + own + "Host: evil.example\r\n\r\n").startswith(b"HTTP/1.1 4")


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"origin": "http://localhost:PORT"},
        {"origin": "https://127.0.0.1:PORT"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
    ],
)
def test_another_page_gets_nothing_though_the_browser_shows_the_cookie(
    page: Visitor, headers: dict[str, str]
) -> None:
    sent = {name: value.replace("PORT", str(page.port)) for name, value in headers.items()}
    for path in ("/v1/hello", "/", "/static/app.js"):
        assert page.get(path, **sent).status == 403
    assert page.post("/v1/council/reflect", **sent).code == "origin"


def test_an_address_from_a_terminal_in_another_page_lets_one_in(
    daemon: Daemon, stranger: Visitor
) -> None:
    path = path_of(daemon.call("POST", "/v1/web")["url"])
    framed = stranger.get(
        path, sec_fetch_site="cross-site", sec_fetch_mode="navigate", sec_fetch_dest="iframe"
    )
    assert framed.status == 403
    entered = stranger.get(
        path, sec_fetch_site="cross-site", sec_fetch_mode="navigate", sec_fetch_dest="document"
    )
    assert (entered.status, entered.headers["refresh"]) == (200, "0; url=/")
    assert stranger.get("/").status == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": ""}, 403),
        ({"content_type": ""}, 415),
        ({"content_type": "text/plain"}, 415),
        ({"content_type": "application/x-www-form-urlencoded"}, 415),
        ({"content_type": "multipart/form-data; boundary=x"}, 415),
        ({"content_type": "text/plain; application/json"}, 415),
    ],
)
def test_what_a_form_can_send_changes_nothing(
    page: Visitor, headers: dict[str, str], status: int
) -> None:
    sent = {"origin": page.origin, **JSON}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    asked = page.ask("POST", "/v1/council/learn", {"lesson": "a | b | 2"}, sent)
    assert asked.status == status


def test_the_page_may_ask_what_is_on_the_list(page: Visitor) -> None:
    assert page.get("/v1/status").json["web"]["port"] == page.port
    assert page.get("/v1/councils").json == {"councils": []}
    assert page.get("/v1/councils/1").code == "no_such_id"
    asked = page.post(
        "/v1/council/learn", {"lesson": "nonsense"}, content_type="application/json; charset=utf-8"
    )
    assert asked.code == "bad_lesson"
    assert page.delete("/v1/councils/1/outcome").code == "no_such_id"


@pytest.mark.parametrize(
    "request_line",
    [
        "POST /v1/shutdown",
        "POST /v1/shutdown/",
        "POST /v1//shutdown",
        "POST /v1/councils/../shutdown",
        "POST /v1/councils/%2e%2e/shutdown",
        "POST /v1/%73hutdown",
        "GET /v1/doctor",
        "POST /v1/forget",
        "POST /v1/forget/look",
        "POST /v1/trust",
        "DELETE /v1/trust/shop",
        "POST /v1/repos",
        "DELETE /v1/repos/shop",
        "POST /v1/run",
        "POST /v1/events",
        "POST /v1/jobs/1/retry",
        "POST /v1/pause",
        "POST /v1/search",
        "POST /v1/ask",
        "GET /v1/memory/export",
        "POST /v1/models/pull",
        "GET /v1/web",
        "POST /v1/web",
        "DELETE /v1/web",
        "DELETE /v1/councils",
        "GET /v1/councils/1/outcome",
        "GET /v1/councils/١",
        "HEAD /v1/hello",
    ],
)
def test_all_else_is_refused_whoever_asks(daemon: Daemon, page: Visitor, request_line: str) -> None:
    method, _, path = request_line.partition(" ")
    raw = path.encode("utf-8").decode("latin-1")
    said = page.send(
        f"{method} {raw} HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\nCookie: {page.cookie}\r\n"
        f"Origin: {page.origin}\r\nContent-Type: application/json\r\n"
        "Content-Length: 2\r\nConnection: close\r\n\r\n{}"
    )
    assert said.startswith((b"HTTP/1.1 403", b"HTTP/1.1 400")), said
    assert daemon.call("GET", "/v1/hello")["pid"] == daemon.pid


def test_what_is_on_the_list_is_there() -> None:
    documented = (Path(__file__).parents[3] / "docs" / "api.md").read_text(encoding="utf-8")
    assert [each for each in ALLOWED if "| {} | {} |".format(*each) not in documented] == []


@pytest.mark.parametrize("method", ["OPTIONS", "PUT", "PATCH", "TRACE", "CONNECT", "GETX"])
def test_no_other_method_is_answered(page: Visitor, method: str) -> None:
    asked = page.ask(method, "/v1/hello", headers={"origin": page.origin, **JSON})
    assert asked.status in (403, 405)
    assert "access-control-allow-methods" not in asked.headers


@pytest.mark.parametrize(
    "path",
    [
        "/static/../../../etc/passwd",
        "/static/%2e%2e/%2e%2e/pyproject.toml",
        "/static/..%5c..%5cpyproject.toml",
        "/static//etc/passwd",
        "/static/__init__.py",
        "/static/",
        "/static",
        "/static/app.js%00.html",
        "/index.html",
        "/app.js",
        "//static/app.js",
        "/web.json",
        "/favicon.ico",
    ],
)
def test_only_the_page_s_own_files_are_served_by_name(page: Visitor, path: str) -> None:
    assert page.get(path).status in (403, 404)


def test_what_is_too_large_is_refused(page: Visitor) -> None:
    head = f"Host: 127.0.0.1:{page.port}\r\nCookie: {page.cookie}\r\nX: {'x' * 200_000}\r\n\r\n"
    for first in ("GET /v1/hello", f"GET /v1/hello?{'x' * 200_000}"):
        # It hangs up on what it has not read: then the answer may be lost.
        assert page.send(f"{first} HTTP/1.1\r\n{head}")[:12] in (b"HTTP/1.1 400", b"")
    assert page.post("/v1/councils", {"question": "x" * 1_100_000}).status == 413
    assert page.get("/v1/hello").status == 200


def test_the_journal_streams_through_it(page: Visitor) -> None:
    text = page.send(
        f"GET /v1/journal/follow?after=0 HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\n"
        f"Cookie: {page.cookie}\r\n\r\n",
        until=b"event: event\ndata: {",
    )
    assert b"content-type: text/event-stream" in text


def test_only_this_machine_can_reach_it(daemon: Daemon, page: Visitor) -> None:
    listening = {
        tuple(each.laddr)
        for each in psutil.Process(daemon.pid).net_connections("inet")
        if each.status == psutil.CONN_LISTEN
    }
    assert listening == {("127.0.0.1", page.port)}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_another_user_s_program_is_turned_away_even_with_the_cookie(
    daemon: Daemon, page: Visitor
) -> None:
    script = (
        "import os, socket, sys; os.setuid(int(sys.argv[3])); s = socket.socket()\n"
        "s.connect(('127.0.0.1', int(sys.argv[1])))\n"
        "try: s.sendall(sys.argv[2].encode()); print(s.recv(1000))\n"
        "except OSError: print(b'')\n"
    )
    request = (
        f"GET /v1/hello HTTP/1.0\r\nHost: 127.0.0.1:{page.port}\r\nCookie: {page.cookie}\r\n\r\n"
    )

    def ask(user: int) -> str:
        command = [sys.executable, "-S", "-c", script, str(page.port), request, str(user)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    assert "200 OK" in ask(0)
    assert ask(65534) == "b''\n"
    until(lambda: daemon.log, lambda log: "of user 65534 was turned away" in log)


def test_its_secret_is_in_no_log_and_no_journal(daemon: Daemon, page: Visitor) -> None:
    secret = page.cookie.partition("=")[2]
    ticket = daemon.call("POST", "/v1/web")["url"].partition("=")[2]
    page.get(f"/enter?ticket={ticket}")
    page.get("/v1/nothing")
    daemon.settle()
    holding = [
        path.relative_to(daemon.home)
        for path in sorted(daemon.home.rglob("*"))
        if path.is_file() and any(s.encode() in path.read_bytes() for s in (secret, ticket))
    ]
    assert holding == [Path("web.json")]
    assert (daemon.home / "web.json").stat().st_mode & 0o777 == 0o600
    assert secret not in str(daemon.call("GET", "/v1/status"))
