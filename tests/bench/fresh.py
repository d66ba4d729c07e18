"""How long a commit takes to become searchable by itself, with hooks and without.

    python -m hermes.tests.bench.fresh [--commits 30] [--repo PATH] [--pause 1.0] [--cold]

Starts a daemon in a home of its own and takes a repository into memory. Then it commits again and
again, each time a word that was never there before, and asks for it until it is found. The clock
starts when ``git commit`` returns. Once with the hooks installed, once with the file watch alone.
With ``--cold`` each commit meets no running worker, as the first one after a pause does.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import tempfile
import time
from functools import partial
from pathlib import Path

from hermes.tests.builders.daemon import Daemon, lives, running, until
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.shop import make_shop

SETTINGS = {
    "HERMES_AMBIENT_EMBEDDER__PROVIDER": "static",
    "HERMES_AMBIENT_MODELS__PROVIDER": "none",
}
PROMISE = 2.0
SAVE_PROMISE = 1.0
"""Seconds after the quiet time within which a save has started a job."""
LOOK_SECONDS = 0.02


def seconds_until_found(daemon: Daemon, repo: RepoBuilder, word: str) -> float:
    """Commit a word and return the seconds until a search finds it."""
    repo.commit({"notes.txt": f"{word}\n"}, f"Note {word}")
    began = time.perf_counter()
    while True:
        found = daemon.call("POST", "/v1/search", {"question": word, "cwd": str(repo.path), "k": 1})
        if any(word in passage["chunk"]["text"] for passage in found["passages"]):
            return time.perf_counter() - began
        if time.perf_counter() - began > 60:
            raise SystemExit(f"{word} was never found")
        time.sleep(LOOK_SECONDS)


def end_workers(daemon: Daemon) -> None:
    """Let all work end, then end the workers and wait until they are gone."""
    for child in daemon.settle()["children"]:
        if child["what"] == "worker":
            os.kill(child["pid"], signal.SIGTERM)
            until(partial(lives, child["pid"]), lambda living: not living)


def measure(
    daemon: Daemon, repo: RepoBuilder, name: str, commits: int, pause: float, *, cold: bool
) -> None:
    """Print how long it took: median, 95th percentile, longest; the first one apart, since it may
    have to start the worker."""
    times: list[float] = []
    for number in range(commits + 1):
        if cold:
            end_workers(daemon)
        times.append(seconds_until_found(daemon, repo, f"zq{name[:1]}{number:04d}word"))
        time.sleep(pause)
    first, rest = times[0], times[1:]
    high = statistics.quantiles(rest, n=20)[-1]
    verdict = "ok" if high < PROMISE else "over the promise"
    print(
        f"{name:<12} first {first:5.2f} s  median {statistics.median(rest):5.2f} s  "
        f"p95 {high:5.2f} s  longest {max(rest):5.2f} s  ({high / PROMISE:.2f} of 2 s, {verdict})"
    )


def measure_saves(daemon: Daemon, repo: RepoBuilder, saves: int) -> None:
    """Print how long it takes from saving a document until a job for it has started."""
    times: list[float] = []
    for number in range(saves):
        daemon.settle()
        began = time.time()
        (repo.path / "README.md").write_text(f"saved {number}, {began}\n")

        def started(since: float = began) -> list[float]:
            jobs = daemon.call("GET", "/v1/jobs?agent=indexer&limit=5&state=running,ok,silent")
            return [job["started_at"] for job in jobs["jobs"] if job["started_at"] > since]

        times.append(min(until(started, bool)) - began)
    high = statistics.quantiles(times, n=20)[-1]
    verdict = "ok" if high < SAVE_PROMISE else "over the promise"
    print(
        f"save to job  median {statistics.median(times):5.2f} s  p95 {high:5.2f} s  "
        f"(0.4 s of it quiet time; promise {SAVE_PROMISE:g} s, {verdict})"
    )


def main() -> None:
    """Parse the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commits", type=int, default=30)
    parser.add_argument("--pause", type=float, default=1.0, help="seconds between two commits")
    parser.add_argument("--repo", type=Path, help="a repository to commit into (a clone is made)")
    parser.add_argument("--cold", action="store_true", help="end the worker before each commit")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "repo"
        if options.repo:
            subprocess.run(["git", "clone", "-q", options.repo, place], check=True)
            repo = RepoBuilder(place, existing=True)
        else:
            repo = make_shop(place)
        with running(Path(folder) / "home", SETTINGS) as daemon:
            daemon.index(repo.path)
            daemon.settle(600)
            measure(daemon, repo, "watch alone", options.commits, options.pause, cold=options.cold)
            measure_saves(daemon, repo, min(options.commits, 20))
            daemon.hermes("hooks", "install", cwd=repo.path).check_returncode()
            measure(daemon, repo, "hooks", options.commits, options.pause, cold=options.cold)


if __name__ == "__main__":
    main()
