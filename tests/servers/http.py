"""A small HTTP/1.1 server in a thread of its own, so that synchronous and async clients can use it."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class Request:
    """What a client sent."""

    method: str
    path: str
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        """The JSON object of the body; {} when there is none."""
        return json.loads(self.raw) if self.raw else {}


class Exchange:
    """One request, and the means to answer it in whatever way."""

    def __init__(
        self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.request = request
        self._reader = reader
        self._writer = writer

    async def send(
        self,
        status: int,
        body: bytes,
        content_type: str = "application/json",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Answer whole."""
        more = "".join(f"\r\n{name}: {value}" for name, value in (headers or {}).items())
        await self._head(status, content_type, f"Content-Length: {len(body)}{more}")
        await self._write(body)

    async def send_json(
        self, value: object, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        """Answer whole, with JSON."""
        await self.send(status, json.dumps(value).encode(), headers=headers)

    async def start(self, content_type: str) -> None:
        """Begin a streamed answer."""
        await self._head(200, content_type, "Transfer-Encoding: chunked")

    async def piece(self, data: bytes) -> None:
        """Send a piece of a streamed answer. Raise ConnectionError when the client has gone."""
        await self._write(b"%x\r\n%s\r\n" % (len(data), data))

    async def finish(self, last: bytes = b"") -> None:
        """End a streamed answer as it should end.

        The last piece goes out together with the end: a client may leave as soon as it has it,
        and has not left early then.
        """
        piece = b"%x\r\n%s\r\n" % (len(last), last) if last else b""
        await self._write(piece + b"0\r\n\r\n")

    async def cut(self) -> None:
        """Drop the connection in the middle."""
        self._writer.transport.abort()

    async def hang(self) -> None:
        """Say nothing more, until the client leaves."""
        await asyncio.Event().wait()

    async def gone(self) -> None:
        """Wait, for as long as it takes, until the client has closed the connection."""
        while await self._reader.read(1024):
            pass

    async def _head(self, status: int, content_type: str, framing: str) -> None:
        head = (
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nContent-Type: {content_type}\r\n"
            f"{framing}\r\nConnection: close\r\n\r\n"
        )
        await self._write(head.encode())

    async def _write(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()


class HttpServer:
    """Listens on loopback while its ``with`` block runs. Subclasses say what to answer."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        """Everything that was asked, in order."""
        self.client_left = threading.Event()
        """Set when a client closed its connection before its answer was complete."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._listening = threading.Event()
        self._stop = asyncio.Event()
        self._port = 0

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._port}"

    async def respond(self, exchange: Exchange) -> None:
        """Answer one request."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        self._thread.start()
        self._listening.wait()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._connection, "127.0.0.1", 0)
        self._port = server.sockets[0].getsockname()[1]
        self._listening.set()
        await self._stop.wait()
        server.close()
        current = asyncio.current_task()
        open_tasks = [task for task in asyncio.all_tasks() if task is not current]
        for task in open_tasks:
            task.cancel()
        await asyncio.gather(*open_tasks, return_exceptions=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = await self._read(reader)
            if request is None:
                return
            self.requests.append(request)
            await self._attend(Exchange(request, reader, writer))
        except ConnectionError:
            self.client_left.set()
        except asyncio.CancelledError:
            writer.transport.abort()
        finally:
            writer.close()

    async def _attend(self, exchange: Exchange) -> None:
        """Answer, but stop as soon as the client leaves, as a model server does."""
        answering = asyncio.ensure_future(self.respond(exchange))
        leaving = asyncio.ensure_future(exchange.gone())
        await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
        leaving.cancel()
        if answering.done():
            answering.result()
        else:
            self.client_left.set()
            answering.cancel()
        await asyncio.gather(answering, leaving, return_exceptions=True)

    @staticmethod
    async def _read(reader: asyncio.StreamReader) -> Request | None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return None
        first, *lines = head.decode("latin-1").split("\r\n")
        method, path, _ = first.split(" ", 2)
        headers = {
            name.strip().lower(): value.strip()
            for name, _, value in (line.partition(":") for line in lines if line)
        }
        raw = await reader.readexactly(int(headers.get("content-length", 0)))
        return Request(method, path, headers, raw)
