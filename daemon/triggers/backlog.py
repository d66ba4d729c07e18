"""Runs of the schedule that are to be handed over: at once, or late ones one after the other."""

from __future__ import annotations

from dataclasses import dataclass

from .entries import Entry

STAGGER_SECONDS = 15.0
"""Between two runs that are late: not all at once when a machine wakes."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A run that is to be handed over, at ``when`` or soon after."""

    when: float
    """On the steady clock, so that it comes whatever is done to the other one."""
    entry: Entry
    due: float
    missed: int
    reason: str
    """Why it is late; empty if it is not."""


class Backlog:
    """Runs in the order in which they were added. A run stays until it is removed."""

    def __init__(self) -> None:
        self._runs: tuple[Pending, ...] = ()  # never changed: other threads look at it

    def __len__(self) -> int:
        return len(self._runs)

    @property
    def names(self) -> set[str]:
        """The entries with a run in it."""
        return {pending.entry.name for pending in self._runs}

    @property
    def next(self) -> float | None:
        """When the next is to be handed over, on the steady clock."""
        return min((pending.when for pending in self._runs), default=None)

    def due(self, steady: float) -> list[Pending]:
        """Return those that have waited long enough."""
        return [pending for pending in self._runs if pending.when <= steady]

    def add(self, entry: Entry, due: float, missed: int, reason: str, steady: float) -> None:
        """Add a run. One that waits for the same entry becomes part of it, unless each counts."""
        when = steady
        own = [pending for pending in self._runs if pending.entry.name == entry.name]
        if own and entry.late != "always":
            for pending in own:
                self.remove(pending)
                missed += pending.missed + 1
                when, reason = pending.when, reason or pending.reason
        elif reason or own:
            latest = max((p.when for p in (self._runs if reason else own)), default=steady)
            when = max(steady, latest) + STAGGER_SECONDS
        self._runs += (Pending(when, entry, due, missed, reason),)

    def remove(self, pending: Pending) -> None:
        """Take a run out: it was handed over."""
        self._runs = tuple(each for each in self._runs if each is not pending)
