"""Runs of tests, as the test runner writes them down."""

from __future__ import annotations

from collections.abc import Mapping

from hermes.memory.test_records import NewRun, Picked, Recorded, Result, Run, Why
from hermes.memory.test_runs import Runs

BROKE = Why(
    "AssertionError", "assert 3 == 4", "shop/cart.py", 12, "def test_total():\n>  assert 3 == 4"
)


def passed(*tests: str) -> tuple[Result, ...]:
    """Return results of tests that passed."""
    return tuple(Result(test, "passed", 0.1) for test in tests)


def failed(*tests: str, why: Why = BROKE) -> tuple[Result, ...]:
    """Return results of tests that failed."""
    return tuple(Result(test, "failed", 0.2, why) for test in tests)


def record(
    runs: Runs,
    *results: Result,
    at: float,
    repo: str = "r1",
    kind: str = "affected",
    state: str = "",
    detail: str = "",
    why: str = "2 of 41 test files import what changed",
    picks: Mapping[str, str] | None = None,
    collected: Mapping[str, str] | None = None,
    job: int = 7,
) -> Recorded:
    """Write a run down. Without a state it is what its results say."""
    found = "red" if any(result.bad for result in results) else "green"
    run = Run(
        repo=repo,
        at=at,
        seconds=0.8,
        kind=kind,
        framework="pytest",
        state=state or found,
        detail=detail,
        by="imports",
        why=why,
        whole=kind == "full",
        head="3f2a91c0de" * 4,
        job=job,
    )
    picked = tuple(Picked(target, reason) for target, reason in (picks or {}).items())
    return runs.record(NewRun(run, results, picked, collected or {}))
