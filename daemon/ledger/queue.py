"""The durable queue: every call is one transaction with its journal entries, on disk when it
returns, so that after a kill at any moment nothing is lost and nothing done twice in effect.

A key is (agent, repo, subject). Work of a key that waits already becomes part of what waits; work
of a key that runs waits for it to end. Two jobs of one key never run at once. (Two may wait, if one
was put back while the other came; they run one after the other.)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from ...agents.contract import Lane
from ...memory.database import Database
from . import breaker, ending, joining, listing, taking
from .breaker import key_of
from .ending import backoff
from .joining import Queued
from .journal import Journal
from .records import Fields, Job, Spec, State
from .rows import COLUMNS, get_job, job_of

__all__ = ["LEASE", "MAX_ATTEMPTS", "Queue", "Queued", "backoff", "key_of"]

LEASE = 60.0
"""Seconds for which a job is its owner's without a further beat."""
MAX_ATTEMPTS = 3
"""Attempts after which a job that fails by a fault of ours is dead."""


class Queue:
    """What is to be done, what is being done, and how it ended."""

    def __init__(self, database: Database, journal: Journal) -> None:
        self._database = database
        self._journal = journal

    # In

    def put(self, specs: Iterable[Spec], now: float, event: int | None = None) -> list[Queued]:
        """Queue work, for an event if one is given."""
        with self._journal.writing() as db:
            taking.follow_clock(db, now)
            return [joining.put(db, self._journal, spec, now, event) for spec in specs]

    # Through

    def take(
        self,
        now: float,
        *,
        owner: str,
        lanes: Collection[Lane] = tuple(Lane),
        without: Collection[str] = (),
        lease: float = LEASE,
    ) -> Job | None:
        """Start the next job and return it, or None if none may start.

        ``without`` holds agents, as ``agent`` or ``agent/repo``, that can't start now. The job's
        ``attempts`` counts this one.
        """
        with self._journal.writing() as db:
            return taking.take(db, self._journal, now, owner, lanes, without, lease)

    def beat(self, ids: Collection[int], now: float, lease: float = LEASE) -> None:
        """Keep running jobs for another ``lease`` seconds."""
        with self._database.writing() as db:
            db.executemany(
                "UPDATE jobs SET lease = ?, lease_until = ?, doubted = 0"
                " WHERE id = ? AND state = 'running'",
                [(lease, now + lease, id) for id in ids],
            )

    def recover(self, now: float, owner: str) -> list[Job]:
        """Put back what runs under nobody any more; return those jobs as they then are.

        The third time a process ended under a job it is abandoned. A lease of ``owner``'s own
        that ran out is given one more time to be beaten.
        """
        with self._journal.writing() as db:
            return taking.recover(db, self._journal, now, owner)

    # Out. What is not running (any more) stays as it is: the call returns it and has no effect.

    def finish(
        self,
        id: int,
        state: State,
        now: float,
        *,
        reason: str = "",
        report: Mapping[str, Any] | None = None,
        error: Mapping[str, Any] | None = None,
        then: Sequence[Spec] = (),
    ) -> Job:
        """End a running job, and queue what follows from it in the same transaction."""
        with self._journal.writing() as db:
            return ending.finish(
                db,
                self._journal,
                id,
                state,
                now,
                reason=reason,
                report=report,
                error=error,
                then=then,
            )

    def retry_later(
        self,
        id: int,
        now: float,
        *,
        delay: float,
        reason: str,
        error: Mapping[str, Any],
        max_attempts: int = MAX_ATTEMPTS,
    ) -> Job:
        """Have a running job tried again after ``delay`` seconds; dead if it had its attempts."""
        with self._journal.writing() as db:
            return ending.retry_later(
                db,
                self._journal,
                id,
                now,
                delay=delay,
                reason=reason,
                error=error,
                max_attempts=max_attempts,
            )

    def give_back(self, id: int, now: float, delay: float = 0.0, reason: str = "") -> Job:
        """Put a running job back into its place; the attempt does not count."""
        with self._journal.writing() as db:
            return ending.give_back(db, self._journal, id, now, delay, reason)

    def cancel(self, id: int, now: float) -> Job:
        """End a job that waits, runs or is blocked. Stop the work itself before."""
        with self._journal.writing() as db:
            return ending.cancel(db, self._journal, id, now)

    def retry(self, id: int, now: float) -> Job:
        """Queue an ended, blocked or waiting job anew; it may start at once."""
        with self._journal.writing() as db:
            return ending.retry(db, self._journal, id, now)

    def unblock(self, code: str, now: float) -> list[Job]:
        """Queue what is blocked with the error code ``code``; return what goes on."""
        with self._journal.writing() as db:
            return ending.unblock(db, self._journal, code, now)

    def undelivered(self, id: int, now: float, reason: str) -> Job:
        """Mark a job that went well, but what it found could not be shown to anyone."""
        with self._journal.writing() as db:
            return ending.undelivered(db, self._journal, id, now, reason)

    def deal_with(self, ids: Collection[int]) -> None:
        """Take jobs out of `trouble`: someone has seen them."""
        with self._database.writing() as db:
            db.executemany("UPDATE jobs SET dealt = 1 WHERE id = ?", [(id,) for id in ids])

    # Against doing the same twice

    def seen(self, key: str, digest: str) -> bool:
        """Return whether work of this key (see `key_of`) last ended well with just this input."""
        with self._database.reading() as db:
            return breaker.seen(db, key, digest)

    def mark_done(self, key: str, digest: str) -> None:
        """Remember the input with which work of this key ended well."""
        with self._database.writing() as db:
            breaker.mark_done(db, key, digest)

    # Looking

    def get(self, id: int) -> Job:
        """Return a job. Raise NoSuchId."""
        with self._database.reading() as db:
            return get_job(db, id)

    def find(
        self,
        states: Collection[State] = (),
        agent: str | None = None,
        repo: str | None = None,
        limit: int = 50,
        before: int | None = None,
    ) -> list[Job]:
        """Return jobs, the newest first; ``before`` is the id where the last page ended."""
        with self._database.reading() as db:
            return listing.find(db, states, agent, repo, limit, before)

    def running(self) -> list[Job]:
        """Return what runs, the oldest first."""
        return self.find((State.RUNNING,), limit=1_000)[::-1]

    def depths(self, now: float) -> dict[str, Fields]:
        """Return for each lane, by name: ``queued``, ``ready`` (due now), ``oldest`` (or None)."""
        with self._database.reading() as db:
            return listing.depths(db, now)

    def counts(self) -> dict[str, int]:
        """Return how many jobs there are in each state that has any."""
        with self._database.reading() as db:
            return listing.counts(db)

    def trouble(self, limit: int = 200) -> list[Job]:
        """Return what did not end well and nobody dealt with, the newest first."""
        with self._database.reading() as db:
            return listing.trouble(db, limit)

    def newer(self, job: Job) -> Job | None:
        """Return the last job of the same agent, subject and repository that came later and waits;
        None if none does."""
        with self._database.reading() as db:
            return listing.newer(db, job)

    def next_wake(self, now: float) -> float | None:
        """Return the next moment at which time alone lets a job start or expire, or None.

        What is due already is not counted: it waits for a slot, and a slot's end wakes as well.
        """
        with self._database.reading() as db:
            if taking.unsettled(db, now):
                with self._journal.writing():
                    taking.settle(db, self._journal, now)
            return taking.next_wake(db, now)

    def followups(self, id: int) -> list[Job]:
        """Return what followed from a job."""
        with self._database.reading() as db:
            columns = ", ".join(f"jobs.{name.strip()}" for name in COLUMNS.split(","))
            rows = db.execute(
                f"SELECT {columns} FROM job_followups JOIN jobs ON jobs.id = next"
                " WHERE job = ? ORDER BY next",
                (id,),
            ).fetchall()
        return [job_of(row) for row in rows]
