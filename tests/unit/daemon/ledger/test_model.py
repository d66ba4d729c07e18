"""The queue against a simple model in memory, with any steps in any order."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from hermes.agents.contract import Lane
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.ledger.records import Job, Spec, State
from hermes.daemon.ledger.taking import AGEING

NOT_READY = {"error": "away", "hint": "", "code": "not_ready"}


@dataclass
class Row:
    """What the model knows of a job."""

    id: int
    key: tuple[str, str | None, str]
    lane: Lane
    alone: bool
    paths: set[str]
    queued_at: float
    not_before: float
    state: State = State.QUEUED
    attempts: int = 0
    losses: int = 0
    waits_after_trouble: bool = False


class QueueMachine(RuleBasedStateMachine):
    """Every rule does the same to the ledger and to the model, and compares."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.ledger = Ledger.open(self.folder / "runtime.db")
        self.rows: dict[int, Row] = {}
        self.now = 1_000.0
        self.run = 0
        self.count = 0

    @initialize(lane=st.sampled_from(Lane))
    def something_waits(self, lane: Lane) -> None:
        self.put("a", None, "", lane, 0, 0, False)

    @rule(
        agent=st.sampled_from("ab"),
        repo=st.sampled_from([None, "r"]),
        subject=st.sampled_from(["", "x"]),
        lane=st.sampled_from(Lane),
        quiet=st.sampled_from([0, 2]),
        delay=st.sampled_from([0, 0, 30]),
        alone=st.booleans(),
    )
    def put(
        self,
        agent: str,
        repo: str | None,
        subject: str,
        lane: Lane,
        quiet: float,
        delay: float,
        alone: bool,
    ) -> None:
        self.count += 1
        path = f"p{self.count}"
        spec = Spec(
            agent, subject, repo, lane, (path,), quiet=quiet, longest=5, delay=delay, alone=alone
        )
        (queued,) = self.ledger.queue.put([spec], self.now)
        key = (agent, repo, subject)
        twins = [row for row in self._waiting() if row.key == key and not row.alone]
        assert queued.joined == bool(twins and not alone)
        asked = self.now + max(quiet, delay)
        if not queued.joined:
            assert queued.job.id not in self.rows
            row = Row(queued.job.id, key, lane, alone, {path}, self.now, asked)
            self.rows[row.id] = row
        else:
            row = twins[-1]
            row.not_before = _joined(row, lane, quiet, asked, self.now)
            row.lane = min(row.lane, lane)
            row.paths.add(path)
        self._same(queued.job, row)

    @rule(seconds=st.sampled_from([0.5, 2, 7, 60, 301, 650]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule(
        lanes=st.sampled_from([tuple(Lane), (Lane.ON_DEMAND,), (Lane.REACTIVE, Lane.SCHEDULED)]),
        without=st.sampled_from([(), ("a",), ("b/r",), ("a/", "b")]),
    )
    def take(self, lanes: tuple[Lane, ...], without: tuple[str, ...]) -> None:
        running = {row.key for row in self.rows.values() if row.state is State.RUNNING}
        may = [
            row
            for row in self._waiting()
            if row.not_before <= self.now
            and row.lane in lanes
            and row.key not in running
            and row.key[0] not in without
            and f"{row.key[0]}/{row.key[1] or ''}" not in without
        ]
        job = self.ledger.queue.take(self.now, owner=str(self.run), lanes=lanes, without=without)
        if job is None:
            assert not may
            return
        taken = self.rows[job.id]
        assert taken is min(may, key=self._turn)
        background = [row.not_before for row in may if row.lane is not Lane.ON_DEMAND]
        if taken.lane is not Lane.ON_DEMAND:  # this is why nothing starves
            assert taken.not_before <= min(background) + 2 * AGEING
        taken.state, taken.attempts = State.RUNNING, taken.attempts + 1
        taken.waits_after_trouble = False
        self._same(job, taken)

    @precondition(lambda self: self._running())
    @rule(data=st.data(), state=st.sampled_from([State.OK, State.SILENT, State.SKIPPED]))
    def finish(self, data: st.DataObject, state: State) -> None:
        row = data.draw(st.sampled_from(self._running()))
        row.state = state
        self._same(self.ledger.queue.finish(row.id, state, self.now), row)

    @precondition(lambda self: self._running())
    @rule(data=st.data(), delay=st.sampled_from([0, 5]))
    def retry_later(self, data: st.DataObject, delay: float) -> None:
        row = data.draw(st.sampled_from(self._running()))
        job = self.ledger.queue.retry_later(
            row.id, self.now, delay=delay, reason="away", error=NOT_READY
        )
        if row.attempts >= 3:
            row.state = State.DEAD
        else:
            row.state, row.not_before = State.QUEUED, self.now + delay
            row.waits_after_trouble = True
        self._same(job, row)

    @precondition(lambda self: self._running())
    @rule(data=st.data(), delay=st.sampled_from([0, 5]))
    def give_back(self, data: st.DataObject, delay: float) -> None:
        row = data.draw(st.sampled_from(self._running()))
        job = self.ledger.queue.give_back(row.id, self.now, delay, "gave way")
        row.state, row.attempts = State.QUEUED, row.attempts - 1
        row.waits_after_trouble = True
        if delay:
            row.not_before = self.now + delay
        self._same(job, row)

    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        row = data.draw(st.sampled_from(list(self.rows.values())))
        if row.state in (State.QUEUED, State.RUNNING):
            row.state = State.CANCELLED
        self._same(self.ledger.queue.cancel(row.id, self.now), row)

    @rule(data=st.data())
    def retry(self, data: st.DataObject) -> None:
        row = data.draw(st.sampled_from(list(self.rows.values())))
        if row.state is not State.RUNNING:
            row.state, row.not_before, row.attempts, row.losses = State.QUEUED, self.now, 0, 0
            row.waits_after_trouble = True
        self._same(self.ledger.queue.retry(row.id, self.now), row)

    @rule()
    def the_daemon_dies_and_another_takes_over(self) -> None:
        self.ledger.close()
        self.ledger = Ledger.open(self.folder / "runtime.db")
        self.run += 1
        lost = self._running()
        back = self.ledger.queue.recover(self.now, str(self.run))
        assert {job.id for job in back} == {row.id for row in lost}
        for row in lost:
            row.losses += 1
            row.waits_after_trouble = True
            row.state = State.ABANDONED if row.losses >= 3 else State.QUEUED

    @invariant()
    def all_is_as_the_model_says(self) -> None:
        jobs = self.ledger.queue.find(limit=1_000)
        assert [job.id for job in jobs] == sorted(self.rows, reverse=True)
        for job in jobs:
            self._same(job, self.rows[job.id])
        told = sorted(path for job in jobs for path in job.paths)
        assert told == sorted(f"p{number + 1}" for number in range(self.count)), "lost, or twice"
        running = [row.key for row in self._running()]
        assert len(running) == len(set(running)), "two of one key run"
        depths = self.ledger.queue.depths(self.now)
        assert sum(lane["queued"] for lane in depths.values()) == len(self._waiting())

    def teardown(self) -> None:
        self.ledger.close()
        shutil.rmtree(self.folder)

    def _waiting(self) -> list[Row]:
        return [row for row in self.rows.values() if row.state is State.QUEUED]

    def _running(self) -> list[Row]:
        return [row for row in self.rows.values() if row.state is State.RUNNING]

    def _turn(self, row: Row) -> tuple[int, float, int]:
        if row.lane is Lane.ON_DEMAND:
            return (-1, row.not_before, row.id)
        aged = int((self.now - row.not_before) // AGEING)
        return (max(0, row.lane - aged), row.not_before, row.id)

    def _same(self, job: Job, row: Row) -> None:
        assert (job.agent, job.repo, job.subject) == row.key
        assert (job.state, job.lane, job.attempts) == (row.state, row.lane, row.attempts)
        assert set(job.paths) == row.paths
        assert job.not_before == row.not_before


def _joined(row: Row, lane: Lane, quiet: float, asked: float, now: float) -> float:
    if lane is Lane.ON_DEMAND:
        return min(row.not_before, asked)
    if row.attempts or row.waits_after_trouble:
        return row.not_before
    if lane < row.lane or not quiet:
        return min(row.not_before, asked)
    return max(row.not_before, min(asked, row.queued_at + 5))


TestQueue = QueueMachine.TestCase
TestQueue.settings = settings(
    max_examples=25,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
