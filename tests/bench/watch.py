"""What the file watch costs: python tests/bench/watch.py [FOLDER] (needs a few hundred MB there).

Prints, for a tree of 50,000 files in 5,000 folders: start, a checkout of 10,000 files back and
forth, git gc, 50,000 files in an ignored folder, idling, and the time from a save to its event.
"""

from __future__ import annotations

import asyncio
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from hermes.agents.events import FilesChanged
from hermes.daemon.triggers.around import Timing
from hermes.daemon.triggers.watched import Watched
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.watching import Accepted, Remembered, Watching, told, watching

FOLDERS = 5_000
PER_FOLDER = 10
MOVED = 10_000
IGNORED = 50_000


def main() -> None:
    base = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory(dir=base) as folder:
        repo = _tree(Path(folder) / "tree")
        asyncio.run(_measure(repo, Path(folder)))


def _tree(path: Path) -> RepoBuilder:
    repo = RepoBuilder(path)
    repo.write({".gitignore": "node_modules/\n*.log\n__pycache__/\n*.py[co]\n/build/\n*.swp\n"})
    for number in range(FOLDERS):
        folder = path / f"part{number // 100:02}" / f"unit{number:04}"
        folder.mkdir(parents=True)
        for inner in range(PER_FOLDER):
            (folder / f"file{inner}.txt").write_text(f"{number} {inner}\n")
    repo.commit(message="All")
    repo.switch("other")
    for number in range(MOVED // PER_FOLDER):
        folder = path / f"part{number // 100:02}" / f"unit{number:04}"
        for inner in range(PER_FOLDER):
            (folder / f"file{inner}.txt").write_text(f"{number} {inner} other\n")
    repo.commit(message="Other")
    repo.switch("main")
    return repo


async def _measure(repo: RepoBuilder, folder: Path) -> None:
    watched = Watched("tree", repo.path, repo.path / ".git")
    values = Remembered()
    before = _rss()
    wall, cpu = time.monotonic(), _cpu()
    async with watching(watched, folder=folder / "state", values=values, timing=Timing()) as w:
        print(
            f"start: {time.monotonic() - wall:.2f} s, CPU {_cpu() - cpu:.2f} s,"
            f" {w.watch.state()['folders']} watches, RSS {before:.0f} -> {_rss():.0f} MB"
        )
        await _checkouts(repo, w)
        cpu = _cpu()
        await _run(repo, "gc", "--quiet")
        events = await w.settled(repo.path / "probe")
        print(f"git gc: {len(events)} events, CPU {_cpu() - cpu:.2f} s")
        await _ignored(repo, w)
        await _overflow(repo, w)
        await _idle(30.0)
        await _latency(repo, w)
        print(f"RSS at the end: {_rss():.0f} MB")
    wall, cpu = time.monotonic(), _cpu()
    (repo.path / "part01" / "unit0100" / "file1.txt").write_text("while down")
    accepted = Accepted()
    async with watching(
        watched, folder=folder / "state", values=values, accepted=accepted, timing=Timing()
    ):
        seen = told(accepted.events)
        print(
            f"second start: {time.monotonic() - wall:.2f} s, CPU {_cpu() - cpu:.2f} s, told {seen}"
        )
    size = sum(f.stat().st_size for f in (folder / "state").iterdir())
    print(f"snapshot: {size / 1e6:.2f} MB")


async def _checkouts(repo: RepoBuilder, w: Watching) -> None:
    for branch in ("other", "main"):
        cpu, wall = _cpu(), time.monotonic()
        await _run(repo, "switch", "--quiet", branch)
        git = time.monotonic() - wall
        events = await w.settled(repo.path / "probe")
        files = [event for event in events if isinstance(event, FilesChanged)]
        missed = 0 if any(event.whole for event in files) else MOVED - len(told(files))
        print(
            f"checkout of {MOVED} files to {branch} (git {git:.1f} s):"
            f" {[event.kind for event in events]}, missed {missed}, CPU {_cpu() - cpu:.2f} s"
        )


async def _ignored(repo: RepoBuilder, w: Watching) -> None:
    held = w.watch.state()["folders"]
    cpu = _cpu()
    script = (
        "import os\n"
        f"for n in range({IGNORED // 10}):\n"
        "    os.makedirs(f'node_modules/p{n // 100}/q{n}')\n"
        "    for i in range(10):\n"
        "        open(f'node_modules/p{n // 100}/q{n}/f{i}.js', 'w').write('x')\n"
    )
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", script, cwd=repo.path)
    await child.wait()
    events = await w.settled(repo.path / "probe")
    print(
        f"{IGNORED} files in node_modules: {len(events)} events,"
        f" {w.watch.state()['folders'] - held} watches, CPU {_cpu() - cpu:.2f} s"
    )


async def _overflow(repo: RepoBuilder, w: Watching) -> None:
    """Stop this process while so much happens that the kernel drops events."""
    cpu, wall = _cpu(), time.monotonic()
    script = (
        "import os, signal\n"
        f"os.kill({os.getpid()}, signal.SIGSTOP)\n"
        f"for n in range({FOLDERS}):\n"
        "    for i in range(4):\n"
        "        open(f'part{n // 100:02}/unit{n:04}/over{i}', 'w').close()\n"
        "os.makedirs('late/folder')\n"
        "open('late/folder/file', 'w').close()\n"
        f"os.kill({os.getpid()}, signal.SIGCONT)\n"
    )
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", script, cwd=repo.path)
    await child.wait()
    await w.accepted.until(lambda: any(e.kind == "files_changed" for e in w.accepted.events))
    events = await w.settled(repo.path / "probe")
    print(
        f"overflow: said {w.said}, {[event.kind for event in events]},"
        f" {w.watch.state()['folders']} watches, {time.monotonic() - wall:.1f} s,"
        f" CPU {_cpu() - cpu:.2f} s"
    )


async def _idle(seconds: float) -> None:
    ticks, switches = sum(os.times()[:2]), resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
    await asyncio.sleep(seconds)
    woken = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw - switches
    print(f"idle {seconds:.0f} s: CPU {sum(os.times()[:2]) - ticks:.2f} s, woken {woken} times")


async def _latency(repo: RepoBuilder, w: Watching) -> None:
    waits: list[float] = []
    for number in range(20):
        path = f"part00/unit{number:04}/file0.txt"
        began = time.monotonic()
        (repo.path / path).write_text(f"saved {began}")
        await w.accepted.paths(path)
        waits.append(time.monotonic() - began)
        w.accepted.take()
    print(f"save to event: median {statistics.median(waits):.3f} s, worst {max(waits):.3f} s")


async def _run(repo: RepoBuilder, *args: str) -> None:
    await asyncio.to_thread(
        lambda: subprocess.run(["git", *args], cwd=repo.path, check=True, capture_output=True)
    )


def _cpu() -> float:
    """Seconds of this process alone."""
    return time.process_time()


def _rss() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6


if __name__ == "__main__":
    main()
