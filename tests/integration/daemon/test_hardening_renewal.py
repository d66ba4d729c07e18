"""A daemon that begins anew, in the same process: nothing is lost, and it does not do so for ever."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hermes.daemon.paths import locate
from hermes.daemon.spawn import start
from hermes.surfaces.client import Client, DaemonAbsent, DaemonLost
from hermes.tests.builders.daemon import (
    LIGHT,
    UNRESTRAINED,
    Daemon,
    connect,
    lives,
    running,
    until,
)
from hermes.tests.builders.shop import make_shop

SWELL = """
import os
import sys

if "hermes.daemon" in sys.orig_argv:
    from hermes.daemon import machine, renewal

    machine.LOOK_SECONDS = 0.05

    def is_due(self, rss, clock):
        try:
            os.unlink({sign!r})
        except FileNotFoundError:
            return False
        return True

    renewal.Renewal.is_due = is_due
"""
"""Has the daemon seem too large once, as soon as the file ``sign`` is there and there is work."""

STUCK = """
import os
import sys
import time

if "hermes.daemon" in sys.orig_argv:
    from hermes.daemon import context, loopwatch

    loopwatch.LoopWatch.__init__.__kwdefaults__.update(every=0.05, stuck=0.2, lost=0.5)
    made = context.JobContext.__init__

    def stuck(self, *arguments, **named):
        try:
            os.unlink({sign!r})
        except FileNotFoundError:
            pass
        else:
            time.sleep(600)  # in the loop itself
        made(self, *arguments, **named)

    context.JobContext.__init__ = stuck
"""
"""Blocks the daemon's loop once, at the start of a job."""


@pytest.fixture
def sign(tmp_path: Path) -> Path:
    return tmp_path / "sign"


def tamper(monkeypatch: pytest.MonkeyPatch, folder: Path, code: str) -> None:
    (folder / "sitecustomize.py").write_text(code)
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=":")


def work(client: Client, key: str) -> int:
    """Have something done that nobody waits for; return the event's number."""
    event = {"kind": "scheduled", "at": time.time(), "source": "api", "job": "x", "due": 1.0}
    event |= {"agent": "indexer", "subject": "rescan"}
    number: int = client.call("POST", "/v1/events", {"event": event, "key": key})["event"]
    return number


def test_events_and_jobs_outlive_a_new_beginning(
    home: Path, tmp_path: Path, sign: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tamper(monkeypatch, tmp_path, SWELL.format(sign=str(sign)))
    shop = make_shop(tmp_path / "shop")
    with running(home) as daemon:
        daemon.index(shop.path)
        began = daemon.settle()["started"]
        follower = Following(daemon)
        sign.write_text("")
        numbers = list(send_through(daemon, sign, 60))
        assert len(set(numbers)) == 60
        shop.commit({"wood.txt": "zebrawood\n"}, "Choose a wood")
        until(
            lambda: daemon.call("POST", "/v1/search", {"question": "zebrawood"})["passages"], bool
        )
        after = daemon.settle()
        assert after["pid"] == daemon.pid
        assert after["started"] >= began
        assert daemon.log.count("hermes has stopped") == 1
        assert after["failed"]["count"] == 0
        for number in numbers:
            assert daemon.call("GET", f"/v1/why/e{number}")["events"][0]["routed_at"] is not None
        newest = daemon.call("GET", "/v1/journal")["newest"]
        seen = follower.read_to(newest)
        assert all(later == before + 1 for before, later in pairwise(seen))
        assert [child["what"] for child in after["children"] if child["what"] != "worker"] == []
        # Another daemon could not come in between: one lock, one process.
        second = Daemon(home)
        assert second.said == {"status": "running"}
        assert second.wait() == 3
        second.close()


def send_through(daemon: Daemon, sign: Path, count: int) -> Iterator[int]:
    """Send events all the time while the daemon begins anew; one that was not acknowledged is sent
    again under its key."""
    number, silent = 0, time.monotonic()
    longest = 0.0
    while number < count or sign.exists():
        try:
            with daemon.connect() as client:
                yield work(client, f"k{number}")
            number += 1
        except (DaemonAbsent, DaemonLost):
            time.sleep(0.02)
            continue
        longest, silent = max(longest, time.monotonic() - silent), time.monotonic()
    assert longest < 10, "it did not answer for too long"


class Following:
    """Follows the journal as a browser does: when the stream ends it comes back with the number
    that it saw last."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._seen = [daemon.call("GET", "/v1/journal")["newest"]]

    def read_to(self, newest: int) -> list[int]:
        """Return the numbers of all entries up to ``newest``."""
        while self._seen[-1] < newest:
            with self._daemon.connect() as client:
                pieces = client.pieces(f"/v1/journal/follow?after={self._seen[-1]}", timeout=10)
                for entry in _entries(pieces):
                    self._seen.append(entry["number"])
                    if entry["number"] >= newest:
                        break
        return self._seen


def _entries(pieces: Iterator[bytes]) -> Iterator[dict[str, Any]]:
    text = b""
    for piece in pieces:
        *lines, text = (text + piece).split(b"\n")
        yield from (json.loads(line[6:]) for line in lines if line.startswith(b"data: "))


def test_a_daemon_in_the_background_begins_anew_in_the_background(
    home: Path, tmp_path: Path, sign: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tamper(monkeypatch, tmp_path, SWELL.format(sign=str(sign)))
    for name, value in {**LIGHT, **UNRESTRAINED}.items():
        monkeypatch.setenv(name, value)
    start(locate())
    with connect(home) as client:
        pid = client.call("GET", "/v1/hello")["pid"]
    try:
        with connect(home) as client:
            session = os.getsid(pid)
            sign.write_text("")
            work(client, "one")
        log = home / "log" / "daemon.log"
        until(lambda: log.read_text().count(": ready"), lambda times: times == 2)
        with connect(home) as client:
            assert client.call("GET", "/v1/hello")["pid"] == pid
            assert os.getsid(pid) == session
            os.kill(pid, signal.SIGHUP)  # still nobody's terminal
            client.call("POST", "/v1/shutdown")
        until(lambda: lives(pid), lambda living: not living)
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)  # it is nobody's child
    assert sorted(os.listdir(home / "run")) == ["daemon.lock"]


def is_noted(triggers: list[dict[str, Any]]) -> bool:
    return any("max_rss_mb" in each["detail"] for each in triggers)


def test_a_limit_below_what_it_needs_is_said_and_it_goes_on(home: Path) -> None:
    with running(home, {**LIGHT, "HERMES_AMBIENT_BACKGROUND__MAX_RSS_MB": "20"}) as daemon:
        with daemon.connect() as client:
            work(client, "one")
            until(lambda: client.call("GET", "/v1/status")["triggers"], is_noted)
        assert daemon.call("GET", "/v1/hello")["pid"] == daemon.pid
        assert daemon.log.count("max_rss_mb") == 1
        assert daemon.call("GET", "/v1/trouble")["trouble"] == []
        assert daemon.log.count(" starts, process ") == 1
        assert "max_rss_mb = 20" in daemon.hermes("status").stdout


def test_a_loop_that_is_stuck_is_given_up_and_what_waited_is_done(
    home: Path, tmp_path: Path, sign: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tamper(monkeypatch, tmp_path, STUCK.format(sign=str(sign)))
    with running(home) as daemon:
        daemon.settle()
        with daemon.connect() as client:
            sign.write_text("")
            number = work(client, "one")
        until(lambda: daemon.log.count(": ready"), lambda times: times == 2)
        assert "the event loop is stuck; what all threads do" in daemon.log
        assert "in stuck" in daemon.log
        told = daemon.call("GET", "/v1/hello")
        assert told["pid"] == daemon.pid
        daemon.settle()
        why = daemon.call("GET", f"/v1/why/e{number}")
        assert [job["state"] for job in why["jobs"]] in (["ok"], ["silent"], ["skipped"])
        assert daemon.stop() == 0
        assert sorted(os.listdir(home / "run")) == ["daemon.lock"]
