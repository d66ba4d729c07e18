"""Where the daemon listens: a Unix socket only its owner can reach, or loopback with a token."""

from __future__ import annotations

import errno
import os
import secrets
import socket
import stat
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ..memory.errors import HermesError
from .paths import Paths, make_private

BACKLOG = 128


class AddressTaken(HermesError):
    """Something that is not ours is where we want to listen."""

    code = "address_taken"


@dataclass(frozen=True, slots=True)
class Door:
    """A listening socket and what a caller must show."""

    socket: socket.socket
    token: str = ""
    """Empty on a Unix socket, where the file's mode decides who may call."""

    @property
    def port(self) -> int | None:
        """The port on loopback; None on a Unix socket."""
        if self.socket.family != socket.AF_INET:
            return None
        port: int = self.socket.getsockname()[1]
        return port


@contextmanager
def listening(paths: Paths, transport: str) -> Generator[Door]:
    """Listen for the time of the block, and leave no file behind.

    ``transport`` is ``auto``, ``unix`` or ``loopback``. The caller holds the home's lock, so a
    socket or token file that nobody serves is a dead daemon's. Raise AddressTaken or PathRefused.
    """
    unix = hasattr(socket, "AF_UNIX") and transport != "loopback"
    if not unix and transport == "unix":
        raise AddressTaken(
            "this system has no Unix sockets", hint='set [daemon] transport = "auto"'
        )
    make_private(paths.run_folder)
    _clear(paths.socket)
    paths.token.unlink(missing_ok=True)
    door = on_socket(paths.socket) if unix else _on_loopback(paths.token)
    with door as opened:
        yield opened


@contextmanager
def on_socket(path: Path) -> Generator[Door]:
    """Listen on a Unix socket of mode 0600 in a folder of mode 0700."""
    make_private(path.parent)
    server = socket.socket(socket.AF_UNIX)
    made: os.stat_result | None = None
    try:
        # The mode is the socket's from its first moment on: nobody slips in before a chmod.
        before = os.umask(0o177)
        try:
            server.bind(str(path))
            made = path.lstat()
        finally:
            os.umask(before)
        server.listen(BACKLOG)
        yield Door(server)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        raise _taken(path) from error
    finally:
        # Where our folder was deleted, another daemon may have bound its socket at the same place.
        # While ours is open, no other file has its inode.
        with suppress(FileNotFoundError):
            if made is not None and os.path.samestat(made, path.lstat()):
                path.unlink()
        server.close()


@contextmanager
def _on_loopback(token_file: Path) -> Generator[Door]:
    token = secrets.token_urlsafe(32)
    with socket.create_server(("127.0.0.1", 0), backlog=BACKLOG) as server:
        door = Door(server, token)
        # Written beside and renamed: a reader sees all of it or nothing.
        descriptor, beside = tempfile.mkstemp(dir=token_file.parent)
        try:
            with open(descriptor, "w", encoding="ascii") as file:
                file.write(f"{door.port} {token}\n")
            os.replace(beside, token_file)
            yield door
        finally:
            token_file.unlink(missing_ok=True)


def _clear(path: Path) -> None:
    """Remove a socket file that nobody serves. Raise AddressTaken for anything else there."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise _taken(path)
    with socket.socket(socket.AF_UNIX) as caller:
        caller.settimeout(1.0)
        try:
            caller.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            path.unlink(missing_ok=True)
            return
        except OSError as error:
            raise _taken(path) from error
    raise _taken(path)


def _taken(path: Path) -> AddressTaken:
    return AddressTaken(
        f"{path} is in use by something that is not this home's daemon",
        hint="end that program or move the file away, then try again",
    )
