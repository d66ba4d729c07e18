"""The local page's server: a second door of the daemon, on loopback, that is there when asked for."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import logging
import os
import socket
import zlib
from typing import Any

from starlette.types import ASGIApp

from ..memory.errors import HermesError
from . import web_kept
from .listen import BACKLOG
from .paths import Paths
from .private_file import new_secret
from .server import Api
from .web_files import read_files
from .web_kept import Kept
from .web_site import Site
from .web_tickets import Tickets
from .web_visitors import Visitors

LOOPBACK = "127.0.0.1"
FIRST_PORT = 20_000
PORTS = 10_000
"""Each home has a port of its own among these, so that its page has the same address each time. No
system gives them to outgoing connections."""
NEXT = 10
"""Ports after a taken one that are tried before any will do."""

logger = logging.getLogger(__name__)


class NoPage(HermesError):
    """The local page can't be served."""

    code = "no_page"


class Web:
    """Serves the local page from when it is asked for until it is closed, over restarts of the
    daemon too. A service; a page that can't be served is a fault, and the daemon goes on."""

    name = "web"

    def __init__(self, paths: Paths, app: ASGIApp, faults: dict[str, str]) -> None:
        """``app`` is the daemon's whole API; the page is given a part of it."""
        self._file = paths.web
        self._cookie = "hermes-" + hashlib.sha256(os.fsencode(paths.state_folder)).hexdigest()[:12]
        self._port = FIRST_PORT + zlib.crc32(os.fsencode(paths.state_folder)) % PORTS
        self._app = app
        self._faults = faults
        self._tickets = Tickets()
        self._turn = asyncio.Lock()
        self._serving: _Serving | None = None
        self._note = ""
        self._over = False

    async def serve(self) -> None:
        """Serve again what was open when the daemon ended, and whatever is opened, until
        cancelled."""
        self._over = False
        try:
            async with self._turn:
                await self._take_up()
            await asyncio.Event().wait()
        finally:
            self._over = True
            async with self._turn:
                await self._end()

    def state(self) -> dict[str, Any]:
        """Return whether the page is ``open``, its ``address`` and ``port``, and a ``note`` where
        they are not as they were."""
        serving = self._serving
        return {
            "open": serving is not None,
            "address": serving.address if serving else None,
            "port": serving.kept.port if serving else None,
            "note": self._note,
        }

    async def open(self) -> dict[str, Any]:
        """Serve the page if it is not yet; return its state, and as ``url`` the address that lets
        one browser in, once, within a minute. Raise NoPage."""
        async with self._turn:
            if self._over:
                raise NoPage("the daemon is about to stop", hint="try again in a moment")
            if self._serving is None:
                await self._begin(None)
            else:
                self._serving.site.files = await asyncio.to_thread(read_files)
            assert self._serving is not None
            url = f"{self._serving.address}enter?ticket={self._tickets.give()}"
        return {"url": url} | self.state()

    async def close(self) -> bool:
        """Serve it no more, not after a restart either: no browser is let in by what it was given.
        Return whether it was open."""
        async with self._turn:
            was_open = self._serving is not None or self._file.exists()
            self._file.unlink(missing_ok=True)
            self._note = ""
            self._faults.pop(self.name, None)
            await self._end()
        return was_open

    async def _take_up(self) -> None:
        try:
            kept = await asyncio.to_thread(web_kept.read, self._file)
            if kept is not None and self._serving is None:
                await self._begin(kept)
        except (HermesError, OSError) as error:
            logger.error("the local page is not served: %s", error)
            self._faults[self.name] = f"the local page is not served: {error}"

    async def _begin(self, kept: Kept | None) -> None:
        """Listen, and keep where. Raise NoPage."""
        files = await asyncio.to_thread(read_files)
        wanted = kept or Kept(self._port, new_secret())
        listener = _bind(wanted.port)
        port: int = listener.getsockname()[1]
        self._note = ""
        if port != wanted.port:
            self._note = f"port {wanted.port} is taken by another program: the page is at {port}"
            # A browser shows the cookie to whatever answers at the port that it knows.
            wanted = Kept(port, new_secret())
            logger.warning("%s", self._note)
        try:
            await asyncio.to_thread(web_kept.write, self._file, wanted)
        except OSError as error:
            self._note = f"the page ends with this daemon: can't write {self._file}: {error}"
            logger.warning("%s", self._note)
        site = Site(
            self._app,
            files,
            self._tickets,
            port=port,
            cookie=self._cookie,
            secret=wanted.secret,
        )
        self._serving = await _Serving.start(site, listener, wanted)
        self._faults.pop(self.name, None)
        logger.info("the local page is served at %s", self._serving.address)

    async def _end(self) -> None:
        self._tickets.clear()
        serving, self._serving = self._serving, None
        if serving is not None:
            await serving.end()
            logger.info("the local page is closed")


class _Serving:
    """The page while it is served."""

    def __init__(self, site: Site, kept: Kept, task: asyncio.Task[None]) -> None:
        self.site = site
        self.kept = kept
        self._task = task

    @classmethod
    async def start(cls, site: Site, listener: socket.socket, kept: Kept) -> _Serving:
        """Serve ``site`` at a socket that is open. Raise NoPage."""
        ready = asyncio.Event()
        api = Api(site, listener, on_ready=ready.set, on_stop=lambda: None, protocol=Visitors)
        task = asyncio.create_task(api.serve(), name="web-api")
        answering = asyncio.create_task(ready.wait())
        await asyncio.wait({task, answering}, return_when=asyncio.FIRST_COMPLETED)
        answering.cancel()
        if task.done():
            listener.close()
            raise NoPage(f"the page's server ended at once: {task.exception()}")
        return cls(site, kept, task)

    @property
    def address(self) -> str:
        """Where the page is, for a browser that was let in."""
        return f"http://{LOOPBACK}:{self.kept.port}/"

    async def end(self) -> None:
        """Break streams off and let go of the port."""
        self.site.closing.set()
        self._task.cancel()
        await asyncio.wait({self._task})


def _bind(wanted: int) -> socket.socket:
    """Return a socket that listens at a port, at one near it where that is taken, or at any. Raise
    NoPage."""
    for port in (*range(wanted, min(wanted + NEXT, 65_536)), 0):
        try:
            return socket.create_server((LOOPBACK, port), backlog=BACKLOG)
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise NoPage(
                    f"can't listen on {LOOPBACK}: {error.strerror}",
                    hint="does this machine's firewall or sandbox forbid it?",
                ) from error
    raise NoPage(f"no port of {LOOPBACK} is free")
