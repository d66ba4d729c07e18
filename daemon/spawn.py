"""Starts the daemon in the background. Imported by the command line, so it imports little."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time

from ..memory.errors import HermesError
from .paths import Paths, make_private

RETRY = 0.02
"""Seconds between two looks at the socket of a daemon that someone else is starting."""


class StartFailed(HermesError):
    """The daemon did not start."""

    code = "start_failed"


START_SECONDS = 60.0
"""How long a start may take: a second as a rule, many on a machine that is busy with other things.
One that fails is noticed at once."""


def start(paths: Paths, timeout: float = START_SECONDS) -> None:
    """Start a daemon for this home and return as soon as it answers; also if one already does.

    The daemon writes one JSON line to its standard output: ``{"status": "ready", "pid": N}``,
    ``{"status": "running"}`` when another one holds the lock, or ``{"status": "error", "error",
    "hint", "code"}``. Raise StartFailed if it does not start within ``timeout`` seconds, and
    PathRefused if its folders can't be made.
    """
    deadline = time.monotonic() + timeout
    for folder in (paths.state_folder, paths.log_folder):
        if not os.path.isdir(folder):
            make_private(folder)
    try:
        # Appended to: what is forgotten is taken out of it in place.
        how = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND
        errors = os.open(paths.startup_log, how, 0o600)
    except OSError as error:
        raise StartFailed(
            f"can't write {paths.startup_log}: {error.strerror}",
            hint="make room, or make it writable",
        ) from error
    with open(errors, "wb") as log:
        child = subprocess.Popen(
            [sys.executable, "-m", "hermes.daemon", "--ready-fd", "1", "--background"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=os.path.abspath(os.sep),
            start_new_session=True,
            creationflags=getattr(subprocess, "DETACHED_PROCESS", 0),
        )
    line = _read_line(child, deadline)
    _judge(line, paths, deadline)


def _read_line(child: subprocess.Popen[bytes], deadline: float) -> bytes | None:
    """Return the first line; what came before the end of the pipe; None when time is up."""
    assert child.stdout is not None
    said = child.stdout
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(said.readline()), daemon=True)
    reader.start()
    reader.join(max(0.0, deadline - time.monotonic()))
    if not found:
        return None
    said.close()
    if os.name == "posix":
        child.wait()  # it has forked: the daemon itself is nobody's child
    return found[0]


def _judge(line: bytes | None, paths: Paths, deadline: float) -> None:
    if line is None:
        raise StartFailed("the daemon did not get ready in time", hint=f"see {paths.log_file}")
    try:
        said = json.loads(line)
    except ValueError:
        raise StartFailed(
            f"the daemon ended while it was starting{_last_words(paths)}",
            hint=f"see {paths.startup_log} and {paths.log_file}",
        ) from None
    if said["status"] == "running":
        _await_socket(paths, deadline)
    elif said["status"] != "ready":
        error = StartFailed(said["error"], hint=said["hint"])
        error.code = said["code"]
        raise error


def _await_socket(paths: Paths, deadline: float) -> None:
    """Another daemon holds the lock; it may be starting still. Return when it answers."""
    while not _answers(paths):
        if time.monotonic() > deadline:
            raise StartFailed(
                "another daemon holds the lock of this home, but does not answer",
                hint=f"see {paths.log_file}, or end it: its process is in {paths.run}/daemon.json",
            )
        time.sleep(RETRY)


def _answers(paths: Paths) -> bool:
    try:
        if os.path.exists(paths.token_name):
            with open(paths.token_name, encoding="ascii") as file:
                port = int(file.read().split()[0])
            with socket.create_connection(("127.0.0.1", port), timeout=1):
                return True
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(paths.socket_address)
            return True
    except (OSError, ValueError, IndexError):
        return False


def _last_words(paths: Paths) -> str:
    """Return the last line that the daemon printed, e.g. the name of an exception."""
    try:
        lines = paths.startup_log.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return ""
    words = [line.strip() for line in lines if line.strip()]
    return f": {words[-1][:200]}" if words else ""
