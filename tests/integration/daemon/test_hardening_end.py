"""However a daemon ends, and whatever its worker does then, no process of it is left."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import psutil
import pytest

from hermes.tests.builders.daemon import Daemon, lives, running, until
from hermes.tests.builders.git import RepoBuilder


def at_work(daemon: Daemon, folder: Path) -> list[int]:
    """Have it read a large repository; return all its processes while it does."""
    large = RepoBuilder(folder / "large")
    large.many_commits(5_000)
    repo = daemon.call("POST", "/v1/repos", {"path": str(large.path)})["repo"]
    with daemon.connect() as client:
        stream = client.stream("POST", f"/v1/repos/{repo['id']}/index")
        next(event for event in stream if event.get("done"))
    family = psutil.Process(daemon.pid).children(recursive=True)
    assert family
    return [daemon.pid, *(process.pid for process in family)]


@pytest.mark.parametrize(
    ("way", "worker"),
    [
        ("down", "works"),
        ("SIGINT", "works"),
        ("SIGTERM", "is stopped"),
        ("SIGKILL", "is stopped"),
    ],
)
def test_no_process_is_left(home: Path, tmp_path: Path, way: str, worker: str) -> None:
    with running(home) as daemon:
        family = at_work(daemon, tmp_path)
        if worker == "is stopped":
            for child in psutil.Process(daemon.pid).children():
                child.suspend()
        if way == "down":
            assert daemon.hermes("down").returncode == 0
        else:
            os.kill(daemon.pid, signal.Signals[way])
        daemon.wait()
        until(lambda: [pid for pid in family if lives(pid)], lambda left: left == [])


OFTEN = """
import sys

if "hermes.daemon" in sys.orig_argv:
    from hermes.daemon import serving

    serving.HOME_SECONDS = 0.05
"""


def test_a_daemon_whose_folder_is_deleted_ends_and_leaves_the_next_one_alone(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(OFTEN)
    with running(home) as first:
        os.kill(first.pid, signal.SIGSTOP)
        while home.exists():
            shutil.rmtree(home, ignore_errors=True)
        monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
        with running(home) as second:
            os.kill(first.pid, signal.SIGCONT)
            os.kill(first.pid, signal.SIGTERM)
            assert first.wait() == 0
            assert second.call("GET", "/v1/hello")["pid"] == second.pid
            while home.exists():
                shutil.rmtree(home, ignore_errors=True)
            assert second.wait() == 0
