"""Kill -9 at random moments of an ingest: nothing is lost, nothing is there twice.

``HERMES_CHAOS_KILLS=50`` makes it the long form; ``HERMES_CHAOS_SEED`` repeats a run.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hermes.memory.embedders.static import StaticEmbedder
from hermes.memory.memory import Memory
from hermes.tests.builders.daemon import lives, running, until, worker_of
from hermes.tests.builders.git import RepoBuilder

KILLS = int(os.environ.get("HERMES_CHAOS_KILLS", "6"))
SEED = int(os.environ.get("HERMES_CHAOS_SEED", "0")) or random.randrange(1, 1 << 30)
COMMITS = min(400 * KILLS, 6_000)
"""Enough for the first kills to hit the reading, and the later ones the vectors."""
SETTLING = 300.0
"""Seconds that all the work may take on a busy machine."""
LONGEST = 1.5
"""Seconds a writer is left to work before it is killed."""

STATIC = {"HERMES_AMBIENT_EMBEDDER__PROVIDER": "static", "HERMES_AMBIENT_MODELS__PROVIDER": "none"}


def content(home: Path) -> dict[str, Any]:
    """Return all that a memory holds and that does not depend on when it was read."""
    with Memory.open(home / "memory", embedder=StaticEmbedder()) as memory:
        assert memory.check() == []
        (repo,) = memory.index.repos()
        chunks: list[str] = memory.store.column("chunks", "id").to_pylist()
        commits = memory.index.commits_for(repo.id, memory.index.known(repo.id))
        found = memory.store.fetch(chunks)
        stats = memory.stats()
    with sqlite3.connect(home / "memory" / "memory.db") as db:
        assert db.execute("SELECT count(*) FROM intents").fetchone() == (0,)
    db.close()
    assert [chunk for chunk, count in Counter(chunks).items() if count > 1] == []
    assert stats.vectors == stats.vectors_total == len(chunks)
    return {
        "commits": sorted((c.sha, c.author, c.time, c.subject, c.files) for c in commits),
        "chunks": sorted((c.ref, c.path, c.part, c.kind, c.text) for c in found.values()),
    }


def read_undisturbed(home: Path, path: Path) -> dict[str, Any]:
    with running(home, STATIC) as daemon:
        daemon.index(path)
        daemon.settle(SETTLING)
    return content(home)


@pytest.mark.timeout(120 + 20 * KILLS)
def test_a_memory_made_under_kills_is_the_same_as_one_made_in_peace(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    big = RepoBuilder(tmp_path / "big")
    big.many_commits(COMMITS, files=40)
    peaceful = read_undisturbed(tmp_path / "peace", big.path)
    assert len(peaceful["commits"]) == COMMITS

    home = tmp_path / "chaos"
    told: list[str] = []
    for number in range(KILLS):
        # Two of three kills are the worker's: it is the one that writes.
        told.append(disturb(home, big.path, chance, worker_only=bool(number % 3)))
    with running(home, STATIC) as daemon:
        daemon.index(big.path)
        daemon.settle(SETTLING)
    assert content(home) == peaceful, f"HERMES_CHAOS_SEED={SEED}: {told}"


def disturb(home: Path, path: Path, chance: random.Random, *, worker_only: bool) -> str:
    """Run a daemon that reads the repository, kill it or its worker, and return what was hit."""
    with running(home, STATIC) as daemon:
        repo = daemon.call("POST", "/v1/repos", {"path": str(path)})["repo"]
        with daemon.connect() as client:
            events = client.stream("POST", f"/v1/repos/{repo['id']}/index")
            next(events)
            time.sleep(chance.uniform(0.0, LONGEST))
            status = daemon.call("GET", "/v1/status")
            worker = worker_of(status)
            hit = f"{[job['subject'] for job in status['running']]} of {worker}"
            if worker_only and worker is not None:
                os.kill(worker, signal.SIGKILL)
                time.sleep(chance.uniform(0.0, LONGEST))
        daemon.kill()
    if worker is not None:
        until(lambda: lives(worker), lambda living: not living)
    return hit
