"""A stand-in for the daemon: speaks our HTTP over a real Unix socket, well and badly.

It answers each request of its script with the bytes that belong to it, so that a test decides
exactly what the client sees and when.
"""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Self

from hermes import __version__
from hermes.daemon.paths import Paths

Answer = Callable[[socket.socket, "Request"], None]

ANSWER: list[dict[str, Any]] = [
    {"type": "step", "text": "searching memory"},
    {
        "type": "text",
        "text": 'Sam Reyes dropped the retry queue on 2024-05-02: "It reordered jobs." [1]',
        "marks": [[22, 27], [28, 33]],
    },
    {
        "type": "sources",
        "sources": [
            {
                "number": 1,
                "repo": "r1",
                "source": "git",
                "sha": "3f2a91c0de" + "0" * 30,
                "time": 1_714_640_000,
                "date": "2024-05-02",
                "author": "Sam Reyes",
                "path": "worker/queue.py",
                "subject": "Drop the retry queue",
                "kind": "message",
            }
        ],
    },
    {
        "type": "done",
        "mode": "extractive",
        "confidence": 0.8,
        "relevant": True,
        "model": None,
        "tokens_in": 0,
        "tokens_out": 0,
        "seconds": 0.01,
        "dropped": 0,
    },
]

RECOLLECTION: dict[str, Any] = {
    "passages": [
        {
            "chunk": {
                "id": "c0ffee0123" + "0" * 22,
                "repo": "r1",
                "source": "git",
                "ref": "3f2a91c0de" + "0" * 30,
                "path": "worker/queue.py",
                "author": "Sam Reyes",
                "time": 1_714_640_000,
                "title": "Drop the retry queue",
                "text": "@@ -1,3 +1 @@\n-from retry import backoff\n-queue = RetryQueue()\n+pass\n",
            },
            "score": 0.91,
            "arms": {"message": 1.0, "context": 0.8},
            "exact": None,
            "said": "",
        }
    ],
    "confidence": 0.8,
    "relevant": True,
    "hints": {},
    "notes": [],
}

REPO: dict[str, Any] = {
    "id": "r1",
    "name": "shop",
    "path": "/src/shop/.git",
    "worktree": "/src/shop",
    "commits": 3,
    "problem": "",
    "job": None,
}


class Request:
    """What a client sent."""

    def __init__(self, method: str, path: str, headers: dict[str, str], body: bytes) -> None:
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


def reply(content: Any, status: int = 200) -> Answer:
    """Answer with a JSON document."""

    def answer(connection: socket.socket, request: Request) -> None:
        body = json.dumps(content).encode()
        head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)

    return answer


def stream(events: Iterable[dict[str, Any]]) -> Answer:
    """Answer with NDJSON in chunks, one for each event."""

    def answer(connection: socket.socket, request: Request) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for event in events:
            line = json.dumps(event).encode() + b"\n"
            connection.sendall(f"{len(line):x}\r\n".encode() + line + b"\r\n")
        connection.sendall(b"0\r\n\r\n")

    return answer


def raw(*pieces: bytes) -> Answer:
    """Answer with these bytes, each sent on its own, and hang up."""

    def answer(connection: socket.socket, request: Request) -> None:
        for piece in pieces:
            connection.sendall(piece)
        connection.shutdown(socket.SHUT_RDWR)

    return answer


def hello(version: str = __version__, api: int = 1) -> Answer:
    """Answer as the daemon greets."""
    return reply({"version": version, "api": api, "pid": os.getpid(), "started": 0, "home": "/h"})


class Standin:
    """Listens on a Unix socket while used as a context manager. ``requests`` is what came."""

    def __init__(self, address: Path | str, answers: dict[str, Answer]) -> None:
        self._address = str(address)
        self._answers = answers
        self.requests: list[Request] = []
        self.hung_up = threading.Event()
        """Set when a client has closed its connection."""

    def __enter__(self) -> Self:
        os.makedirs(os.path.dirname(self._address), mode=0o700, exist_ok=True)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self._address)
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        os.unlink(self._address)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as file:
            try:
                while first := file.readline():
                    method, path, _ = first.decode().split()
                    headers: dict[str, str] = {}
                    while (line := file.readline().strip()) != b"":
                        name, _, value = line.decode().partition(":")
                        headers[name.lower()] = value.strip()
                    body = file.read(int(headers.get("content-length", "0")))
                    request = Request(method, path, headers, body)
                    self.requests.append(request)
                    self._answers[f"{method} {path}"](connection, request)
            except OSError:
                pass
        self.hung_up.set()


def standin(paths: Paths, **answers: Answer) -> Standin:
    """A stand-in that answers like a daemon with one repository, but for what is given."""
    usual = {
        "hello": hello(),
        "repos": reply({"repos": [REPO]}),
        "ask": stream(ANSWER),
        "search": reply(RECOLLECTION),
        "sources": reply({"sources": []}),
    }
    routes = {
        "hello": "GET /v1/hello",
        "repos": "GET /v1/repos",
        "ask": "POST /v1/ask",
        "search": "POST /v1/search",
        "doctor": "GET /v1/doctor",
        "status": "GET /v1/status",
        "sources": "GET /v1/sources",
    }
    return Standin(
        paths.socket_address,
        {routes[name]: answer for name, answer in (usual | answers).items()},
    )
