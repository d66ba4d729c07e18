"""Tickets: each lets one browser in, once, for a minute."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable

SECONDS = 60.0
"""How long a ticket is good."""
MOST = 32
"""Tickets that are good at the same time; with more the oldest go."""


class Tickets:
    """Those that were given out and not used yet. Only their digests are held, so that looking one
    up takes as long for a good guess as for a bad one."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._until: dict[bytes, float] = {}

    def give(self) -> str:
        """Return a new one."""
        self._drop_old()
        while len(self._until) >= MOST:
            del self._until[next(iter(self._until))]
        ticket = secrets.token_urlsafe(32)
        self._until[_digest(ticket)] = self._now() + SECONDS
        return ticket

    def take(self, ticket: str) -> bool:
        """Say whether a ticket is good; from now on it is not."""
        self._drop_old()
        return self._until.pop(_digest(ticket), None) is not None

    def clear(self) -> None:
        """Let none be good any more."""
        self._until.clear()

    def _drop_old(self) -> None:
        now = self._now()
        self._until = {digest: until for digest, until in self._until.items() if until > now}


def _digest(ticket: str) -> bytes:
    return hashlib.sha256(ticket.encode("utf-8", "surrogateescape")).digest()
