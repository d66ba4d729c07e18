"""The schedule's entries: what runs when, and what becomes of a time that passed unused."""

from __future__ import annotations

import difflib
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import time
from typing import Any, Literal, get_args

from ...agents.events import Scheduled
from ...memory.errors import HermesError
from .cron import Cron, CronRefused

Late = Literal["skip", "once", "always"]
"""``skip``: a time that passed is dropped; ``once``: all that passed make one run; ``always``:
each makes a run of its own."""

GRACE_SECONDS = 300.0
"""A run that starts so much after its time is not late yet."""
KEYS = ("cron", "agent", "subject", "repo", "late", "grace")
OFF = "off"
"""As a cron expression: the entry does not run by itself."""
LONGEST_GRACE = 7 * 86_400.0
SOURCES = "sources"
"""The entry that is there only while there are sources."""
WORK_BEGINS = time(9)
AHEAD_MINUTES = 30
"""By which the brief is made before the person begins."""


class ScheduleRefused(HermesError):
    """The settings of the schedule do not hold."""

    code = "settings"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the schedule."""

    name: str
    cron: Cron
    agent: str
    subject: str = ""
    late: Late = "once"
    grace: float = GRACE_SECONDS
    repo: str | None = None

    def event(self, now: float, due: float, missed: int) -> Scheduled:
        """Return what is to be told of one of its times, and of ``missed`` earlier ones."""
        return Scheduled(
            at=now,
            source="cron",
            repo=self.repo,
            job=self.name,
            due=due,
            missed=missed,
            agent=self.agent,
            subject=self.subject,
        )


def defaults(home: str, begins: time = WORK_BEGINS) -> Mapping[str, Entry]:
    """Given where hermes's state lies, and when the person begins to work, return the entries there
    are without any settings.

    The brief is made on every day, half an hour before; on a day off it only speaks of what is
    urgent. The rescan's minute is the home's own, so that the daemons of one machine, or of a whole
    team on one file server, don't all start at once.
    """
    minute = zlib.crc32(home.encode("utf-8", "surrogateescape")) % 60
    return {
        "consolidate": Entry("consolidate", Cron.parse("0 3 * * *"), "synthesizer", "", "once"),
        "upkeep": Entry("upkeep", Cron.parse("10 3 * * *"), "indexer", "upkeep", "once"),
        "tests": Entry("tests", Cron.parse("40 2 * * *"), "test_runner", "full", "skip"),
        "docs": Entry("docs", Cron.parse("20 2 * * *"), "doc_keeper", "scan", "skip"),
        "rescan": Entry("rescan", Cron.parse(f"{minute} * * * *"), "indexer", "rescan", "skip"),
        "brief": Entry("brief", _before(begins), "standup", "", "once"),
        SOURCES: Entry(SOURCES, Cron.parse("*/15 * * * *"), "indexer", "sync", "once"),
    }


def _before(begins: time) -> Cron:
    """Return the time of day half an hour before another, but of no other day."""
    minutes = max(0, begins.hour * 60 + begins.minute - AHEAD_MINUTES)
    return Cron.parse(f"{minutes % 60} {minutes // 60} * * *")


def read_entries(
    jobs: Mapping[str, Mapping[str, Any]], home: str, begins: time = WORK_BEGINS
) -> list[Entry]:
    """Given the settings' table of jobs, by name, and the rest as for `defaults`, return the
    entries: the defaults with what is changed of them, and what is added. Raise ScheduleRefused,
    naming the key and what is wrong."""
    found = dict(defaults(home, begins))
    for name, keys in jobs.items():
        if not re.fullmatch(r"[a-z][a-z0-9_.-]{0,63}", name):
            raise ScheduleRefused(f"{name}: a name is lower case letters, digits, _ . and -")
        for key in keys:
            if key not in KEYS:
                near = difflib.get_close_matches(key, KEYS, n=1)
                hint = f" (did you mean {near[0]}?)" if near else ""
                raise ScheduleRefused(f"{name}.{key}: no such key{hint}")
        if keys.get("cron") == OFF:
            found.pop(name, None)
            continue
        for key in ("cron", "agent"):
            if name not in found and not keys.get(key):
                raise ScheduleRefused(f"{name}.{key}: is missing")
        found[name] = _read(name, keys, found.get(name))
    return list(found.values())


def _read(name: str, keys: Mapping[str, Any], known: Entry | None) -> Entry:
    """Given one job's keys, return it; what is not said is as in ``known``, or as usual."""
    for key in ("cron", "agent", "subject", "repo", "late"):
        if key in keys and not isinstance(keys[key], str):
            raise ScheduleRefused(f"{name}.{key}: takes a text, not {keys[key]!r}")
    try:
        cron = Cron.parse(keys["cron"]) if "cron" in keys else known.cron if known else None
    except CronRefused as refused:
        raise ScheduleRefused(f"{name}.cron: {refused.message}") from refused
    assert cron is not None
    if keys.get("late", "once") not in get_args(Late):
        raise ScheduleRefused(
            f"{name}.late: {keys['late']!r} is none of {', '.join(get_args(Late))}"
        )
    grace = keys.get("grace", known.grace if known else GRACE_SECONDS)
    if isinstance(grace, bool) or not isinstance(grace, int | float):
        raise ScheduleRefused(f"{name}.grace: takes a number of seconds, not {grace!r}")
    if not 0 <= grace <= LONGEST_GRACE:
        raise ScheduleRefused(f"{name}.grace: {grace:g} is not between 0 and {LONGEST_GRACE:,.0f}")
    entry = known or Entry(name, cron, keys["agent"])
    changed = {key: keys[key] for key in ("agent", "subject", "repo", "late") if key in keys}
    return replace(entry, cron=cron, grace=float(grace), **changed)
