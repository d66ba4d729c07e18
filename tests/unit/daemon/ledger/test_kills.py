"""A process that is killed in the middle of its work loses nothing and does nothing twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hermes.agents.events import FilesChanged
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.ledger.records import State

KILLS = 6

# It says what it was told is on disk, so that the test can hold the ledger to it.
_CHILD = """
import itertools, sys
from pathlib import Path
from hermes.agents.events import FilesChanged
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.ledger.records import Spec, State

owner = sys.argv[2]
ledger = Ledger.open(Path(sys.argv[1]))
ledger.queue.recover(0.0, owner)
for number in itertools.count():
    path = f"{owner}-{number}"
    event = FilesChanged(at=number, source="watch", repo="shop", paths=(path,))
    id = ledger.intake.accept(event, key=path, now=number).id
    print("accepted", path, flush=True)
    for waiting, event in ledger.intake.pending():
        subject = f"read {waiting % 3}"
        ledger.intake.route(
            waiting, {"by": "rule"}, [Spec("indexer", subject, "shop", paths=event.paths)], number
        )
    job = ledger.queue.take(number, owner=owner)
    if job is not None and number % 2:
        then = [Spec("indexer", f"after {job.id}", "shop", delay=1e6, alone=True)]
        ledger.queue.finish(job.id, State.OK, number, then=then)
        print("finished", job.id, flush=True)
    elif job is not None:
        ledger.queue.give_back(job.id, number)
"""


@pytest.mark.parametrize("seed", range(KILLS))
def test_after_a_kill_at_any_moment_all_that_was_promised_is_there_once(
    tmp_path: Path, seed: int
) -> None:
    path = tmp_path / "runtime.db"
    said: list[str] = []
    rng = random.Random(seed)
    for run in range(2):
        said += _run_until_killed(path, f"run{run}", 15 + rng.randrange(60))

    ledger = Ledger.open(path)
    ledger.queue.recover(0.0, "the test")
    with ledger.database.reading() as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        keys = [key for (key,) in db.execute("SELECT key FROM events").fetchall()]
    accepted = {line.split()[1] for line in said if line.startswith("accepted")}
    finished = {int(line.split()[1]) for line in said if line.startswith("finished")}
    assert len(keys) == len(set(keys))
    assert accepted <= set(keys), "an acknowledged event is lost"

    # Each event is either still to be routed, or its path is in exactly one job.
    pending = [event for _, event in ledger.intake.pending(10_000)]
    waiting = [event.paths[0] for event in pending if isinstance(event, FilesChanged)]
    jobs = ledger.queue.find(limit=10_000)
    queued = [path for job in jobs for path in job.paths]
    assert sorted([*waiting, *queued]) == sorted(keys)

    # Each end has just one followup, and none of what has no end has any.
    ended = {job.id for job in jobs if job.state is State.OK}
    assert finished <= ended, "an end that was on disk is lost"
    follows = sorted(job.subject for job in jobs if job.subject.startswith("after"))
    assert follows == sorted(f"after {id}" for id in ended)
    assert all(job.state in (State.OK, State.QUEUED, State.ABANDONED) for job in jobs)
    journal = ledger.journal.after(0, 100_000)
    assert sum(entry.what == "accepted" for entry in journal) == len(keys)
    assert sum(entry.what == "ok" for entry in journal) == len(ended)
    ledger.close()


def _run_until_killed(path: Path, owner: str, lines: int) -> list[str]:
    """Start the child, and kill it while it is in the middle of what comes after some lines."""
    command = [sys.executable, "-c", _CHILD, str(path), owner]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        said = [child.stdout.readline() for _ in range(lines)]
        os.kill(child.pid, signal.SIGKILL)
        said += child.stdout.readlines()
    assert child.returncode == -signal.SIGKILL
    return [line for line in said if line.endswith("\n")]
