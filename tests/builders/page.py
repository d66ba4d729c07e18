"""The local page's port as any program sees it: requests as they are written, byte by byte."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from hermes.tests.builders.daemon import Daemon

JSON = {"content-type": "application/json"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def json(self) -> dict[str, Any]:
        """Its content as an object."""
        found: dict[str, Any] = json.loads(self.content)
        return found

    @property
    def code(self) -> str:
        """The word for why it was refused."""
        return str(self.json["code"])


@dataclass
class Visitor:
    """A browser, or something like one: it keeps the cookie it is given."""

    port: int
    cookie: str = ""
    headers: dict[str, str] = field(default_factory=dict[str, str])
    """Sent each time."""

    @classmethod
    def let_in(cls, daemon: Daemon) -> Visitor:
        """Open the page and go in, as `hermes web` has a browser do."""
        url: str = daemon.call("POST", "/v1/web")["url"]
        visitor = cls(urlsplit(url).port or 0)
        entered = visitor.get(path_of(url))
        assert (entered.status, entered.headers["location"]) == (303, "/")
        return visitor

    @property
    def origin(self) -> str:
        """How a browser names the page's origin."""
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str, **headers: str) -> Answer:
        """Get something."""
        return self.ask("GET", path, headers=headers)

    def post(self, path: str, body: object = None, **headers: str) -> Answer:
        """Post an object, as the page's own JavaScript does."""
        return self.ask("POST", path, body, {"origin": self.origin, **JSON, **headers})

    def delete(self, path: str) -> Answer:
        """Delete something, as the page's own JavaScript does."""
        return self.ask("DELETE", path, headers={"origin": self.origin, **JSON})

    def ask(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Send a request with these headers beside the host and the cookie; ``_`` in their names
        stands for ``-``, and an empty one is not sent."""
        content = b"" if body is None else json.dumps(body).encode()
        wanted = {"host": f"127.0.0.1:{self.port}", "cookie": self.cookie, **self.headers}
        wanted |= {name.replace("_", "-").lower(): value for name, value in (headers or {}).items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in wanted.items():
                if value:
                    connection.putheader(name, value)
            if content or method not in ("GET", "HEAD"):
                connection.putheader("content-length", str(len(content)))
            connection.endheaders(content)
            answer = connection.getresponse()
            found = Answer(
                answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
            )
        finally:
            connection.close()
        if given := found.headers.get("set-cookie"):
            self.cookie = given.partition(";")[0]
        return found

    def send(self, text: str, until: bytes = b"\0") -> bytes:
        """Send bytes as they are and return what comes back, until something is in it or the other
        end hangs up."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as connection:
            found = b""
            with suppress(ConnectionResetError, BrokenPipeError):
                connection.sendall(text.encode("latin-1"))
                while until not in found and (piece := connection.recv(65_536)):
                    found += piece
        return found


def path_of(url: str) -> str:
    """Return what follows the host in an address."""
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}"
