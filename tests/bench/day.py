"""A day of events in a few minutes: does the daemon's memory grow?

    python -m hermes.tests.bench.day [--hours 24] [--minutes 12]

A developer's hour is taken to be ten commits, a hundred saves, twenty checkouts, sixty notes from
scripts and forty questions. Each simulated hour is done as fast as it goes within its share of
the time; RSS is read at its end. Printed is the slope over the second half, since the first one
fills caches. Linux only.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from hermes.tests.bench.idle import sample
from hermes.tests.builders.daemon import Daemon, running
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.shop import make_shop

SETTINGS = {
    "HERMES_AMBIENT_EMBEDDER__PROVIDER": "static",
    "HERMES_AMBIENT_MODELS__PROVIDER": "none",
}
PROMISE = 1e6
"""Bytes of growth in a simulated hour."""


def hour(daemon: Daemon, repo: RepoBuilder, number: int) -> None:
    """Do what happens in an hour."""
    with daemon.connect() as client:
        for part in range(10):
            for save in range(10):
                (repo.path / f"work{save}.py").write_text(f"value = {number}, {part}, {save}\n")
            repo.commit({f"done{part}.py": f"hour = {number}\n"}, f"Finish {part} of {number}")
            repo.git("checkout", "-q", "HEAD~1")
            repo.git("checkout", "-q", "main")
            for note in range(6):
                event = {"kind": "noted", "title": f"note {note} of part {part}"}
                client.call("POST", "/v1/events", {"event": event})
            for _ in range(4):
                client.call("POST", "/v1/search", {"question": "why was it finished", "k": 8})
            client.call("GET", "/v1/status")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=int, default=24)
    parser.add_argument("--minutes", type=float, default=12.0)
    options = parser.parse_args()
    sizes: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        repo = make_shop(Path(folder) / "shop")
        with running(Path(folder) / "home", SETTINGS) as daemon:
            daemon.index(repo.path)
            daemon.hermes("hooks", "install", cwd=repo.path).check_returncode()
            daemon.settle()
            for number in range(options.hours):
                ends = time.monotonic() + options.minutes * 60 / options.hours
                hour(daemon, repo, number)
                daemon.settle(300)
                time.sleep(max(0.0, ends - time.monotonic()))
                sizes.append(sample(daemon.pid).resident)
                print(f"hour {number + 1:2d}: {sizes[-1] / 1e6:.1f} MB", flush=True)
            entries = daemon.call("GET", "/v1/journal?limit=1")["newest"]
    half = len(sizes) // 2
    slope = statistics.linear_regression(range(len(sizes) - half), sizes[half:]).slope
    verdict = "ok" if slope < PROMISE else "over the promise"
    print(f"{entries:,} journal entries; {slope / 1e6:+.2f} MB a simulated hour ({verdict})")


if __name__ == "__main__":
    main()
