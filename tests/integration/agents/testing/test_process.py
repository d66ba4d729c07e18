"""Test processes: bounded, and gone without a trace when they end or are ended."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from hermes.agents.testing import process
from hermes.agents.testing.framework import EnvironmentBroken
from hermes.agents.testing.limits import MARK, Limits, Watch
from hermes.agents.testing.records import Ended, Invocation

SLEEPER = "60.375"
"""What the sleeping children of these tests are known by."""


def invocation(folder: Path, *argv: str) -> Invocation:
    return Invocation(argv, folder, dict(os.environ))


def shell(folder: Path, script: str) -> Invocation:
    return invocation(folder, "sh", "-c", script)


def python(folder: Path, script: str) -> Invocation:
    return invocation(folder, sys.executable, "-c", script)


async def run(what: Invocation, limit: float = 30.0, limits: Limits | None = None) -> Ended:
    return await process.run(what, limit=limit, started=lambda pid: None, limits=limits)


def left(folder: Path) -> list[str]:
    """Return command lines of live processes that run in the folder."""
    found: list[str] = []
    for one in psutil.process_iter():
        try:
            if one.cwd() == str(folder) and one.status() != psutil.STATUS_ZOMBIE:
                found.append(" ".join(one.cmdline()))
        except psutil.Error:
            continue
    return found


def there(path: Path | str) -> bool:
    return os.path.lexists(path)


async def until(true: Callable[[], bool]) -> None:
    while not true():  # noqa: ASYNC110 - what is waited for happens in another process
        await asyncio.sleep(0.01)


async def test_a_process_that_ends_gives_its_code_and_both_streams(tmp_path: Path) -> None:
    ended = await run(shell(tmp_path, "echo out; echo err >&2; cat; exit 3"))
    assert (ended.code, ended.output, ended.stopped) == (3, "out\nerr\n", "")


async def test_a_signal_is_a_negative_code(tmp_path: Path) -> None:
    assert (await run(shell(tmp_path, "kill -SEGV $$"))).code == -11


async def test_it_has_a_session_of_its_own_the_lowest_priority_and_no_core_dumps(
    tmp_path: Path,
) -> None:
    script = (
        "import os, psutil, resource, time\n"
        "while psutil.Process().ionice().ioclass != psutil.IOPRIO_CLASS_IDLE: time.sleep(.01)\n"
        "print(os.getsid(0) == os.getpgid(0) == os.getpid(), os.nice(0),\n"
        "      resource.getrlimit(resource.RLIMIT_CORE)[0])\n"
    )
    ended = await run(python(tmp_path, script))
    assert ended.output.split()[0] == "True"
    assert int(ended.output.split()[1]) >= 10
    assert ended.output.split()[2] == "0"


async def test_its_temporary_folder_is_its_own_short_and_removed(tmp_path: Path) -> None:
    script = (
        "echo $TMPDIR; mkdir $TMPDIR/a; touch $TMPDIR/a/b; chmod 0 $TMPDIR/a; chmod 500 $TMPDIR"
    )
    folder = (await run(shell(tmp_path, script))).output.strip()
    assert len(folder) < 40
    assert not there(folder)


async def test_what_a_killed_daemon_left_is_removed_but_not_what_a_living_one_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    gone = tmp_path / f"hermes-{os.getuid()}-4194305-abc"
    used = tmp_path / f"hermes-{os.getuid()}-{os.getppid()}-abc"
    gone.mkdir()
    used.mkdir()
    await run(shell(tmp_path, "true"))
    assert there(used) and not there(gone)


async def test_a_program_that_is_not_there_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentBroken, match=r"nothing-like-it is not there"):
        await run(invocation(tmp_path, "nothing-like-it"))
    with pytest.raises(EnvironmentBroken, match="gone is not there"):
        await run(shell(tmp_path / "gone", "true"))


async def test_a_gigabyte_of_output_without_a_newline_takes_no_memory(tmp_path: Path) -> None:
    before = most = psutil.Process().memory_info().rss
    command = "printf BEGIN; head -c 1000000000 /dev/zero | tr '\\0' x; printf END"
    running = asyncio.create_task(run(shell(tmp_path, command)))
    while not running.done():
        most = max(most, psutil.Process().memory_info().rss)
        await asyncio.wait({running}, timeout=0.02)
    ended = await running
    assert most - before < 30_000_000
    assert ended.code == 0
    assert ended.output.startswith("BEGINxxx")
    assert ended.output.endswith("xxxEND")
    assert "of 1,000,000,008 bytes, the middle is left out" in ended.output
    assert len(ended.output) < 65_000


async def test_output_of_odd_bytes_is_text(tmp_path: Path) -> None:
    ended = await run(shell(tmp_path, r"printf '\377\303\251'"))
    assert ended.output == "\ufffdé"


async def test_more_output_than_is_allowed_ends_it(tmp_path: Path) -> None:
    ended = await run(shell(tmp_path, "yes"), limits=Limits(output_bytes=10_000_000))
    assert (ended.code, ended.stopped) == (None, "output")


async def test_what_hangs_is_ended_in_time_even_if_it_will_not_be_asked(tmp_path: Path) -> None:
    script = "import signal, time; signal.signal(15, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"
    begun = time.monotonic()
    ended = await run(python(tmp_path, script), limit=1.0, limits=Limits(grace=0.2))
    assert (ended.code, ended.stopped, ended.output) == (None, "time", "up\n")
    assert time.monotonic() - begun < 10
    assert left(tmp_path) == []


ESCAPED = f"""
import os, subprocess, sys, time
# A child in the group, one in a session of its own, and a daemon whose parent has ended.
subprocess.Popen(["sleep", "{SLEEPER}"])
subprocess.Popen(["sleep", "{SLEEPER}"], start_new_session=True)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execvp("sleep", ["sleep", "{SLEEPER}"])
    os._exit(0)
os.wait()
print("ready", flush=True)
"""


async def test_children_that_outlive_the_leader_are_killed_and_do_not_hold_up_its_result(
    tmp_path: Path,
) -> None:
    ended = await run(python(tmp_path, ESCAPED))
    assert (ended.code, ended.output, ended.stopped) == (0, "ready\n", "")
    assert left(tmp_path) == []


async def test_cancelling_kills_everything_at_once(tmp_path: Path) -> None:
    pids: list[int] = []
    script = ESCAPED + "\nopen('up', 'w').close()\ntime.sleep(60)\n"
    task = asyncio.create_task(process.run(python(tmp_path, script), limit=60, started=pids.append))
    await until((tmp_path / "up").exists)
    assert len(left(tmp_path)) == 4
    begun = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - begun < 5
    assert left(tmp_path) == []
    assert not psutil.pid_exists(pids[0])


KILLED = """
import asyncio, os, pathlib, sys
from hermes.agents.testing.process import run
from hermes.agents.testing.records import Invocation

what = Invocation(("sh", "-c", sys.argv[2]), pathlib.Path(sys.argv[1]), dict(os.environ))
asyncio.run(run(what, limit=60, started=lambda pid: None))
"""


async def test_when_we_are_killed_so_is_what_we_run(tmp_path: Path) -> None:
    script = f"sleep {SLEEPER} & touch there; wait"
    ours = await asyncio.create_subprocess_exec(sys.executable, "-c", KILLED, str(tmp_path), script)
    await until(lambda: there(tmp_path / "there"))
    assert left(tmp_path)
    ours.kill()
    await ours.wait()
    await until(lambda: not left(tmp_path))


async def test_it_has_no_child_that_it_did_not_start(tmp_path: Path) -> None:
    script = "import psutil; print(psutil.Process().children(recursive=True))"
    assert (await run(python(tmp_path, script))).output == "[]\n"


async def test_a_fork_bomb_is_ended(tmp_path: Path) -> None:
    # Each child starts one in a session of its own and ends: as hard to catch as it gets; in a
    # bound, should it not be caught.
    bomb = (
        "import os, time\n"
        "for n in range(300):\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        "        time.sleep(60)\n"
        "        os._exit(0)\n"
        "time.sleep(60)\n"
    )
    ended = await run(python(tmp_path, bomb), limits=Limits(processes=100))
    assert (ended.code, ended.stopped) == (None, "processes")
    assert left(tmp_path) == []


async def test_a_full_temporary_folder_ends_it(tmp_path: Path) -> None:
    script = "i=0; while :; do i=$((i+1)); head -c 1000000 /dev/zero > $TMPDIR/$i; done"
    ended = await run(shell(tmp_path, script), limits=Limits(temporary_bytes=20_000_000))
    assert (ended.code, ended.stopped) == (None, "disk")


async def test_a_file_can_not_grow_without_bound(tmp_path: Path) -> None:
    ended = await run(
        python(tmp_path, "open('big', 'wb').write(bytes(3_000_000))"),
        limits=Limits(file_bytes=1_000_000 // 512 * 512),
    )
    assert ended.code == 1
    assert "File too large" in ended.output
    assert (tmp_path / "big").stat().st_size < 1_000_000


def test_too_little_left_on_the_disk_ends_it(tmp_path: Path) -> None:
    status = os.statvfs(tmp_path)
    free = status.f_bavail * status.f_frsize
    limits = Limits()
    assert not Watch.start(limits, tmp_path, tmp_path).disk_full()
    assert Watch(limits, tmp_path, (tmp_path,), {tmp_path: free + (1 << 40)}).disk_full()
    # A disk that has little to begin with is no reason not to run.
    assert Watch.start(Limits(free_bytes=1 << 60), tmp_path, tmp_path).floors[tmp_path] < free


def test_the_mark_is_one_that_the_environment_of_nested_runs_drops() -> None:
    assert MARK.startswith("HERMES_")
