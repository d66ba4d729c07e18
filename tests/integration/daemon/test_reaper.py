"""What agents leave behind is found and ended: children that stay, and children of children."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from hermes.daemon.reaper import Reaper
from hermes.tests.builders.daemon import lives, until

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]


def in_process(body: str) -> list[str]:
    """Run code in a process of its own; return the words it printed."""
    code = textwrap.dedent(body)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_what_is_left_of_a_group_ends_with_its_leader(caplog: pytest.LogCaptureFixture) -> None:
    code = (
        "import subprocess, sys\n"
        f"child = subprocess.Popen({SLEEP!r})\n"
        "print(child.pid, flush=True)\n"
        "sys.stdin.read()\n"
    )
    leader = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    reaper = Reaper()
    reaper.own(leader.pid, "tests of shop", job=7)
    assert leader.stdout is not None
    child = int(leader.stdout.readline())
    shown = {process["pid"]: process for process in reaper.children()}
    assert shown[leader.pid]["what"] == shown[child]["what"] == "tests of shop"
    assert shown[child]["job"] == 7
    assert reaper.release_job(7) == 2
    leader.communicate()
    until(lambda: lives(child), lambda living: not living)
    assert "left behind by" in caplog.text


def test_an_orphan_that_left_its_group_is_found_after_a_minute() -> None:
    words = in_process(
        f"""
        import subprocess, sys, time
        from hermes.daemon.reaper import Reaper
        reaper = Reaper()
        reaper.adopt()
        code = (
            "import subprocess as s; n = s.DEVNULL; "
            "print(s.Popen({SLEEP!r}, stdout=n, stderr=n, start_new_session=True).pid)"
        )
        pid = int(subprocess.run([sys.executable, "-c", code], capture_output=True).stdout)
        now = time.time()
        print(pid, reaper.sweep(now), reaper.sweep(now + 61), len(reaper.children()))
        """,
    )
    if sys.platform != "linux":
        return  # elsewhere orphans are handed to nobody who could find them
    assert words[1:] == ["0", "1", "0"]
    assert not lives(int(words[0]))


def test_when_the_daemon_stops_nothing_stays() -> None:
    words = in_process(
        f"""
        import subprocess, time
        from hermes.daemon.reaper import Reaper
        children = [subprocess.Popen({SLEEP!r}) for _ in range(3)]
        reaper = Reaper()
        reaper.own(children[0].pid, "worker")
        print(reaper.sweep(time.time()), reaper.sweep(time.time(), all_of_them=True))
        print(len(reaper.children()), *[child.pid for child in children])
        for child in children:
            child.wait()
        """,
    )
    assert words[:3] == ["0", "3", "0"]
    assert not any(lives(int(pid)) for pid in words[3:])


def test_what_runs_for_a_moment_is_left_alone() -> None:
    process = subprocess.Popen(SLEEP)
    try:
        assert Reaper().sweep(time.time() + 10) == 0
        assert process.poll() is None
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()


def test_processes_that_end_while_they_are_counted_are_no_fault() -> None:
    words = in_process(
        """
        import subprocess
        import threading

        from hermes.daemon.reaper import Reaper

        ended = threading.Event()

        def come_and_go():
            for _ in range(400):
                subprocess.run(["sh", "-c", "true; true"], check=True)
            ended.set()

        thread = threading.Thread(target=come_and_go)
        thread.start()
        reaper, looks = Reaper(), 0
        while not ended.is_set():
            assert len(reaper.children()) <= 2
            looks += 1
        thread.join()
        print("looked" if looks > 100 else looks)
        """
    )
    assert words == ["looked"]
