"""A runtime that is killed the hard way: its jobs are taken up again, and done once in effect."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from functools import partial
from operator import le
from pathlib import Path

from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.ledger.records import Spec, State
from hermes.tests.builders.daemon import until

JOBS = 40
RUNTIME = """
import asyncio, os, sys
from pathlib import Path
from hermes.agents.contract import Done
from hermes.daemon.ledger.records import State
from hermes.tests.builders.runtime import Scripted, world

folder = Path(sys.argv[1])

async def work(assignment, context):
    with open(folder / "begun", "a") as file:
        file.write(assignment.subject + "\\n")
    await asyncio.sleep(0.01)
    (folder / f"effect-{assignment.subject}").touch()  # idempotent, as agents are
    return Done("done")

async def main():
    async with world(folder, Scripted("tester", [work])) as here:
        print("ready", flush=True)
        while here.ledger.queue.find((State.QUEUED, State.RUNNING)):
            await asyncio.sleep(0.01)

asyncio.run(main())
"""


def start(folder: Path) -> subprocess.Popen[bytes]:
    process = subprocess.Popen([sys.executable, "-c", RUNTIME, str(folder)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def test_a_killed_runtime_loses_no_job_and_ends_each_once(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "runtime.db")
    ledger.queue.put([Spec("tester", str(number)) for number in range(JOBS)], time.time())
    kills = 0
    while ledger.queue.find((State.QUEUED, State.RUNNING)):
        process = start(tmp_path)
        seen = ledger.journal.newest() + 9
        if kills < 5:
            # In the middle of its work: some entries after it took up what was left.
            until(ledger.journal.newest, partial(le, seen))
            os.kill(process.pid, signal.SIGKILL)
            kills += 1
        process.communicate(timeout=60)
    ended = Counter(entry.about for entry in ledger.journal.after(0, 10_000) if entry.what == "ok")
    jobs = ledger.queue.find(limit=1_000)
    ledger.close()
    assert kills == 5
    assert len(jobs) == JOBS
    assert {job.state for job in jobs} == {State.OK}
    assert set(ended.values()) == {1}
    assert len(list(tmp_path.glob("effect-*"))) == JOBS
    again = Counter((tmp_path / "begun").read_text().split())
    assert sum(again.values()) - JOBS <= 2 * kills  # only what was running
