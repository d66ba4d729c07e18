"""``hermes down`` and ``hermes version``, and how a daemon is stopped."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress

from ... import __version__
from ...daemon.paths import locate
from ...memory.errors import HermesError
from ..client import Client, DaemonAbsent
from . import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from ...daemon.paths import Paths
    from .output import Output

STOP_SECONDS = 20.0
LOOK_SECONDS = 0.02


class WillNotStop(HermesError):
    """The daemon was told to stop, and has not."""

    code = "will_not_stop"


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``down`` and ``version``."""
    parser.usage = f"hermes {name} [options]"
    parser.set_defaults(name=name)


def run(args: argparse.Namespace, out: Output) -> int:
    """Do what the name says."""
    return _down(out) if args.name == "down" else _version(out)


def _down(out: Output) -> int:
    paths = locate()
    try:
        client = Client.connect(paths)
    except DaemonAbsent:
        _tell_shells(paths)
        if out.as_json:
            out.emit({"stopped": False, "running": False})
        out.say("hermes is not running")
        return exits.DONE
    with client:
        pid = stop(client, out)
    _tell_shells(paths)
    if out.as_json:
        out.emit({"stopped": True, "running": False, "pid": pid})
    out.say("hermes has stopped; what it knows stays on disk")
    return exits.DONE


def _tell_shells(paths: Paths) -> None:
    """Have shells say nothing of a daemon that was stopped on purpose."""
    with suppress(OSError):
        (paths.brief / "daemon").unlink(missing_ok=True)


def stop(client: Client, out: Output) -> int:
    """Tell the daemon to stop, wait until it has, and return its process number. Raise
    WillNotStop."""
    # No greeting: a daemon of any version can be stopped.
    hello: dict[str, Any] = client.call("GET", "/v1/hello")
    pid = int(hello["pid"])
    client.call("POST", "/v1/shutdown")
    client.close()
    out.passing("stopping hermes")
    deadline = time.monotonic() + STOP_SECONDS
    while _lives(pid):
        if time.monotonic() > deadline:
            raise WillNotStop(
                f"the daemon (process {pid}) was told to stop, and has not after "
                f"{STOP_SECONDS:.0f} s",
                hint=f"its log is {locate().log_file}; `kill {pid}` ends it, nothing is lost",
            )
        time.sleep(LOOK_SECONDS)
    out.clear_passing()
    return pid


def _lives(pid: int) -> bool:
    if os.name != "posix":
        # There is no harmless way to ask; it has stopped when nobody answers.
        try:
            Client.connect(locate()).close()
        except DaemonAbsent:
            return False
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not _is_zombie(pid)


def _is_zombie(pid: int) -> bool:
    """In a container nobody may be there to collect what has ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="latin-1") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return False


def _version(out: Output) -> int:
    if out.as_json:
        python = ".".join(str(part) for part in sys.version_info[:3])
        out.emit({"version": __version__, "python": python})
    else:
        out.line(f"hermes {__version__}")
    return exits.DONE
