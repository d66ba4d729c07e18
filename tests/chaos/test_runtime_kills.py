"""Kill -9 at random moments under load: every event that was taken is there, once, and done once.

``HERMES_CHAOS_KILLS=500`` makes it the long form; ``HERMES_CHAOS_SEED`` repeats a run.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from hermes.memory.memory import Memory
from hermes.surfaces.client import DaemonAbsent, DaemonLost
from hermes.tests.builders.daemon import (
    LIGHT,
    UNRESTRAINED,
    Daemon,
    at_rest,
    connect,
    running,
    until,
)
from hermes.tests.builders.git import RepoBuilder

KILLS = int(os.environ.get("HERMES_CHAOS_KILLS", "6"))
SEED = int(os.environ.get("HERMES_CHAOS_SEED", "0")) or random.randrange(1, 1 << 30)
LONGEST = 1.5
"""Seconds a daemon is left to work before it is killed."""
READY_SECONDS = 2.0
"""How long a restart may take, on a quiet machine; twenty times that ends the test anywhere."""
MOST_WAITING = 300
"""Files in the spool folder beyond which no more are dropped."""
EARLY = 0.2
"""The share of daemons that are killed while they start."""
STARTING = 1.5
SETTLING = 300.0
QUIET_SECONDS = 3.0


class Load:
    """Events from three sides at once, whether the daemon is there or not."""

    def __init__(self, home: Path, repo: RepoBuilder) -> None:
        self.dropped: list[str] = []
        """Titles of what was put into the spool folder."""
        self.acknowledged: list[str] = []
        """Titles of what the API said it has."""
        self.commits = 0
        self._home = home
        self._repo = repo
        self._stop = threading.Event()
        self._full = True
        self._pool = ThreadPoolExecutor(3)
        self._running: list[Future[None]] = []

    def start(self) -> None:
        """Begin on all sides."""
        sides = (self._drop, self._commit, self._post)
        self._running = [self._pool.submit(self._run, side) for side in sides]

    def stop(self) -> None:
        """End on all sides; raise what went wrong on one."""
        self._stop.set()
        self._pool.shutdown()
        for side in self._running:
            side.result()

    def _run(self, side: Callable[[int], float]) -> None:
        number = 0
        while not self._stop.wait(side(number)):
            number += 1

    def _drop(self, number: int) -> float:
        title = f"dropped {number}"
        folder = self._home / "spool"
        if self._full or number % 50 == 0:
            self._full = not folder.is_dir() or len(os.listdir(folder)) > MOST_WAITING
        if self._full:
            return 0.05  # a backlog of an hour would only make the end long
        fresh = folder / f".{number}.tmp"
        fresh.write_text(json.dumps({"kind": "noted", "title": title}))
        fresh.rename(folder / f"{time.time_ns()}-{number}.json")
        self.dropped.append(title)
        return 0.01

    def _commit(self, number: int) -> float:
        self._repo.commit({f"file{number % 7}.py": f"value = {number}\n"}, f"Set {number}")
        self.commits += 1
        return 0.1

    def _post(self, number: int) -> float:
        title = f"posted {number}"
        event = {"kind": "noted", "title": title}
        try:
            with connect(self._home) as client:
                client.call("POST", "/v1/events", {"event": event, "key": title})
        except (DaemonAbsent, DaemonLost, OSError):
            return 0.05  # killed before it answered: it may have it or not
        self.acknowledged.append(title)
        return 0.01


def ours(home: Path) -> list[psutil.Process]:
    """Return every process that works for this home."""
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("HERMES_AMBIENT_HOME") != str(home):
                continue
            if process.pid != os.getpid() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found


def titles(home: Path) -> Counter[str]:
    """Return how often each title stands among the accepted events."""
    with sqlite3.connect(home / "runtime.db") as db:
        rows = db.execute("SELECT body FROM events WHERE kind = 'noted'").fetchall()
    db.close()
    return Counter(json.loads(body)["title"] for (body,) in rows)


def come_to_rest(daemon: Daemon) -> None:
    """Return when nothing waits or runs, and the journal has had no word for a while."""
    seen, since = -1, time.monotonic()

    def look() -> dict[str, Any]:
        nonlocal seen, since
        status = daemon.call("GET", "/v1/status")
        newest: int = daemon.call("GET", "/v1/journal?limit=1")["newest"]
        if newest != seen or not status["ready"] or not at_rest(status):
            seen, since = newest, time.monotonic()
        return {**status, "newest": newest, "quiet": time.monotonic() - since}

    until(look, lambda status: status["quiet"] > QUIET_SECONDS, SETTLING)


def kill_at_start(home: Path, chance: random.Random) -> None:
    """Start a daemon and kill it before it is ready, or soon after."""
    process = subprocess.Popen(
        [sys.executable, "-m", "hermes.daemon"],
        env={**os.environ, **UNRESTRAINED, **LIGHT, "HERMES_AMBIENT_HOME": str(home)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    time.sleep(chance.uniform(0.0, STARTING))
    process.kill()
    process.wait()


def twice(home: Path) -> list[tuple[int, int]]:
    """Return the jobs that ended more than once."""
    ends = "('ok','silent','skipped','late','failed','cancelled','abandoned','dead')"
    with sqlite3.connect(home / "runtime.db") as db:
        rows = db.execute(
            f"SELECT about, count(*) FROM journal WHERE topic = 'job' AND what IN {ends}"
            " GROUP BY about HAVING count(*) > 1"
        ).fetchall()
    db.close()
    return rows


@pytest.mark.timeout(180 + 20 * KILLS)
def test_no_event_is_lost_or_done_twice_under_kills(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    home = tmp_path / "home"
    repo = RepoBuilder(tmp_path / "busy")
    repo.commit({"README.md": "busy\n"}, "Start")
    with running(home, LIGHT) as daemon:
        daemon.index(repo.path)
        daemon.hermes("hooks", "install", cwd=repo.path).check_returncode()
    load = Load(home, repo)
    starts: list[float] = []
    load.start()
    try:
        for number in range(KILLS):
            if chance.random() < EARLY:
                kill_at_start(home, chance)
                continue
            began = time.monotonic()
            daemon = Daemon(home, LIGHT)
            assert daemon.said.get("status") == "ready", (daemon.said, number, SEED)
            starts.append(time.monotonic() - began)
            time.sleep(chance.uniform(0.0, LONGEST))
            if chance.random() < 0.3:
                for child in psutil.Process(daemon.pid).children():
                    with suppress(psutil.NoSuchProcess):  # a git that has just ended
                        child.send_signal(signal.SIGKILL)
            daemon.kill()
            daemon.close()
    finally:
        if daemon.process.poll() is None:
            daemon.kill()
        load.stop()
    with running(home, LIGHT) as daemon:
        # Work under which process after process was killed is held for a while, unless a person
        # asks for it.
        daemon.index(repo.path)
        come_to_rest(daemon)
    assert ours(home) == []

    told = f"HERMES_CHAOS_SEED={SEED}"
    found = titles(home)
    assert [title for title in load.dropped if found[title] != 1] == [], told
    assert [title for title in load.acknowledged if found[title] != 1] == [], told
    assert max(found.values(), default=1) == 1, told
    assert twice(home) == [], told
    assert list((home / "spool").glob("*.json")) == [], told
    with Memory.open(home / "memory", embedder=None) as memory:
        assert memory.check() == [], told
        (known,) = memory.index.repos()
        assert len(memory.index.known(known.id)) == load.commits + 1, told
        chunks: list[str] = memory.store.column("chunks", "id").to_pylist()
        assert len(chunks) == len(set(chunks)) == 2 * (load.commits + 1), told
    assert max(starts) < 20 * READY_SECONDS
    told = (
        f"{KILLS} kills, {len(load.dropped)} dropped, {len(load.acknowledged)} posted, "
        f"{load.commits} commits; ready after {sorted(starts)[len(starts) // 2]:.2f} s "
        f"(longest {max(starts):.2f} s)\n"
    )
    sys.stdout.write(told)
