"""The client against a stand-in that speaks HTTP well and badly, over real sockets."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from hermes.daemon.paths import PathRefused, Paths, locate
from hermes.surfaces import client as module
from hermes.surfaces.client import Client, DaemonAbsent, DaemonLost, Refused
from hermes.tests.servers.standin import Answer, Request, Standin, raw, reply, stream

HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.fixture
def paths() -> Paths:
    return locate()


def ask(paths: Paths, answer: Answer) -> Any:
    """Send one request to a stand-in that gives this answer."""
    with Standin(paths.socket_address, {"GET /x": answer}), Client.connect(paths) as client:
        return client.call("GET", "/x")


def listen(paths: Paths, answer: Answer) -> list[dict[str, Any]]:
    """Read a stream from a stand-in that gives this answer."""
    with Standin(paths.socket_address, {"POST /x": answer}), Client.connect(paths) as client:
        return list(client.stream("POST", "/x", {"a": 1}))


@pytest.mark.parametrize(
    "pieces",
    [
        [HEAD + b'Content-Length: 7\r\n\r\n{"a":1}'],
        [HEAD + b"content-LENGTH:7\r\n\r\n", b'{"a"', b":1}"],
        [HEAD + b'\r\n{"a":', b"1}"],
        [CHUNKED, b'3\r\n{"a\r\n', b'4;ext=1\r\n":1}\r\n', b"0\r\nTrailer: x\r\n\r\n"],
        [bytes([byte]) for byte in CHUNKED + b'7\r\n{"a":1}\r\n0\r\n\r\n'],
    ],
    ids=["length", "split", "until the end", "chunked", "byte by byte"],
)
def test_bodies_of_every_kind_are_read(paths: Paths, pieces: list[bytes]) -> None:
    assert ask(paths, raw(*pieces)) == {"a": 1}


def test_one_connection_serves_one_request_after_the_other(paths: Paths) -> None:
    answers = {"GET /a": reply([1]), "POST /b": stream([{"type": "x"}]), "GET /c": reply({})}
    with Standin(paths.socket_address, answers) as server, Client.connect(paths) as client:
        assert client.call("GET", "/a") == [1]
        assert list(client.stream("POST", "/b", {"question": "é"})) == [{"type": "x"}]
        assert client.call("GET", "/c") == {}
        assert server.requests[1].json() == {"question": "é"}


def test_a_connection_that_was_idle_for_too_long_is_made_anew(paths: Paths) -> None:
    ended = HEAD + b"Content-Length: 2\r\n\r\n[]"
    answers = {"GET /idle": raw(ended), "GET /then": reply([1])}
    with Standin(paths.socket_address, answers) as server, Client.connect(paths) as client:
        assert client.call("GET", "/idle") == []
        assert server.hung_up.wait(10)
        assert client.call("GET", "/then") == [1]
        assert client.call("GET", "/idle") == []
    with pytest.raises(DaemonAbsent):
        client.call("GET", "/then")


def test_lines_arrive_as_they_are_sent(paths: Paths) -> None:
    go_on = threading.Event()

    def events() -> Generator[dict[str, Any]]:
        yield {"type": "text", "text": "first"}
        assert go_on.wait(10)
        yield {"type": "text", "text": "second"}

    answers = {"POST /x": stream(events())}
    with Standin(paths.socket_address, answers), Client.connect(paths) as client:
        found = client.stream("POST", "/x")
        assert next(found)["text"] == "first"
        go_on.set()
        assert next(found)["text"] == "second"


def test_lines_may_be_cut_anywhere(paths: Paths) -> None:
    line = json.dumps({"type": "text", "text": "x" * 10}).encode() + b"\n"
    both = line * 2
    chunks = [f"{len(p):x}\r\n".encode() + p + b"\r\n" for p in (both[:5], both[5:60], both[60:])]
    assert len(listen(paths, raw(CHUNKED, *chunks, b"0\r\n\r\n"))) == 2


def test_a_refusal_carries_message_hint_and_code(paths: Paths) -> None:
    said = {"error": "no such repository", "hint": "add it", "code": "not_in_memory"}
    with pytest.raises(Refused) as refused:
        ask(paths, reply(said, 404))
    error = refused.value
    assert (error.message, error.hint, error.code, error.status) == (*said.values(), 404)


def test_a_refusal_before_a_stream_and_one_within_it_are_the_same(paths: Paths) -> None:
    said = {"error": "no", "hint": "", "code": "x"}
    with pytest.raises(Refused, match="no"):
        listen(paths, reply(said, 400))
    with pytest.raises(Refused, match="no"):
        listen(paths, stream([{"type": "step"}, {"type": "error", **said}]))


def test_a_connection_is_good_for_more_after_a_refusal_within_a_stream(paths: Paths) -> None:
    said = {"type": "error", "error": "no", "hint": "", "code": "x"}
    answers = {"POST /x": stream([{"type": "step"}, said]), "GET /y": reply({"a": 1})}
    with Standin(paths.socket_address, answers), Client.connect(paths) as client:
        with pytest.raises(Refused, match="no"):
            list(client.stream("POST", "/x"))
        assert client.call("GET", "/y") == {"a": 1}


def test_a_status_without_words_is_still_told(paths: Paths) -> None:
    with pytest.raises(Refused, match="502"):
        ask(paths, raw(b"HTTP/1.1 502 Bad\r\nContent-Length: 0\r\n\r\n"))


@pytest.mark.parametrize(
    "pieces",
    [
        [b""],
        [b"SSH-2.0-OpenSSH_9.2\r\n\r\n"],
        [HEAD + b"Content-Length: 100\r\n\r\n{"],
        [HEAD + b"Content-Length: many\r\n\r\n{"],
        [CHUNKED, b'3\r\n{"a\r\n'],
        [CHUNKED, b"zz\r\n"],
        [HEAD + b"Content-Length: 4\r\n\r\noops"],
        [b"x" * 200_000],
    ],
    ids=["nothing", "not http", "short", "bad length", "cut", "bad chunk", "not json", "endless"],
)
def test_whatever_is_no_answer_ends_in_one_clear_error(paths: Paths, pieces: list[bytes]) -> None:
    with pytest.raises(DaemonLost) as lost:
        ask(paths, raw(*pieces))
    assert lost.value.hint


def test_a_daemon_that_hangs_is_given_up(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REPLY_TIMEOUT", 0.05)
    over = threading.Event()

    def hang(connection: socket.socket, request: Request) -> None:
        over.wait(10)

    with pytest.raises(DaemonLost, match="does not answer"):
        ask(paths, hang)
    over.set()


def test_nobody_listening_means_absent(paths: Paths, home: Path) -> None:
    with pytest.raises(DaemonAbsent):
        Client.connect(paths)
    with Standin(paths.socket_address, {}):
        pass
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(paths.socket_address)  # as a daemon that was killed leaves it
    dead.close()
    with pytest.raises(DaemonAbsent):
        Client.connect(paths)


def test_a_socket_in_a_folder_that_others_may_write_is_refused(paths: Paths) -> None:
    with Standin(paths.socket_address, {}):
        os.chmod(os.path.dirname(paths.socket_address), 0o777)
        with pytest.raises(PathRefused, match="others"):
            Client.connect(paths)


def test_loopback_sends_its_token(paths: Paths) -> None:
    found: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        paths.run.mkdir(parents=True)
        paths.token.write_text(f"{server.getsockname()[1]} s3cret\n")

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                found.append(connection.recv(65_536).decode())
                connection.sendall(HEAD + b"Content-Length: 2\r\n\r\n{}")

        thread = threading.Thread(target=serve)
        thread.start()
        with Client.connect(paths) as client:
            assert client.call("GET", "/v1/hello") == {}
        thread.join()
    assert "Authorization: Bearer s3cret\r\n" in found[0]


def test_closing_hangs_up_on_an_answer_under_way(paths: Paths) -> None:
    def endless() -> Generator[dict[str, Any]]:
        while True:
            yield {"type": "step", "text": "still at it"}

    with Standin(paths.socket_address, {"POST /x": stream(endless())}) as server:
        client = Client.connect(paths)
        assert next(client.stream("POST", "/x"))["type"] == "step"
        client.close()
        assert server.hung_up.wait(10)
