"""One daemon for each home."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hermes import __version__
from hermes.daemon.lock import AlreadyRunning, LockRefused, read_holder, single_instance
from hermes.daemon.paths import PathRefused, locate

HOLD = """
from hermes.daemon.lock import single_instance
from hermes.daemon.paths import locate
with single_instance(locate()):
    print("held", flush=True)
    input()
"""


def test_a_second_daemon_is_told_who_holds_the_home(home: Path) -> None:
    paths = locate()
    with single_instance(paths) as holder:
        assert (holder.pid, holder.version) == (os.getpid(), __version__)
        assert read_holder(paths) == holder
        with pytest.raises(AlreadyRunning) as refusal, single_instance(paths):
            pass
        assert f"process {os.getpid()}, version {__version__}" in refusal.value.message
        assert str(home) in refusal.value.message
    with single_instance(paths):
        pass


def test_nothing_is_left_for_the_next_but_the_lock_file(home: Path) -> None:
    with single_instance(locate()):
        assert (home / "run" / "daemon.json").stat().st_mode & 0o777 == 0o600
        assert (home / "run" / "daemon.lock").stat().st_mode & 0o777 == 0o600
    assert os.listdir(home / "run") == ["daemon.lock"]


def test_what_a_killed_daemon_left_is_no_obstacle(home: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(AlreadyRunning, match=f"process {other.pid}"):
            single_instance(locate()).__enter__()
        other.kill()
    assert json.loads((home / "run" / "daemon.json").read_text())["pid"] == other.pid
    with single_instance(locate()) as holder:
        assert holder.pid == os.getpid()


def test_a_side_file_of_rubbish_is_no_obstacle(home: Path) -> None:
    (home / "run").mkdir(parents=True)
    (home / "run" / "daemon.json").write_text("[1, 2")
    assert read_holder(locate()) is None
    with single_instance(locate()):
        pass


def test_a_home_that_cannot_be_made_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PathRefused) as refusal:
        single_instance(locate({"HERMES_AMBIENT_HOME": str(tmp_path / "file")})).__enter__()
    assert "HERMES_AMBIENT_HOME" in refusal.value.hint


def test_a_lock_that_cannot_be_opened_is_refused(home: Path) -> None:
    (home / "run" / "daemon.lock").mkdir(parents=True)
    with pytest.raises(LockRefused, match=r"daemon\.lock"):
        single_instance(locate()).__enter__()
