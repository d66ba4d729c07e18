"""A full or read-only disk: refused with a reason, nothing half-written, and it goes on after."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hermes.agents.events import Noted
from hermes.daemon.ledger.errors import LedgerDamaged
from hermes.daemon.ledger.followers import Followers
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.ledger.records import Spec, State
from hermes.memory.errors import NoSpace, ReadOnly

LARGE = Noted(at=0, source="spool", title="large", text="x" * 20_000)


def _pages(ledger: Ledger, most: int | None) -> None:
    """Let the file hold no more pages than now plus ``most``; None for as many as it wants."""
    with ledger.database.reading() as db:
        now = db.execute("PRAGMA page_count").fetchone()[0]
        db.execute(f"PRAGMA max_page_count = {2**30 if most is None else now + most}")


def test_when_the_disk_is_full_nothing_is_half_done_and_it_goes_on_when_there_is_space(
    ledger: Ledger,
) -> None:
    Followers(ledger.journal)
    job = ledger.queue.put([Spec("a"), Spec("b")], 0)[0].job
    assert ledger.queue.take(0, owner="me") is not None
    _pages(ledger, 12)
    accepted = 0
    with pytest.raises(NoSpace, match="no space left"):
        while accepted < 100:
            ledger.intake.accept(LARGE, key=f"key {accepted}", now=1)
            accepted += 1
    assert 0 < accepted < 100
    written = ledger.journal.newest()
    text = "y" * 20_000
    with pytest.raises(NoSpace):
        ledger.intake.route(1, {"by": "rule"}, [Spec("c", text=text)], 2)
    with pytest.raises(NoSpace):
        ledger.queue.finish(job.id, State.OK, 3, report={"all": text}, then=[Spec("d", text=text)])

    # Reading goes on, and shows nothing of what was refused.
    assert ledger.journal.newest() == written
    assert len(ledger.intake.pending(1_000)) == accepted
    assert ledger.queue.get(job.id).state is State.RUNNING
    assert [each.agent for each in ledger.queue.find()] == ["b", "a"]

    _pages(ledger, None)
    assert ledger.intake.accept(LARGE, key=f"key {accepted}", now=4).new
    assert len(ledger.intake.route(1, {"by": "rule"}, [Spec("c", text=text)], 5)) == 1
    done = ledger.queue.finish(job.id, State.OK, 6, then=[Spec("d", text=text)])
    assert done.state is State.OK
    assert [each.agent for each in ledger.queue.find()] == ["d", "c", "b", "a"]


_CHILD = """
import resource, signal, sys
from pathlib import Path
from hermes.agents.events import Noted
from hermes.daemon.ledger.ledger import Ledger
from hermes.memory.errors import NoSpace

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
ledger = Ledger.open(Path(sys.argv[1]))
event = Noted(at=0, source="spool", title="large", text="x" * 20_000)

def accept(limit):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    count = 0
    try:
        while count < 40:
            ledger.intake.accept(event, key=None, now=0)
            count += 1
    except NoSpace:
        print("no space")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return count

count = 0
for limit in (600_000, 700_000, 750_000, 900_000):
    count += accept(limit)
    assert len(ledger.intake.pending(1000)) == count, (count, limit)
    assert ledger.journal.newest() == count
    count += accept(resource.RLIM_INFINITY)
print(count)
"""


def test_a_write_that_the_system_refuses_is_told_as_no_space_and_loses_nothing(
    tmp_path: Path,
) -> None:
    path = tmp_path / "runtime.db"
    ran = subprocess.run(
        [sys.executable, "-c", _CHILD, str(path)], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    *refusals, count = ran.stdout.split("\n")[:-1]
    assert "no space" in refusals
    ledger = Ledger.open(path)
    with ledger.database.reading() as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert len(ledger.intake.pending(10_000)) == int(count)
    ledger.close()


def test_a_ledger_that_can_only_be_read_says_so_and_shows_what_there_is(tmp_path: Path) -> None:
    path = tmp_path / "runtime.db"
    ledger = Ledger.open(path)
    ledger.queue.put([Spec("a")], 0)
    ledger.close()
    ledger = Ledger.open(path)
    with ledger.database.reading() as db:  # what SQLite says when the disk turns read-only
        db.execute("PRAGMA query_only = ON")
    for refused in (
        lambda: ledger.intake.accept(LARGE, key=None, now=1),
        lambda: ledger.queue.take(1, owner="me"),
        lambda: ledger.values.set("pause", 1, 1),
    ):
        with pytest.raises(ReadOnly, match="can't be written"):
            refused()
    assert [job.state for job in ledger.queue.find()] == [State.QUEUED]
    assert ledger.queue.depths(1)["reactive"]["ready"] == 1
    with ledger.database.reading() as db:
        db.execute("PRAGMA query_only = OFF")
    assert ledger.queue.take(2, owner="me") is not None
    ledger.close()


def test_the_file_is_private(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "state" / "runtime.db")
    ledger.queue.put([Spec("a")], 0)
    modes = {file.name: file.stat().st_mode & 0o777 for file in (tmp_path / "state").iterdir()}
    assert set(modes.values()) == {0o600}, modes
    assert os.stat(tmp_path / "state").st_mode & 0o777 == 0o700
    assert ledger.bytes() > 4096
    ledger.close()


def test_a_damaged_ledger_is_told_apart_from_a_damaged_memory(tmp_path: Path) -> None:
    path = tmp_path / "runtime.db"
    path.write_bytes(b"this is no database" * 400)
    with pytest.raises(
        LedgerDamaged, match="jobs and events at .* is damaged: file is not"
    ) as told:
        Ledger.open(path)
    assert "Move runtime.db away" in told.value.hint
