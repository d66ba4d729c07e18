"""What an idle daemon costs: CPU, wake-ups, bytes written, memory.

    python -m hermes.tests.bench.idle [--minutes 10] [--repo PATH …]

Starts a daemon in a home of its own, takes repositories into memory (three small ones are made
if none is named), which it watches from then on, waits until there is nothing left to do, and
then looks at the process from outside. Linux only: it reads /proc.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from hermes.daemon.worker import IDLE_SECONDS
from hermes.tests.builders.daemon import lives, running, until, worker_of
from hermes.tests.builders.shop import make_shop

SETTINGS = {"HERMES_AMBIENT_EMBEDDER__PROVIDER": "static"}
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Sample:
    """What a process has used so far."""

    cpu: float
    """Seconds, in user and system mode, of all threads."""
    wakeups: dict[str, int]
    """By thread, how often it was woken: voluntary context switches."""
    written: int
    """Bytes handed to the file system, page cache included."""
    resident: int
    """Bytes of memory it takes now."""
    threads: int


def sample(pid: int) -> Sample:
    """Given a process, return what it has used so far."""
    process = Path(f"/proc/{pid}")
    fields = (process / "stat").read_text().rpartition(")")[2].split()
    io = dict(line.split(": ") for line in (process / "io").read_text().splitlines())
    threads = list((process / "task").iterdir())
    return Sample(
        cpu=(int(fields[11]) + int(fields[12])) / TICKS,
        wakeups={thread.name: _voluntary(thread) for thread in threads},
        written=int(io["wchar"]),
        resident=int((process / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE"),
        threads=len(threads),
    )


def _voluntary(thread: Path) -> int:
    lines = (thread / "status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("voluntary")).split()[1])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--repo", type=Path, action="append", help="what to take into memory")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = [Path(folder) / f"shop{number}" for number in range(3)]
        repos: list[Path] = options.repo or [make_shop(path).path for path in made]
        with running(Path(folder) / "home", SETTINGS) as daemon:
            for repo in repos:
                daemon.index(repo.absolute())
            status = daemon.settle()
            daemon.call("POST", "/v1/search", {"question": "why"})
            memory = status["memory"]
            pid = worker_of(status)
            assert pid is not None
            worker = sample(pid)
            # Linux adds what an ended child has written to its parent's account.
            until(lambda: lives(pid), lambda living: not living, IDLE_SECONDS + 30)
            time.sleep(15)  # LanceDB's pool lets its threads go after ten seconds
            before = sample(daemon.pid)
            time.sleep(options.minutes * 60)
            after = sample(daemon.pid)
    woken = sum(after.wakeups[name] - count for name, count in before.wakeups.items())
    seconds = options.minutes * 60
    print(
        f"idle daemon over {options.minutes:g} minutes, {len(repos)} repositories watched, "
        f"{memory['chunks']:,} chunks in memory"
    )
    print(f"  CPU            {100 * (after.cpu - before.cpu) / seconds:.3f} % of one core")
    print(f"  wake-ups       {woken / seconds:.3f} a second")
    print(f"  bytes written  {after.written - before.written:,}")
    print(f"  RSS            {after.resident / 1e6:.0f} MB, {after.threads} threads")
    print(
        f"  worker         {worker.resident / 1e6:.0f} MB while it was there; it ended {IDLE_SECONDS:g} s later"
    )


if __name__ == "__main__":
    main()
