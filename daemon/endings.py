"""How a run ended, and what follows from it for its job. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..agents.contract import (
    Done,
    Finding,
    Followup,
    Hopeless,
    Lane,
    Misconfigured,
    NeedsUser,
    Nothing,
    NotReady,
    Outcome,
    Preempted,
    Skipped,
)
from ..memory.errors import HermesError
from .ledger.records import Job, Spec, State

NOT_READY_ATTEMPTS = 8
FAULT_ATTEMPTS = 3

Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ended:
    """The job is over."""

    state: State
    reason: str
    report: Fields = field(default_factory=dict[str, Any])
    error: Fields = field(default_factory=dict[str, Any])
    findings: Sequence[Finding] = ()
    then: Sequence[Followup] = ()


@dataclass(frozen=True, slots=True)
class Again:
    """It is to be tried again, and this try counts."""

    reason: str
    error: Fields
    most: int
    """After so many tries it is dead."""
    delay: float | None = None
    """Seconds, if known better than by the number of tries."""
    fault: bool = False
    """It is ours: the traceback belongs into the log."""


@dataclass(frozen=True, slots=True)
class GivenBack:
    """It goes back into the queue as if it had not been taken."""

    reason: str
    delay: float = 0.0


Ending = Ended | Again | GivenBack


def of_outcome(outcome: Outcome) -> Ended:
    """Given what an agent returned, return how its job ends."""
    match outcome:
        case Done():
            return Ended(
                State.OK,
                outcome.summary,
                report=dict(outcome.report),
                findings=outcome.findings,
                then=outcome.then,
            )
        case Nothing():
            return Ended(State.SILENT, outcome.why, then=outcome.then)
        case Skipped():
            return Ended(State.SKIPPED, outcome.why)


def of_failure(error: BaseException) -> Ending:
    """Given what an agent raised, return what becomes of its job."""
    match error:
        case Preempted():
            return GivenBack("it gave way to something more urgent")
        case NotReady():
            return Again(error.message, _fields(error), NOT_READY_ATTEMPTS, delay=error.retry_after)
        case NeedsUser() | Misconfigured():
            return Ended(State.BLOCKED_CONFIG, error.message, error=_fields(error))
        case Hopeless():
            return Ended(State.FAILED, error.message, error=_fields(error))
        case HermesError():
            return Again(error.message, _fields(error), FAULT_ATTEMPTS)
        case _:
            return fault(f"{type(error).__name__}: {error}".rstrip(": "))


def fault(what: str) -> Again:
    """Given what went wrong through a fault of ours, return what becomes of the job."""
    error = {"error": what, "hint": "the log has more", "code": "internal"}
    return Again(what, error, FAULT_ATTEMPTS, fault=True)


def specs_of(job: Job, then: Sequence[Followup]) -> list[Spec]:
    """Given a job and what its agent wants done next, return what is to be queued."""
    return [
        Spec(
            agent=followup.agent,
            subject=followup.subject,
            repo=followup.repo,
            lane=max(job.lane, Lane.REACTIVE) if followup.lane is None else followup.lane,
            delay=followup.delay,
        )
        for followup in then
    ]


def _fields(error: HermesError) -> Fields:
    return {"error": error.message, "hint": error.hint, "code": error.code}
