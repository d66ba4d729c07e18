"""A process that is killed in the middle of its work loses nothing and does nothing twice.

Each run is killed at one statement further on, so that every place between two statements of a few
rounds of work is one where it ends once.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hermes.agents.events import FilesChanged
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.ledger.records import State

RUNS = 160
"""Statements at which a run ends; a round of work takes some fifty."""

# It says what it was told is on disk, so that the test can hold the ledger to it. All runs are
# forked from one process, because starting Python takes longer than the work.
_WORK = """
import itertools, os, shutil, signal, sys
from pathlib import Path
from hermes.agents.events import FilesChanged
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.ledger.records import Spec, State

def work(folder, statements):
    said = os.open(folder / "said", os.O_CREAT | os.O_WRONLY)
    ledger = Ledger.open(folder / "runtime.db")
    count = itertools.count(1)

    def end(statement):
        if next(count) == statements:
            os.kill(os.getpid(), signal.SIGKILL)

    with ledger.database.reading() as db:
        db.execute("PRAGMA synchronous = OFF")  # a kill loses nothing the system was handed
        db.set_trace_callback(end)
    for number in itertools.count():
        path = f"path{number}"
        event = FilesChanged(at=number, source="watch", repo="shop", paths=(path,))
        ledger.intake.accept(event, key=path, now=number)
        os.write(said, f"accepted {path}\\n".encode())
        for waiting, event in ledger.intake.pending():
            specs = [Spec("indexer", f"read {waiting % 2}", "shop", paths=event.paths)]
            ledger.intake.route(waiting, {"by": "rule"}, specs, number)
        if number == 0:
            continue
        job = ledger.queue.take(number, owner="killed")
        if number % 3 == 0:
            ledger.queue.give_back(job.id, number)
        else:
            then = [Spec("indexer", f"after {job.id}", "shop", delay=1e6, alone=True)]
            ledger.queue.finish(job.id, State.OK, number, then=then)
            os.write(said, f"finished {job.id}\\n".encode())

new = Path(sys.argv[1]) / "new.db"
Ledger.open(new).close()
for statements in range(1, int(sys.argv[2]) + 1):
    folder = Path(sys.argv[1]) / str(statements)
    folder.mkdir()
    shutil.copy(new, folder / "runtime.db")
    child = os.fork()
    if not child:
        work(folder, statements)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
"""


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with what each run left, by the statement at which it was killed."""
    folder = tmp_path_factory.mktemp("killed")
    ran = subprocess.run(
        [sys.executable, "-c", _WORK, str(folder), str(RUNS)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return folder


def test_after_a_kill_at_any_statement_all_that_was_promised_is_there_once(killed: Path) -> None:
    for statements in range(1, RUNS + 1):
        _hold_to_its_promises(killed / str(statements))


def _hold_to_its_promises(folder: Path) -> None:
    said = [line.split(" ") for line in (folder / "said").read_text().splitlines()]
    ledger = Ledger.open(folder / "runtime.db")
    ledger.queue.recover(0.0, "the next daemon")
    with ledger.database.reading() as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        keys = [key for (key,) in db.execute("SELECT key FROM events").fetchall()]
    assert {name for what, name in said if what == "accepted"} <= set(keys), "an event is lost"

    # Each event is either still to be routed, or its path is in exactly one job.
    pending = [event for _, event in ledger.intake.pending(10_000)]
    waiting = [event.paths[0] for event in pending if isinstance(event, FilesChanged)]
    jobs = ledger.queue.find(limit=10_000)
    queued = [path for job in jobs for path in job.paths]
    assert sorted([*waiting, *queued]) == sorted(keys)

    # Each end has just one followup, and none of what has no end has any.
    ended = {job.id for job in jobs if job.state is State.OK}
    assert {int(name) for what, name in said if what == "finished"} <= ended, "an end is lost"
    follows = sorted(job.subject for job in jobs if job.subject.startswith("after"))
    assert follows == sorted(f"after {id}" for id in ended)
    assert all(job.state in (State.OK, State.QUEUED) for job in jobs)

    # The journal says of each just once what happened to it.
    journal = [(entry.topic, entry.what) for entry in ledger.journal.after(0, 100_000)]
    assert journal.count(("event", "accepted")) == len(keys)
    assert journal.count(("event", "routed")) == len(keys) - len(waiting)
    assert journal.count(("job", "ok")) == len(ended)
    started = journal.count(("job", "started"))
    assert started == len(ended) + journal.count(("job", "given_back"))
    ledger.close()
