"""Real shells on a pseudo-terminal, in a home of their own, with a finished brief to print."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import shutil
import socket
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import pytest

from hermes.daemon.paths import Paths, locate
from hermes.surfaces.shell.installing import Standing, install

EACH = [pytest.param(name, marks=getattr(pytest.mark, name)) for name in ("bash", "zsh", "fish")]
"""The shells, each marked by its name, so that a person without one can leave its tests out."""
VARIANTS = ("80", "40", "80.ascii", "40.ascii", "80.ansi")
SECONDS = 30.0


class ShellHome:
    """A home with shells' files, and the state folder that they look into."""

    def __init__(self, folder: Path, state: str = "state") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.home = folder
        self.paths: Paths = locate({"HERMES_AMBIENT_HOME": str(folder / state)})
        self.brief = self.paths.brief
        self.shown = self.brief / "shown"
        hour = datetime.now(tz=UTC).hour
        # Around noon, so that no test sees a day end.
        self._zone = timezone(timedelta(hours=12 - hour))
        self.environment = {
            "HOME": str(folder),
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "TERM": "xterm-256color",
            "LC_ALL": "C.UTF-8",
            "PYTHONCOERCECLOCALE": "0",  # of what starts the shell, which would set LC_CTYPE
            "TZ": f"NOON{hour - 12:+d}",
        }
        (folder / ".hushlogin").touch()
        config = folder / ".config" / "fish"
        config.mkdir(parents=True)
        (config / "config.fish").write_text("set -g fish_greeting\n")
        (folder / ".zshrc").write_text("PS1='% '\n")
        (folder / ".bashrc").write_text("PS1='$ '\n")

    @property
    def today(self) -> date:
        """The shells' local day."""
        return datetime.now(tz=self._zone).date()

    def install(self, *shells: str) -> list[Standing]:
        """Put the block into the shells' files."""
        return [install(shell, self.paths, self.environment) for shell in shells]

    def put(self, text: str = "the brief\n", day: date | None = None) -> None:
        """Write the finished brief; each variant says which it is, unless there is nothing."""
        first = f"{day or self.today}\n".encode()
        self.shown.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in VARIANTS:
            said = f"<{name}> {text}" if text else ""
            (self.brief / f"today.{name}").write_bytes(first + os.fsencode(said))

    def daemon(self, pid: int = 0, *, host: str = "", start: str = "", ago: float = 3600.0) -> None:
        """Write the daemon's last sign of life; without ``pid`` of one that is no more."""
        if not pid:
            pid, start = _ended()
        at = time.time() - ago
        start = start or started(pid)
        there = datetime.fromtimestamp(at, self._zone)
        words = f"{int(at)} {there:%Y-%m-%d} {there:%a %H:%M}"
        self.shown.mkdir(mode=0o700, parents=True, exist_ok=True)
        (self.brief / "daemon").write_text(
            f"{pid} {start} {host or socket.gethostname()} {words}\n"
        )

    def start(
        self,
        shell: str,
        *args: str,
        columns: int = 80,
        env: Mapping[str, str | None] | None = None,
        stdin: int | None = None,
    ) -> Running:
        """Start a shell on a terminal; ``env`` adds to its environment, None takes out."""
        assert shutil.which(shell), f"{shell} is not installed (on Debian: apt install {shell})"
        environment = dict(self.environment)
        for name, value in (env or {}).items():
            environment.pop(name, None)
            if value is not None:
                environment[name] = value
        return Running([shell, *args], environment, self.home, columns, stdin)

    def session(self, shell: str, *args: str, **how: object) -> str:
        """Start a shell, leave it at its prompt, and return all that was shown."""
        running = self.start(shell, *args, **how)  # type: ignore[arg-type]
        running.type("exit\n")
        return running.end()


class Running:
    """A shell that runs on a terminal of its own."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        cwd: Path,
        columns: int,
        stdin: int | None,
    ) -> None:
        self._main, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        own = "import fcntl, os, sys, termios; fcntl.ioctl(1, termios.TIOCSCTTY, 0); "
        own += "os.execvp(sys.argv[1], sys.argv[1:])"
        self.process = subprocess.Popen(
            [sys.executable, "-S", "-c", own, *command],
            stdin=side if stdin is None else stdin,
            stdout=side,
            stderr=side,
            cwd=cwd,
            env=dict(environment),
            start_new_session=True,
        )
        os.close(side)

    def type(self, text: str) -> None:
        """Type at it."""
        os.write(self._main, text.encode())

    def end(self) -> str:
        """Read until it ends; return what was shown, with plain line ends."""
        shown = b""
        deadline = time.monotonic() + SECONDS
        while select.select([self._main], [], [], max(0.0, deadline - time.monotonic()))[0]:
            try:
                piece = os.read(self._main, 65_536)
            except OSError:  # on Linux, the end
                break
            if not piece:
                break
            shown += piece
        os.close(self._main)
        left = deadline - time.monotonic()
        if left <= 0:
            self.process.kill()
        self.process.wait(max(left, 5.0))
        assert left > 0, shown
        return os.fsdecode(shown).replace("\r\n", "\n")


def started(pid: int) -> str:
    """Return when the system started a process, in clock ticks since boot."""
    return Path(f"/proc/{pid}/stat").read_text("latin-1").rpartition(")")[2].split()[19]


def _ended() -> tuple[int, str]:
    """Return the id of a process that is no more, and when it was started."""
    process = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
    found = process.pid, started(process.pid)
    process.communicate()
    return found
