"""The rows of the ledger: what is queued, what became of it, and what was written down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ...agents.contract import Lane

Fields = dict[str, Any]


class State(StrEnum):
    """Where a job stands; all but the first two are ends."""

    QUEUED = "queued"
    RUNNING = "running"
    OK = "ok"
    SILENT = "silent"
    """Done, and there was nothing to say."""
    SKIPPED = "skipped"
    """Not done on purpose: the same input was done before, or something newer replaced it."""
    LATE = "late"
    """It expired before it could start."""
    FAILED = "failed"
    """It can't be done; trying again would not help."""
    BLOCKED_CONFIG = "blocked_config"
    """It waits for a person or for other settings."""
    DELIVERY_FAILED = "delivery_failed"
    """Done, but what it found could not be shown to anyone."""
    CANCELLED = "cancelled"
    ABANDONED = "abandoned"
    """Its process died under it too often."""
    DEAD = "dead"
    """It failed each time it was tried; it can be retried by hand."""


OPEN = frozenset({State.QUEUED, State.RUNNING})
WELL = frozenset({State.OK, State.SILENT, State.SKIPPED, State.CANCELLED})
"""Ends that nobody needs to look at. All others show in status until they are dealt with."""


@dataclass(frozen=True, slots=True)
class Spec:
    """Work that is to be queued. Equal ``agent``, ``repo`` and ``subject`` is one job while it is
    queued: paths are united, the more urgent lane wins."""

    agent: str
    subject: str = ""
    repo: str | None = None
    lane: Lane = Lane.REACTIVE
    paths: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    whole: bool = False
    text: str = ""
    dry_run: bool = False
    quiet: float = 0.0
    """Seconds without a further event before it starts."""
    longest: float = 0.0
    """Seconds after the first event by which it starts all the same."""
    expires_in: float | None = None
    """Seconds after which it is not worth starting any more."""
    delay: float = 0.0
    """Seconds before it may start in any case."""
    alone: bool = False
    """Never united with another: each is asked for by itself."""


@dataclass(frozen=True, slots=True)
class Job:
    """One job as it stands. Times are seconds since 1970."""

    id: int
    agent: str
    subject: str
    repo: str | None
    lane: Lane
    state: State
    queued_at: float
    not_before: float
    attempts: int
    paths: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    whole: bool = False
    text: str = ""
    dry_run: bool = False
    expires_at: float | None = None
    lease_until: float | None = None
    started_at: float | None = None
    ended_at: float | None = None
    reason: str = ""
    """One line: how it ended, or why it waits."""
    error: Fields = field(default_factory=dict[str, Any])
    """If it did not end well: ``error``, ``hint``, ``code``."""
    report: Fields = field(default_factory=dict[str, Any])
    events: int = 0
    """How many events led to it."""

    def fields(self) -> Fields:
        """Return it as an object for the API."""
        return {
            "id": self.id,
            "agent": self.agent,
            "subject": self.subject,
            "repo": self.repo,
            "lane": self.lane.name.lower(),
            "state": str(self.state),
            "queued_at": self.queued_at,
            "not_before": self.not_before,
            "expires_at": self.expires_at,
            "started_at": self.started_at,
            "ended_at": self.ended_at,
            "attempts": self.attempts,
            "paths": len(self.paths),
            "folders": len(self.folders),
            "whole": self.whole,
            "dry_run": self.dry_run,
            "events": self.events,
            "reason": self.reason,
            "error": self.error,
            "report": self.report,
        }


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the journal. ``number`` only grows; a reader remembers the last it saw."""

    number: int
    at: float
    topic: str
    """``event``, ``job``, ``finding``, ``incident``, ``model``, ``trigger`` or ``daemon``."""
    what: str
    """What happened, one word of the topic's own: ``queued``, ``ok``, ``degraded``."""
    about: int | None = None
    """The id of the event, job, finding or incident."""
    repo: str | None = None
    text: str = ""
    """One line for a person."""
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])
