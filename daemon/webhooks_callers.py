"""Connections of whoever reaches the webhooks' port: few at a time, and none for long."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 64
"""Connections at the same time; more are hung up on."""
SECONDS = 20.0
"""How long one may last, from the first byte to the end of the answer: GitHub waits ten for it."""


class Callers(H11Protocol):
    """HTTP as uvicorn speaks it, with an end."""

    _open: ClassVar[int] = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, or hang up."""
        assert isinstance(transport, asyncio.Transport)
        super().connection_made(transport)
        Callers._open += 1
        self._end = asyncio.get_running_loop().call_later(SECONDS, transport.abort)
        if Callers._open > MOST:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Let go of it."""
        Callers._open -= 1
        self._end.cancel()
        super().connection_lost(exc)
