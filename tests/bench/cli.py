"""How long ``hermes ask`` and ``hermes search`` take to their first byte, from process start.

Run: ``python -m hermes.tests.bench.cli [--real REPOSITORY] [--runs N]``. Without ``--real`` a
stand-in answers at once, so what is measured is the command line alone. With it, a real daemon is
started in a home of its own, the repository is read, and questions are put to it warm.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from hermes.daemon.paths import locate
from hermes.tests.builders.daemon import at_rest
from hermes.tests.servers.standin import standin

HERMES = [sys.executable, "-c", "from hermes.surfaces.cli import main; raise SystemExit(main())"]
QUESTIONS = ["why was the retry queue dropped", "timeout handling", "who changed the parser last"]
BUDGET = 6
"""Times a bare ``python -c pass`` that the first byte may take."""


def first_byte(command: list[str], cwd: Path) -> float:
    """Return the seconds from the start of a command to the first byte on its stdout."""
    started = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=cwd
    ) as process:
        assert process.stdout is not None
        os.read(process.stdout.fileno(), 1)
        found = time.perf_counter() - started
        process.stdout.read()
    return found


def whole(command: list[str]) -> float:
    """Return the seconds that a command takes."""
    started = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def await_idle() -> None:
    """Return when the daemon has nothing more to do."""
    while True:
        found = subprocess.run([*HERMES, "status", "--json"], stdout=subprocess.PIPE, check=True)
        if at_rest(json.loads(found.stdout)):
            return
        time.sleep(1)


def measure(runs: int, cwd: Path) -> None:
    """Print medians and 95th percentiles, each run beside a bare interpreter's."""
    for words in (["ask", "--plain", QUESTIONS[0]], ["search", QUESTIONS[0]], ["--help"]):
        first_byte([*HERMES, *words], cwd)
    times: dict[str, list[float]] = {"bare python": []}
    for number in range(runs):
        question = QUESTIONS[number % len(QUESTIONS)]
        times["bare python"].append(whole([sys.executable, "-c", "pass"]))
        for words in (["ask", "--plain", question], ["search", question], ["--help"]):
            times.setdefault(f"hermes {words[0]}", []).append(first_byte([*HERMES, *words], cwd))
    bare = 1000 * statistics.median(times["bare python"])
    for name, seconds in times.items():
        found = [1000 * value for value in seconds]
        middle, high = statistics.median(found), statistics.quantiles(found, n=20)[-1]
        ratio = middle / bare
        verdict = "" if name == "bare python" else "ok" if ratio <= BUDGET else "over budget"
        print(f"{name:<14} median {middle:6.1f} ms  p95 {high:6.1f} ms  {ratio:4.1f}x  {verdict}")


def with_standin(runs: int, cwd: Path) -> None:
    """Measure against a stand-in for the daemon."""
    with standin(locate()):
        measure(runs, cwd)


def with_daemon(runs: int, repository: Path) -> None:
    """Measure against a real daemon that holds the repository."""
    subprocess.run([*HERMES, "up"], cwd=repository, check=True)
    try:
        await_idle()
        measure(runs, repository)
    finally:
        subprocess.run([*HERMES, "down"], check=True)


def main() -> None:
    """Parse the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--real", type=Path, metavar="REPOSITORY")
    parser.add_argument("--runs", type=int, default=30)
    args = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="hermes-bench-"))
    os.environ["HERMES_AMBIENT_HOME"] = str(home)
    # As installed: pip compiles what it installs, a checkout may be told not to.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(home / "bytecode")
    try:
        if args.real:
            with_daemon(args.runs, args.real.resolve())
        else:
            with_standin(args.runs, home)
    finally:
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()
