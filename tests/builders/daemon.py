"""Real daemons for tests: processes of their own, in homes of their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from hermes.daemon.paths import locate
from hermes.surfaces.client import Client

T = TypeVar("T")

UNRESTRAINED = {
    "HERMES_AMBIENT_BACKGROUND__SLOW_LOAD": "1000",
    "HERMES_AMBIENT_BACKGROUND__PAUSE_LOAD": "1000",
    "HERMES_AMBIENT_BACKGROUND__ON_BATTERY": "go",
}
"""Settings with which a daemon works on, however busy the machine is with tests."""
LIGHT = {
    "HERMES_AMBIENT_EMBEDDER__PROVIDER": "none",
    "HERMES_AMBIENT_MODELS__PROVIDER": "none",
}
"""Settings with which a daemon contacts nobody and makes no vectors."""


COMMAND = [sys.executable, "-c", "from hermes.surfaces.cli import main; raise SystemExit(main())"]
"""``hermes``, as the environment of these tests has it."""


class Daemon:
    """A daemon in the foreground, child of the test."""

    def __init__(self, home: Path, settings: Mapping[str, str] = LIGHT) -> None:
        """Start it and wait for its first line, which ``said`` keeps."""
        self.home = home
        self.environment = {
            **os.environ,
            **UNRESTRAINED,
            **settings,
            "HERMES_AMBIENT_HOME": str(home),
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "hermes.daemon", "--foreground", "--ready-fd", "1"],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        self.said: dict[str, Any] = json.loads(line) if line else {}

    @property
    def pid(self) -> int:
        """Its process id."""
        return self.process.pid

    @property
    def log(self) -> str:
        """What its log says."""
        return (self.home / "log" / "daemon.log").read_text()

    def connect(self) -> Client:
        """Return a new connection to it."""
        return connect(self.home)

    def hermes(self, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run the command line against it and return what it printed and how it ended."""
        return subprocess.run(
            [*COMMAND, *words],
            check=False,
            cwd=cwd,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def call(self, method: str, path: str, body: object = None) -> Any:
        """Send one request over a connection of its own; return the answer."""
        with self.connect() as client:
            return client.call(method, path, body)

    def stream(self, method: str, path: str, body: object = None) -> list[dict[str, Any]]:
        """Send one request and return all objects of its answer."""
        with self.connect() as client:
            return list(client.stream(method, path, body))

    def index(self, path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
        """Take a repository into memory; return it and the report."""
        repo = self.call("POST", "/v1/repos", {"path": str(path)})["repo"]
        events = self.stream("POST", f"/v1/repos/{repo['id']}/index")
        return repo, events[-1]["report"]

    def settle(self, seconds: float = 60.0) -> dict[str, Any]:
        """Wait until no work is left, also none that waits for its time; return the status."""
        return until(lambda: self.call("GET", "/v1/status"), at_rest, seconds)

    def stop(self) -> int:
        """Ask it to end and return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.wait()

    def kill(self) -> None:
        """End it the hard way."""
        self.process.kill()
        self.wait()

    def close(self) -> None:
        """Let go of its output."""
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()

    def wait(self) -> int:
        """Wait for its end and return its exit code."""
        self.process.communicate(timeout=30)
        return self.process.returncode


def at_rest(status: dict[str, Any]) -> bool:
    """Say whether a status shows no work, neither running nor waiting."""
    waiting = sum(lane["queued"] for lane in status["lanes"].values())
    return not status["running"] and not waiting


def worker_of(status: dict[str, Any]) -> int | None:
    """Given a status, return the worker's process id, if there is one."""
    pid: int | None = status["worker"]["pid"]
    return pid


def connect(home: Path) -> Client:
    """Return a new connection to whatever daemon serves this home. Raise DaemonAbsent."""
    return Client.connect(locate({"HERMES_AMBIENT_HOME": str(home)}))


@contextmanager
def running(home: Path, settings: Mapping[str, str] = LIGHT) -> Generator[Daemon]:
    """Run a daemon for the time of the block."""
    daemon = Daemon(home, settings)
    try:
        assert daemon.said.get("status") == "ready", daemon.said
        yield daemon
    finally:
        if daemon.process.poll() is None:
            daemon.stop()
        daemon.close()


def until(look: Callable[[], T], wanted: Callable[[T], bool], seconds: float = 30.0) -> T:
    """Look again and again until what is seen is wanted, and return it."""
    deadline = time.monotonic() + seconds
    while not wanted(seen := look()):
        assert time.monotonic() < deadline, seen
        time.sleep(0.01)
    return seen


def lives(pid: int) -> bool:
    """Say whether a process is there and not merely waiting to be collected."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"
