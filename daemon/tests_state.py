"""How a repository's tests stand, in one object: the verdict, what is red and why, and the last run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ..memory.test_records import Colour

if TYPE_CHECKING:
    from ..memory.test_records import Run, Standing, Summary
    from ..memory.test_runs import Runs
    from .wire import Fields

NEW = 3_600.0
"""Seconds for which a change of colour is called new; that of the last run always is."""
MOST = 1_000
"""Tests of one colour that one answer lists."""
STOPPED = ("broken", "timed_out", "overran", "uncollected")
"""States of a run that could not do all it was to do, the worst first."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """Whether tests may be run at all."""

    trusted: bool
    enabled: bool
    """By the person's settings."""
    problem: str = ""
    """One line: what in the repository keeps them from being run."""


def state_of(runs: Runs, repo: str, allowed: Allowed, now: float, *, everything: bool) -> Fields:
    """Return how tests stand: ``verdict`` is green, red, one of `STOPPED`, nothing (there are no
    tests), unknown, never (none was run yet), untrusted or disabled. ``all`` lists each test if
    ``everything`` is asked for."""
    last = runs.latest(repo, 1)
    since = min([now - NEW, *(run.at for run in last)])
    summary = runs.summary(repo, since)
    stopped = _stopped(runs.latest(repo, 20))
    verdict = _verdict(summary, stopped, allowed)
    red = runs.standings(repo, (Colour.RED,), MOST)
    new = frozenset(summary.newly_red)
    fresh = [each for each in red if each.test in new and each.green_at]
    rest = [each for each in red if each not in fresh]
    return {
        "verdict": verdict,
        "trusted": allowed.trusted,
        "enabled": allowed.enabled,
        "detail": allowed.problem or (stopped.detail if stopped is not None else ""),
        "counts": {
            "green": summary.green,
            "red": summary.red,
            "unknown": summary.unknown,
            "flaky": summary.flaky,
        },
        "red": [_standing(each, new=True) for each in fresh]
        + [_standing(each, new=False) for each in rest],
        "newly_green": list(summary.newly_green),
        "flaky": [_standing(each, new=False) for each in runs.flaky(repo)],
        "all": [_standing(each, new=False) for each in runs.standings(repo)] if everything else [],
        "last": asdict(summary.last) if summary.last else None,
        "last_full": asdict(summary.last_full) if summary.last_full else None,
        "stopped": asdict(stopped) if stopped else None,
        "selections": summary.selections,
        "missed": summary.missed,
        "error_bound": summary.error_bound,
    }


def brief_of(runs: Runs, repo: str, allowed: Allowed, now: float) -> Fields:
    """Return the verdict, the counts and the worst that stands, in a few indexed reads."""
    summary = runs.summary(repo, now - NEW)
    stopped = _stopped(runs.latest(repo, 20))
    red = runs.standings(repo, (Colour.RED,), 1)
    return {
        "verdict": _verdict(summary, stopped, allowed),
        "detail": stopped.detail if stopped is not None else "",
        "green": summary.green,
        "red": summary.red,
        "unknown": summary.unknown,
        "newly_red": list(summary.newly_red),
        "worst": red[0].test if red else "",
        "at": summary.last.at if summary.last is not None else None,
    }


def _stopped(latest: Sequence[Run]) -> Run | None:
    """Return the last run of a framework if it could not do all it was to do: the worst of them."""
    newest: dict[str, Run] = {}
    for run in latest:
        if run.state != "nothing" or run.whole:  # a saved README mends no environment
            newest.setdefault(run.framework, run)
    found = [run for run in newest.values() if run.state in STOPPED]
    return min(found, key=lambda run: STOPPED.index(run.state), default=None)


def _verdict(summary: Summary, stopped: Run | None, allowed: Allowed) -> str:
    if not allowed.enabled:
        return "disabled"
    if not allowed.trusted:
        return "untrusted"
    if stopped is not None:
        return stopped.state
    if summary.red:
        return "red"
    if summary.green:
        return "green"
    if summary.unknown:
        return "unknown"
    return "never" if summary.last is None else "nothing"


def _standing(found: Standing, *, new: bool) -> Fields:
    return asdict(found) | {"new": new}
