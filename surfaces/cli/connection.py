"""Gets a command to the daemon: connects, starts it if wanted, and compares versions."""

from __future__ import annotations

from ... import __version__
from ...daemon.paths import locate
from ...memory.errors import HermesError
from ..client import Client, DaemonAbsent, DaemonHung, DaemonLost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...daemon.paths import Paths
    from .output import Output

API = 1
HELLO_TIMEOUT = 5.0
"""Seconds in which a daemon that is well says hello, however busy it is."""


class OtherApi(HermesError):
    """The daemon speaks another version of the protocol than we do."""

    code = "version"


def connect(out: Output) -> tuple[Client, dict[str, Any]]:
    """Connect to the running daemon and return its hello. Raise DaemonAbsent."""
    client = Client.connect(locate())
    return client, _greet(client, out)


def connect_or_start(out: Output) -> Client:
    """Connect to the daemon, starting it if need be. Raise StartFailed."""
    paths = locate()
    return _living(paths, out) or _greeted(start(paths, out), out)


def start(paths: Paths, out: Output) -> Client:
    """Start the daemon and connect to it. Raise StartFailed."""
    from ...daemon.spawn import start

    out.passing("starting hermes")
    start(paths)
    out.clear_passing()
    return Client.connect(paths)


def connect_or_serve(out: Output) -> Client:
    """Connect to the daemon, starting it if need be; where it can't start, serve the same from
    this process, and say so."""
    from ...daemon.paths import PathRefused

    paths = locate()
    if client := _living(paths, out):
        return client
    # Only here: subprocess, which spawn needs, costs more than everything else together.
    from ...daemon.spawn import StartFailed

    try:
        client = start(paths, out)
    except (StartFailed, PathRefused) as error:
        client = _serve_here(paths, error, out)
    return _greeted(client, out)


def _living(paths: Paths, out: Output) -> Client | None:
    """Return a connection to the daemon that runs; None if there is none, or if it ends just now
    (it was killed, or begins anew), so that it has to be started."""
    try:
        client = Client.connect(paths)
    except DaemonAbsent:
        return None
    try:
        return _greeted(client, out)
    except DaemonHung:
        raise
    except DaemonLost:
        return None


def _greeted(client: Client, out: Output) -> Client:
    _greet(client, out)
    return client


def _serve_here(paths: Paths, error: HermesError, out: Output) -> Client:
    from ...daemon.inprocess import connect_in_process

    client = Client(connect_in_process(paths))
    out.say(f"answering without the daemon, which can't start: {error.message}", "yellow")
    if error.hint:
        out.say(error.hint, "dim")
    return client


def _greet(client: Client, out: Output) -> dict[str, Any]:
    hello: dict[str, Any] = client.call("GET", "/v1/hello", timeout=HELLO_TIMEOUT)
    if hello["api"] != API:
        raise OtherApi(
            f"the daemon is hermes {hello['version']} and speaks another protocol than this "
            f"hermes {__version__}",
            hint="`hermes down` with that version, then `hermes up`",
        )
    if hello["version"] != __version__:
        out.say(
            f"the daemon is hermes {hello['version']}, this is {__version__}: "
            "`hermes up` restarts it",
            "yellow",
        )
    return hello
