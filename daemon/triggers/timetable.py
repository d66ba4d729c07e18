"""The schedule as a person reads it: each entry with its next time and what became of the last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import tzinfo
from typing import Any

from ...memory.errors import HermesError
from .cron_words import in_words
from .entries import Entry
from .runs import Run, Runs

Fields = dict[str, Any]


class NoSuchEntry(HermesError):
    """The schedule has no entry of that name."""

    code = "no_such_entry"

    def __init__(self, name: str, known: Iterable[str]) -> None:
        super().__init__(
            f"the schedule has no entry {name}", hint=f"it has {', '.join(sorted(known))}"
        )


def coming(entries: Mapping[str, Entry], now: float, zone: tzinfo) -> list[Fields]:
    """Return the name and the next time of each entry, soonest first."""
    found = [{"name": name, "next": entry.cron.next(now, zone)} for name, entry in entries.items()]
    return sorted(found, key=lambda entry: entry["next"])


def described(
    entries: Mapping[str, Entry], runs: Runs, now: float, zone: tzinfo, waiting: set[str]
) -> list[Fields]:
    """Return all of each entry, soonest first. ``waiting``: those with a run about to start."""
    found = [
        {
            "name": name,
            "cron": entry.cron.text,
            "words": in_words(entry.cron),
            "agent": entry.agent,
            "subject": entry.subject,
            "repo": entry.repo,
            "late": entry.late,
            "grace": entry.grace,
            "next": entry.cron.next(now, zone),
            "waiting": name in waiting,
            "last": _last(runs.last_to_show(name)),
        }
        for name, entry in entries.items()
    ]
    return sorted(found, key=lambda entry: entry["next"])


def _last(run: Run | None) -> Fields | None:
    if run is None:
        return None
    return {
        "due": run.due,
        "at": run.at,
        "outcome": run.outcome,
        "missed": run.missed,
        "reason": run.reason,
        "event": run.event,
    }


def span(seconds: float) -> str:
    """Given a time span, return it in one or two units."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return f"{seconds:.0f} s"
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    return f"{hours // 24} days"
