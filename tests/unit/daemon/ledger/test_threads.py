"""Many threads share one ledger."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from hermes.agents.contract import Lane
from hermes.agents.events import Committed
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.ledger.records import Spec, State

COMMIT = Committed(at=0, source="hook", repo="shop")


def test_the_same_event_from_many_threads_is_kept_once(ledger: Ledger) -> None:
    def accept(number: int) -> tuple[int, bool]:
        accepted = ledger.intake.accept(COMMIT, key=f"key {number % 5}", now=number)
        return accepted.id, accepted.new

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(accept, range(100)))
    assert sum(new for _, new in found) == 5
    assert len({id for id, _ in found}) == 5
    assert len(ledger.intake.pending()) == 5


def test_each_job_is_taken_by_one_thread(ledger: Ledger) -> None:
    ledger.queue.put([Spec("a", str(n), lane=Lane(n % 3)) for n in range(60)], 0)

    def work(number: int) -> list[int]:
        taken: list[int] = []
        while job := ledger.queue.take(1, owner=str(number)):
            taken.append(job.id)
            ledger.queue.finish(job.id, State.OK, 2, then=[Spec("b", f"after {job.id}", delay=10)])
        return taken

    with ThreadPoolExecutor(4) as pool:
        taken = [id for ids in pool.map(work, range(4)) for id in ids]
    assert len(taken) == len(set(taken)) == 60
    assert ledger.queue.counts() == {"ok": 60, "queued": 60}
