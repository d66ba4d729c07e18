"""Model calls, traces and values: kept, counted, bounded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hermes.agents.models.call import Call
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.ledger.records import Spec
from hermes.daemon.ledger.traces import LONGEST

CALL = Call("qa", "hermes3:8b", "answer@1", 100, 10, 2.0, 0.5, "ok", 50.0, "local", 1, None)


def test_calls_come_back_as_they_were(ledger: Ledger) -> None:
    ledger.calls.record(CALL)
    ledger.calls.record(replace(CALL, job=None, event=3))
    assert ledger.calls.of_job(1) == [CALL]
    assert ledger.calls.of_event(3) == [replace(CALL, job=None, event=3)]


def test_calls_are_summed_up_by_agent_and_model(ledger: Ledger) -> None:
    for seconds in (1.0, 2.0, 9.0):
        ledger.calls.record(replace(CALL, seconds=seconds))
    ledger.calls.record(replace(CALL, seconds=30.0, outcome="timeout"))
    ledger.calls.record(replace(CALL, seconds=0.1, outcome="preempted"))
    ledger.calls.record(replace(CALL, agent="router", outcome="timeout"))
    ledger.calls.record(replace(CALL, at=49.0))
    qa, router = ledger.calls.by_agent(50.0)
    assert qa == {
        "agent": "qa",
        "model": "hermes3:8b",
        "calls": 5,
        "failed": 1,
        "tokens_in": 500,
        "tokens_out": 50,
        "seconds": 42.1,
        "median": 2.0,
    }
    assert (router["agent"], router["failed"], router["median"]) == ("router", 1, None)


def test_traces_are_kept_in_order_once_and_bounded(ledger: Ledger) -> None:
    job = ledger.queue.put([Spec("a")], 0)[0].job.id
    ledger.traces.add(job, "read", "b")
    ledger.traces.add(job, "read", "a", "b")
    ledger.traces.add(job, "wrote", *(str(number) for number in range(LONGEST * 2)))
    found = ledger.traces.of(job)
    assert found["read"] == ["b", "a"]
    assert found["wrote"] == [str(number) for number in range(LONGEST)]


def test_a_trace_of_a_job_that_is_gone_is_let_go(ledger: Ledger) -> None:
    ledger.traces.add(99, "read", "a")
    assert ledger.traces.of(99) == {"read": [], "wrote": []}


def test_values_outlive_the_daemon_and_the_same_value_is_not_written_again(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "runtime.db")
    tips = {"refs/heads/main": "abcd", "n": [1, None, "ü"]}
    ledger.values.set("tips:shop", tips, 1)
    log = tmp_path / "runtime.db-wal"
    size = log.stat().st_size
    ledger.values.set("tips:shop", tips, 2)
    assert log.stat().st_size == size
    ledger.close()
    ledger = Ledger.open(tmp_path / "runtime.db")
    assert ledger.values.get("tips:shop") == tips
    ledger.values.delete("tips:shop")
    assert ledger.values.get("tips:shop") is None
    ledger.close()
