"""Turns other users of this machine away from the local page before they have said a word.

A cookie knows no ports: a browser shows ours to every server on 127.0.0.1 that the person visits,
also to one of another user's. On Linux the system tells whose program is at the other end of a
connection, so that what they learn so is of no use to them.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
ROOT = 0
"""Who can read everything anyway; forwarders of ports run as this user."""
_LISTENS, _ESTABLISHED = "0A", "01"
_LOOPBACK = f"{int.from_bytes(socket.inet_aton('127.0.0.1'), sys.byteorder):08X}"
_MAPPED = f"{0:016X}{int.from_bytes(bytes.fromhex('0000ffff'), sys.byteorder):08X}{_LOOPBACK}"
"""127.0.0.1 as a socket for IPv6 has it."""

logger = logging.getLogger(__name__)


class Visitors(H11Protocol):
    """HTTP as uvicorn speaks it, with programs of this user and of root."""

    _told: ClassVar[set[int | None]] = set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, or hang up."""
        assert isinstance(transport, asyncio.Transport)
        super().connection_made(transport)
        if self.client is None:  # it broke off, and may have sent something before
            transport.abort()
            return
        told, owner = owner_of(_tables(), self.client[1], transport.get_extra_info("sockname")[1])
        if told and owner not in (os.geteuid(), ROOT):
            transport.abort()
            if owner not in self._told:
                self._told.add(owner)
                who = "that has gone" if owner is None else f"of user {owner}"
                logger.warning("a program %s was turned away from the local page", who)


def _tables() -> str:
    """Return the system's tables of connections; what can't be read tells nothing."""
    found: list[str] = []
    for table in TABLES:
        with suppress(OSError):
            found.append(table.read_text(encoding="ascii"))
    return "".join(found)


def owner_of(tables: str, client: int, port: int) -> tuple[bool, int | None]:
    """Given the system's tables of connections, return whether they tell who connects to ``port``,
    and the user whose program holds the other end at the port ``client``: None if nobody holds it
    any more, so that nobody can say whose it was."""
    told = False
    for line in tables.splitlines():
        fields = line.split()
        if len(fields) < 8:
            continue
        near, far, state, user = fields[1], fields[2], fields[3], fields[7]
        if state == _LISTENS and near == f"{_LOOPBACK}:{port:04X}":
            told = True
        if state == _ESTABLISHED and any(
            (near, far) == (f"{host}:{client:04X}", f"{host}:{port:04X}")
            for host in (_LOOPBACK, _MAPPED)
        ):
            return True, int(user)
    return told, None
