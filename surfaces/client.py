"""Speaks HTTP/1.1 to the daemon over its Unix socket, or over loopback with a token.

Hand-rolled because ``http.client`` costs 31 ms of import, half of what a whole question may take.
It speaks only to our own daemon: one connection, one request at a time, no redirects.
"""

from __future__ import annotations

import json
import os
import socket

from ..daemon.paths import check_private
from ..memory.errors import HermesError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, Self

    from ..daemon.paths import Paths

CONNECT_TIMEOUT = 5.0
REPLY_TIMEOUT = 60.0
"""Seconds of silence after which a plain request is given up."""
STREAM_TIMEOUT = 300.0
"""Seconds of silence after which a stream is given up; a model that is being loaded is silent."""
MOST_HEADER = 65_536


class DaemonAbsent(HermesError):
    """Nobody listens: no daemon runs for this home."""

    code = "not_running"


class DaemonLost(HermesError):
    """The daemon went away, hung, or said something that is not HTTP."""

    code = "lost"


class DaemonHung(DaemonLost):
    """The daemon is there and says nothing."""


class Refused(HermesError):
    """The daemon understood and said no; ``code`` is its word for why, ``status`` HTTP's."""

    def __init__(self, status: int, message: str, *, hint: str = "", code: str = "error") -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.code = code


class Client:
    """One connection to the daemon. Also a context manager that closes it."""

    trouble = 0
    """So many services are down, as the last answer to any client of this process said."""

    def __init__(
        self,
        connection: socket.socket,
        token: str = "",
        again: Callable[[], tuple[socket.socket, str]] | None = None,
    ) -> None:
        self._socket = connection
        self._buffer = b""
        self._token = token
        self._again = again
        self._answered = False

    @classmethod
    def connect(cls, paths: Paths) -> Client:
        """Connect to this home's daemon. Raise DaemonAbsent if there is none, PathRefused if the
        folder of the socket is not safely ours."""
        connection, token = _open(paths)
        return cls(connection, token, lambda: _open(paths))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up; an answer that is under way is cancelled by the daemon."""
        self._socket.close()

    def call(
        self, method: str, path: str, body: object = None, *, timeout: float | None = None
    ) -> Any:
        """Send a request and return the JSON of its answer. Raise Refused, or DaemonLost after
        ``timeout`` seconds of silence."""
        self._send(method, path, body, timeout or REPLY_TIMEOUT)
        status, headers = self._head()
        content = b"".join(self._body(headers))
        return self._check(status, content)

    def stream(self, method: str, path: str, body: object = None) -> Iterator[dict[str, Any]]:
        """Send a request and yield the objects of its NDJSON answer as they arrive. Raise Refused
        or DaemonLost. An object of type ``error`` raises Refused as well."""
        self._send(method, path, body, STREAM_TIMEOUT)
        status, headers = self._head()
        if status >= 400:
            self._check(status, b"".join(self._body(headers)))
        lines = _lines(self._body(headers))
        for line in lines:
            found = _parse(line)
            if found.get("type") == "error":
                # It is the last, but the stream's end is still to come: left unread, it would be
                # taken for the next answer.
                for _ in lines:
                    pass
                raise _refused(status, found)
            yield found

    def pieces(self, path: str, *, timeout: float) -> Iterator[bytes]:
        """Get a stream and yield its bytes as they arrive. Raise Refused, or DaemonLost after
        ``timeout`` seconds of silence."""
        # HTTP/1.0 has no chunks: what can be read from the socket is the stream itself, so that
        # whoever waits for it is never woken for the framing alone.
        self._send("GET", path, None, timeout, version="1.0")
        status, headers = self._head()
        if status >= 400:
            self._check(status, b"".join(self._body(headers)))
        yield from self._body(headers)

    def fileno(self) -> int:
        """The connection's number, to wait for what it brings."""
        return self._socket.fileno()

    @property
    def holds(self) -> bool:
        """Whether bytes were received that nobody has read yet."""
        return bool(self._buffer)

    def _check(self, status: int, content: bytes) -> Any:
        found = _parse(content) if content else None
        if status >= 400:
            raise _refused(status, found)
        return found

    def _send(
        self, method: str, path: str, body: object, timeout: float, *, version: str = "1.1"
    ) -> None:
        if self._answered and self._again and self._hung_up():
            self._socket.close()
            self._socket, self._token = self._again()
        content = b"" if body is None else json.dumps(body).encode()
        lines = [
            f"{method} {path} HTTP/{version}",
            "Host: hermes",
            "Content-Type: application/json",
            f"Content-Length: {len(content)}",
        ]
        if self._token:
            lines.append(f"Authorization: Bearer {self._token}")
        try:
            self._socket.settimeout(timeout)
            self._socket.sendall("\r\n".join((*lines, "", "")).encode("latin-1") + content)
        except OSError as error:
            # It may have answered before it had read all, and hung up: let the answer speak.
            if not isinstance(error, BrokenPipeError | ConnectionResetError):
                raise _lost(error) from error

    def _hung_up(self) -> bool:
        """Whether the daemon closed the connection since its last answer: it keeps an idle one for
        a few seconds, and a person who is asked something takes longer than that."""
        if self._buffer:
            return False
        try:
            self._socket.setblocking(False)
            return not self._socket.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True

    def _read(self) -> bytes:
        """Return the next bytes; empty at the end of the connection."""
        if self._buffer:
            found, self._buffer = self._buffer, b""
            return found
        try:
            return self._socket.recv(65_536)
        except OSError as error:
            raise _lost(error) from error

    def _until(self, mark: bytes) -> bytes:
        """Return what comes before the mark, and consume both."""
        found = b""
        while mark not in found:
            piece = self._read()
            if not piece or len(found) > MOST_HEADER:
                raise _lost(None)
            found += piece
        before, _, self._buffer = found.partition(mark)
        return before

    def _head(self) -> tuple[int, dict[str, str]]:
        first, *lines = self._until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        parts = first.split(" ", 2)
        if len(parts) < 2 or not parts[0].startswith("HTTP/1.") or not parts[1].isdigit():
            raise DaemonLost(
                "what answers on the daemon's address is not the daemon",
                hint="`hermes down` and `hermes up` start afresh",
            )
        fields = (line.partition(":") for line in lines)
        headers = {name.lower(): value.strip() for name, _, value in fields}
        told = headers.get("x-hermes-trouble", "0")
        Client.trouble = int(told) if told.isdigit() else 0
        self._answered = True
        return int(parts[1]), headers

    def _body(self, headers: dict[str, str]) -> Iterator[bytes]:
        if headers.get("transfer-encoding", "").lower() == "chunked":
            yield from self._chunks()
        elif "content-length" in headers:
            yield from self._exactly(_size(headers["content-length"], 10))
        else:
            while piece := self._read():
                yield piece

    def _chunks(self) -> Iterator[bytes]:
        while size := _size(self._until(b"\r\n").partition(b";")[0].decode("latin-1"), 16):
            yield from self._exactly(size)
            self._until(b"\r\n")
        while self._until(b"\r\n"):
            pass  # trailers

    def _exactly(self, size: int) -> Iterator[bytes]:
        while size:
            piece = self._read()
            if not piece:
                raise _lost(None)
            piece, self._buffer = piece[:size], piece[size:]
            size -= len(piece)
            yield piece


def _open(paths: Paths) -> tuple[socket.socket, str]:
    """Return a connection to this home's daemon, and the token it asks for, or none."""
    address = paths.socket_address
    try:
        if hasattr(socket, "AF_UNIX") and os.path.exists(address):
            check_private(os.path.dirname(address))
            return _connect(address), ""
        with open(paths.token_name, encoding="ascii") as file:
            port, token = file.read().split()
        return socket.create_connection(("127.0.0.1", int(port)), CONNECT_TIMEOUT), token
    except (OSError, ValueError) as error:
        raise DaemonAbsent("the daemon is not running", hint="`hermes up` starts it") from error


def _connect(address: str) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.settimeout(CONNECT_TIMEOUT)
        connection.connect(address)
    except OSError:
        connection.close()
        raise
    return connection


def _size(text: str, base: int) -> int:
    try:
        return int(text.strip(), base)
    except ValueError as error:
        raise _lost(error) from error


def _lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        yield from (line for line in whole if line.strip())
    if rest.strip():
        yield rest


def _parse(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError as error:
        raise _lost(error) from error


def _refused(status: int, found: Any) -> Refused:
    if not found or "error" not in found:
        return Refused(status, f"the daemon answered with HTTP status {status}")
    return Refused(status, str(found["error"]), hint=str(found["hint"]), code=str(found["code"]))


def _lost(error: Exception | None) -> DaemonLost:
    if isinstance(error, TimeoutError):
        return DaemonHung(
            "the daemon does not answer",
            hint="`hermes status` and its log say what it does; `hermes down` stops it",
        )
    return DaemonLost(
        "the daemon went away in the middle of its answer",
        hint="ask again; `hermes up` starts it, and its log says what happened",
    )
