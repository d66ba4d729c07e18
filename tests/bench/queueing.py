"""What the queue costs when it is long: the same calls with 10 and with 10,000 jobs waiting.

    python -m hermes.tests.bench.queueing [--jobs 10000] [--rounds 200]

Three shapes: all can start; none of them is due yet but the last ones; all belong to an agent that
can't start now, but the last one. Each figure is a median, in milliseconds, and the ratio of long
to short. A write includes its fsync, so it says something about the disk too; `--memory` puts the
file into memory-backed storage and shows the queue alone.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import TypeVar

from hermes.agents.contract import Lane
from hermes.agents.events import FilesChanged
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.ledger.records import Spec, State

T = TypeVar("T")
ME = "bench"
FEW = 10
SHAPES: dict[str, Callable[[int], list[Spec]]] = {
    "all can start": lambda n: [_spec(k, "indexer") for k in range(n)],
    "most are not due": lambda n: [
        _spec(k, "indexer", 1e6 if k < n - FEW else 0) for k in range(n)
    ],
    "most can't start": lambda n: [_spec(k, "tests" if k < n - FEW else "docs") for k in range(n)],
}


def _spec(number: int, agent: str, delay: float = 0.0) -> Spec:
    lane = Lane.SCHEDULED if number % 10 == 0 else Lane.REACTIVE
    paths = tuple(f"src/{number}/{k}.py" for k in range(3))
    return Spec(agent, f"s{number}", f"repo{number % 7}", lane=lane, paths=paths, delay=delay)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--memory", action="store_true", help="keep the file in /dev/shm")
    args = parser.parse_args()
    for shape, specs in SHAPES.items():
        print(f"{shape}:")
        with tempfile.TemporaryDirectory(dir="/dev/shm" if args.memory else None) as folder:
            few = _measure(Path(folder) / "few.db", specs(FEW), args.rounds)
            many = _measure(Path(folder) / "many.db", specs(args.jobs), args.rounds)
        print(f"  {'':22} {FEW:>8} {args.jobs:>8}   ratio      p99")
        for name in few:
            short, long = median(few[name]), median(many[name])
            p99 = quantiles(many[name], n=100)[98]
            print(f"  {name:22} {short:8.3f} {long:8.3f} {long / short:7.2f} {p99:8.3f}")


def _measure(path: Path, specs: list[Spec], rounds: int) -> dict[str, list[float]]:
    """Return the milliseconds of each call, by name; the queue's length stays the same."""
    ledger = Ledger.open(path)
    now = 1_000_000.0
    ledger.queue.put(specs, now)
    found: dict[str, list[float]] = {}

    def timed(name: str, call: Callable[[], T]) -> T:
        started = time.perf_counter()
        answer = call()
        found.setdefault(name, []).append((time.perf_counter() - started) * 1e3)
        return answer

    for number in range(rounds):
        now += 60.0  # a minute each, so that the cap of runs an hour is not what is measured
        job = timed("take", partial(ledger.queue.take, now, owner=ME, without=("tests",)))
        assert job is not None
        timed("give_back", partial(ledger.queue.give_back, job.id, now))
        asked = ledger.queue.put([Spec("qa", f"q{number}", lane=Lane.ON_DEMAND)], now)[0].job
        first = timed("take on demand", partial(ledger.queue.take, now, owner=ME))
        assert first is not None and first.id == asked.id
        timed("finish", partial(ledger.queue.finish, first.id, State.OK, now))
        event = FilesChanged(at=now, source="watch", repo="repo1", paths=("a.py",))
        id = timed("accept", partial(ledger.intake.accept, event, key=None, now=now)).id
        joined = [specs[number % len(specs)]]
        timed("route, joined", partial(ledger.intake.route, id, {"by": "rule"}, joined, now))
        timed("depths", partial(ledger.queue.depths, now))
        timed("next_wake", partial(ledger.queue.next_wake, now))
        timed("recover", partial(ledger.queue.recover, now, ME))
        timed("find", partial(ledger.queue.find, limit=50))
    ledger.close()
    return found


if __name__ == "__main__":
    main()
