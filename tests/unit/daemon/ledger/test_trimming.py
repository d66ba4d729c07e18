"""The ledger stays bounded, and never forgets what is still open."""

from __future__ import annotations

from hermes.agents.events import Committed
from hermes.agents.models.call import Call
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.ledger.records import Spec, State
from hermes.daemon.ledger.trimming import DEAD_KEPT, KEPT, trim

COMMIT = Committed(at=0, source="hook", repo="shop")
ENDS = (
    State.OK,
    State.SILENT,
    State.SKIPPED,
    State.FAILED,
    State.DEAD,
    State.BLOCKED_CONFIG,
    State.DELIVERY_FAILED,
    State.CANCELLED,
)


def _ended(ledger: Ledger, state: State, now: float = 0.0) -> int:
    """Have an event, a job of it that ends so, and what belongs to the job."""
    event = ledger.intake.accept(COMMIT, key=None, now=now).id
    (queued,) = ledger.intake.route(event, {}, [Spec("a", str(event))], now)
    job = ledger.queue.take(now, owner="me")
    assert job is not None and job.id == queued.job.id
    ledger.traces.add(job.id, "read", "abc")
    ledger.calls.record(Call("a", "m", "p@1", 1, 1, 1.0, 0.0, "ok", now, job=job.id))
    ledger.queue.finish(job.id, state, now, error={"code": "needs_user", "error": str(event)})
    return job.id


def test_what_ended_long_ago_goes_with_all_that_belongs_to_it(ledger: Ledger) -> None:
    for state in ENDS:
        _ended(ledger, state)
    waiting = ledger.queue.put([Spec("later", delay=1e9)], 0)[0].job.id
    unrouted = ledger.intake.accept(COMMIT, key=None, now=0).id

    assert ledger.trim(KEPT) == 0
    ledger.trim(KEPT + 1)
    states = {job.state for job in ledger.queue.find() if job.id != waiting}
    unwell = {State.FAILED, State.DEAD, State.DELIVERY_FAILED, State.BLOCKED_CONFIG}
    assert states == unwell
    assert _rows(ledger, "events") == len(unwell) + 1
    assert _rows(ledger, "traces") == len(unwell)
    assert (_rows(ledger, "calls"), _rows(ledger, "journal")) == (0, 0)

    ledger.trim(DEAD_KEPT + 1)
    found = {job.state for job in ledger.queue.find()}
    assert found == {State.BLOCKED_CONFIG, State.QUEUED}
    assert [id for id, _ in ledger.intake.pending()] == [unrouted]


def test_only_the_newest_rows_stay_however_young_they_are(ledger: Ledger) -> None:
    ids = [_ended(ledger, State.OK, second) for second in range(30)]
    dead = _ended(ledger, State.DEAD, 0)
    trim(ledger.database, 31, most=10)
    assert [job.id for job in ledger.queue.find()] == [dead, *reversed(ids[-10:])]
    assert _rows(ledger, "journal") == 10
    assert _rows(ledger, "calls") == 10
    assert len(ledger.journal.after(0)) == 10
    assert ledger.journal.oldest() == ledger.journal.newest() - 9


def test_trimming_when_there_is_nothing_to_trim_writes_nothing(ledger: Ledger) -> None:
    _ended(ledger, State.OK)
    log = ledger.database.path.with_name("runtime.db-wal")
    before = (log.stat().st_size, log.stat().st_mtime_ns)
    assert ledger.trim(1) == 0
    assert ledger.queue.next_wake(1) is None
    ledger.queue.recover(1, "me")
    assert (log.stat().st_size, log.stat().st_mtime_ns) == before


def _rows(ledger: Ledger, table: str) -> int:
    with ledger.database.reading() as db:
        return int(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
