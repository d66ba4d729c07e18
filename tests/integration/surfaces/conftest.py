"""Running the real command line in processes of its own, piped or on a terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from hermes.daemon.paths import Paths, locate

HERMES = [sys.executable, "-c", "from hermes.surfaces.cli import main; raise SystemExit(main())"]


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture(autouse=True, scope="session")
def ctrl_c_is_heard() -> None:
    """A suite started in the background ignores Ctrl-C, and what it starts would inherit that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def paths() -> Paths:
    """Where this test's home has its things."""
    return locate()


@pytest.fixture
def hermes(tmp_path: Path) -> Run:
    """Give a function that runs ``hermes`` with words, piped."""

    def run(
        *words: str, cwd: Path = tmp_path, stdin: str = "", env: Mapping[str, str] | None = None
    ) -> Ran:
        done = subprocess.run(
            [*HERMES, *words],
            cwd=cwd,
            input=stdin.encode(),
            capture_output=True,
            env=os.environ | dict(env or {}),
            timeout=60,
            check=False,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


class Terminal:
    """A command on a real pseudo-terminal."""

    def __init__(self, command: Sequence[str], columns: int, cwd: Path, **env: str) -> None:
        self._main, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS")}
        # The terminal has to be the process's own, or Ctrl-C would be nobody's.
        own = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
        own += "os.execv(sys.argv[1], sys.argv[1:])"
        self.process = subprocess.Popen(
            [sys.executable, "-S", "-c", own, *command],
            stdin=side,
            stdout=side,
            stderr=side,
            cwd=cwd,
            env=environment | {"TERM": "xterm-256color"} | env,
            start_new_session=True,
        )
        os.close(side)
        self.shown = ""

    def type(self, text: str) -> None:
        """Type at it."""
        os.write(self._main, text.encode())

    def until(self, text: str, seconds: float = 60) -> None:
        """Read until the text has been shown."""
        deadline = time.monotonic() + seconds
        while text not in self.shown:
            assert self._read(deadline), f"{text!r} was not shown:\n{self.shown}"

    def end(self, seconds: float = 60) -> int:
        """Read until the command ends and return its exit code."""
        deadline = time.monotonic() + seconds
        while self._read(deadline):
            pass
        os.close(self._main)
        return self.process.wait(max(0.0, deadline - time.monotonic()))

    def _read(self, deadline: float) -> bool:
        ready, _, _ = select.select([self._main], [], [], max(0.0, deadline - time.monotonic()))
        try:
            piece = os.read(self._main, 65_536) if ready else b""
        except OSError:  # on Linux, the end
            piece = b""
        self.shown += piece.decode(errors="replace")
        return bool(piece)


OnTerminal = Callable[..., Terminal]


@pytest.fixture
def on_terminal(tmp_path: Path) -> OnTerminal:
    """Give a function that starts ``hermes`` with words on a terminal."""

    def start(*words: str, columns: int = 80, cwd: Path = tmp_path, **env: str) -> Terminal:
        return Terminal([*HERMES, *words], columns, cwd, **env)

    return start
