"""Uvicorn, made quiet: no ticking while idle, no signals of its own, and a say in its end."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

GRACE_SECONDS = 3
"""How long answers that are under way may go on after the daemon was told to stop."""


class Api(uvicorn.Server):
    """Serves the API on a socket that is already open. A service: `serve` runs until cancelled."""

    name = "api"

    def __init__(
        self,
        app: Any,
        listener: socket.socket,
        *,
        on_ready: Callable[[], None],
        on_stop: Callable[[], None],
        protocol: type[asyncio.Protocol] = H11Protocol,
    ) -> None:
        config = uvicorn.Config(
            app,
            http=protocol,
            ws="none",
            lifespan="off",
            loop="asyncio",
            log_config=None,
            access_log=False,
            date_header=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        super().__init__(config)
        self._listener = listener
        self._on_ready = on_ready
        self._on_stop = on_stop

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until cancelled, then let what is under way finish, within the grace time."""
        # Not uvicorn's own `serve`, which takes the process's signals.
        await self._serve(sockets or [self._listener])

    async def main_loop(self) -> None:
        """Wait to be cancelled. Uvicorn's own loop wakes ten times a second for its date header
        and its request limit, which we use neither of."""
        self._on_ready()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self._on_stop()
