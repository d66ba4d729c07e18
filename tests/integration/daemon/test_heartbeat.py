"""The daemon's last sign of life, as shells read it."""

from __future__ import annotations

import asyncio
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

from hermes.daemon.heartbeat import RENEW_SECONDS, Heartbeat
from hermes.tests.builders.daemon import running
from hermes.tests.builders.shells import started


def nobody(wake: Callable[[], None]) -> None:
    """Work that never comes."""


def test_it_says_who_lives_where_and_since_when(tmp_path: Path) -> None:
    now = time.mktime((2026, 11, 27, 17, 20, 5, 0, 0, -1))
    Heartbeat(tmp_path / "brief", nobody).beat(now)
    assert (tmp_path / "brief" / "daemon").read_text().split() == [
        str(os.getpid()),
        started(os.getpid()),
        socket.gethostname(),
        str(int(now)),
        "2026-11-27",
        "Fri",
        "17:20",
    ]


def test_work_renews_it_but_not_at_each_turn(tmp_path: Path) -> None:
    file = tmp_path / "brief" / "daemon"
    heartbeat = Heartbeat(tmp_path / "brief", nobody)
    heartbeat.beat(1_000_000.0)
    first = file.read_bytes()
    heartbeat.beat(1_000_000.0 + RENEW_SECONDS - 1)
    assert file.read_bytes() == first
    heartbeat.beat(1_000_000.0 + RENEW_SECONDS)
    assert file.read_bytes() != first
    heartbeat.beat(5_000.0)  # the clock was set back
    assert file.read_text().split()[3] == "5000"


async def test_it_is_written_at_the_start_with_work_and_at_the_end(tmp_path: Path) -> None:
    file = tmp_path / "brief" / "daemon"
    wakes: list[Callable[[], None]] = []
    listening = asyncio.Event()

    def listen(wake: Callable[[], None]) -> None:
        wakes.append(wake)
        listening.set()

    heartbeat = Heartbeat(tmp_path / "brief", listen)
    task = asyncio.create_task(heartbeat.serve())
    await asyncio.wait_for(listening.wait(), 10)
    assert file.exists()
    file.unlink()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert file.exists()
    wakes[0]()  # late work harms nobody


def test_a_folder_that_is_not_ours_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "brief").symlink_to(tmp_path)
    Heartbeat(tmp_path / "brief", nobody).beat(time.time())
    assert not (tmp_path / "daemon").exists()


def test_a_daemon_that_was_stopped_on_purpose_is_not_spoken_of(tmp_path: Path) -> None:
    with running(tmp_path / "home") as daemon:
        file = tmp_path / "home" / "brief" / "daemon"
        assert file.read_text().split()[0] == str(daemon.process.pid)
        assert daemon.hermes("down").returncode == 0
        assert not file.exists()


def test_a_daemon_that_the_system_ends_leaves_its_time(tmp_path: Path) -> None:
    with running(tmp_path / "home") as daemon:
        before = int(time.time())
        daemon.stop()
        words = (tmp_path / "home" / "brief" / "daemon").read_text().split()
        assert int(words[3]) >= before
