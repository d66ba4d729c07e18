"""What a person waits for while the daemon is busy: the same questions idle and under full load.

    python -m hermes.tests.bench.load [--jobs 10000] [--rounds 60]

Starts a daemon in a home of its own over a small repository and a stand-in model server whose
answers take a minute each. Measured are the first byte of ``search`` and of a plain ``ask``, the
time to the first byte of work of a job that a person asked for, and ``status``: first idle, then
with a queue of background jobs, of which those that run sit at the model with long generations.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from hermes.agents.contract import Lane
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.ledger.records import Spec
from hermes.tests.builders.daemon import Daemon, running, until
from hermes.tests.builders.shop import make_shop
from hermes.tests.servers.ollama import OllamaServer

MODEL = "hermes3:8b"
RATIO = 1.2
FIRST_BYTE = 0.300
STATUS_P99 = 0.050
QUESTIONS = ["why was the retry queue dropped", "timeout handling", "who changed the parser"]


async def slow(body: dict[str, Any]) -> AsyncIterator[str]:
    """Answer for a minute."""
    for _ in range(1_200):
        await asyncio.sleep(0.05)
        yield "word "


def settings(server: OllamaServer) -> dict[str, str]:
    """A daemon that has a model which takes its time, and makes no vectors."""
    return {
        "HERMES_AMBIENT_EMBEDDER__PROVIDER": "none",
        "HERMES_AMBIENT_MODELS__PROVIDER": "ollama",
        "HERMES_AMBIENT_OLLAMA__HOST": server.url,
        "HERMES_AMBIENT_MODELS__MODEL": MODEL,
        "HERMES_AMBIENT_MODELS__TOKEN_TIMEOUT": "600",
        "HERMES_AMBIENT_MODELS__TOTAL_TIMEOUT": "3600",
    }


def timed(action: Callable[[], object]) -> float:
    """Return the seconds that an action takes."""
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def first_of(daemon: Daemon, path: str, body: object) -> float:
    """Return the seconds to the first object of a stream."""
    with daemon.connect() as client:
        began = time.perf_counter()
        next(iter(client.stream("POST", path, body)))
        return time.perf_counter() - began


def job_started(daemon: Daemon, cwd: str) -> float:
    """Return the seconds from asking for a job to the first word that it runs or has run."""
    with daemon.connect() as client:
        began = time.perf_counter()
        asked = {"agent": "indexer", "subject": "read", "cwd": cwd, "dry_run": True}
        (job,) = client.call("POST", "/v1/run", asked)["jobs"]
        for _ in client.stream("GET", f"/v1/jobs/{job['id']}/watch"):
            return time.perf_counter() - began
    raise AssertionError("the job said nothing")


def measure(daemon: Daemon, cwd: str, rounds: int) -> dict[str, list[float]]:
    """Return the seconds of everything that is measured."""
    found: dict[str, list[float]] = {"search": [], "ask": [], "job": [], "status": []}
    for number in range(rounds):
        question = QUESTIONS[number % len(QUESTIONS)]
        search = {"question": question, "cwd": cwd}
        found["search"].append(timed(lambda: daemon.call("POST", "/v1/search", search)))  # noqa: B023
        asked = {"question": question, "cwd": cwd, "plain": True}
        found["ask"].append(first_of(daemon, "/v1/ask", asked))
        found["job"].append(job_started(daemon, cwd))
        for _ in range(4):
            found["status"].append(timed(lambda: daemon.call("GET", "/v1/status")))
    return found


def fill(home: Path, jobs: int) -> None:
    """Queue background questions, while no daemon runs."""
    ledger = Ledger.open(home / "runtime.db")
    try:
        now = time.time()
        for start in range(0, jobs, 500):
            specs = [
                Spec("qa", f"load {n}", lane=Lane.REACTIVE, text=QUESTIONS[0])
                for n in range(start, min(start + 500, jobs))
            ]
            ledger.queue.put(specs, now)
    finally:
        ledger.close()


def high(times: list[float], share: float) -> float:
    """Return the value under which this share of the times lies."""
    return sorted(times)[min(len(times) - 1, int(share * len(times)))]


def show(idle: dict[str, list[float]], loaded: dict[str, list[float]]) -> None:
    """Print both beside each other, with what is promised."""
    for name, quiet in idle.items():
        busy = loaded[name]
        share = 0.99 if name == "status" else 0.95
        before, after = high(quiet, share), high(busy, share)
        limit = STATUS_P99 if name == "status" else FIRST_BYTE
        kept = after < limit and (name == "status" or after <= RATIO * before)
        print(
            f"{name:<7} p{100 * share:.0f} idle {1000 * before:6.1f} ms  loaded {1000 * after:6.1f}"
            f" ms  {after / before:4.2f}x  median {1000 * statistics.median(quiet):6.1f} and "
            f"{1000 * statistics.median(busy):6.1f} ms  {'ok' if kept else 'over'}"
        )


def main() -> None:
    """Parse the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=60)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, OllamaServer(answer=slow) as server:
        home = Path(folder) / "home"
        shop = make_shop(Path(folder) / "shop")
        with running(home, settings(server)) as daemon:
            daemon.index(shop.path)
            daemon.settle()
            measure(daemon, str(shop.path), 5)
            idle = measure(daemon, str(shop.path), options.rounds)
        fill(home, options.jobs)
        with running(home, settings(server)) as daemon:
            until(
                lambda: daemon.call("GET", "/v1/status")["running"],
                lambda jobs: any(job["agent"] == "qa" for job in jobs),
            )
            measure(daemon, str(shop.path), 5)
            loaded = measure(daemon, str(shop.path), options.rounds)
            status = daemon.call("GET", "/v1/status")
        print(
            f"waiting {status['lanes']['reactive']['queued']:,}, running {len(status['running'])}"
        )
        show(idle, loaded)


if __name__ == "__main__":
    main()
