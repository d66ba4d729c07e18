"""A job in a few words: its state, what it is about, how long it took, and what it is called."""

from __future__ import annotations

import re

from ...memory.errors import HermesError
from .text import duration, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Job = dict[str, Any]

STYLES = {
    "queued": "",
    "running": "cyan",
    "ok": "green",
    "silent": "dim",
    "skipped": "dim",
    "late": "yellow",
    "failed": "red",
    "blocked_config": "yellow",
    "delivery_failed": "yellow",
    "cancelled": "dim",
    "abandoned": "red",
    "dead": "red",
}
"""The colour of each state a job can have."""

WORDS = {"blocked_config": "blocked", "delivery_failed": "undelivered"}
"""States that are said in a shorter word."""

UPKEEP = frozenset({("indexer", "links"), ("indexer", "vectors"), ("indexer", "upkeep")})
"""Agent and subject of what hermes does for itself after each change, and every night."""

_NUMBER = re.compile(r"j?(\d{1,18})", re.ASCII)


class WrongId(HermesError):
    """What should name a job does not."""

    code = "usage"


def number_of(text: str) -> int:
    """Given ``j12`` or ``12``, return the number. Raise WrongId."""
    found = _NUMBER.fullmatch(text.strip().lower())
    if found is None:
        raise WrongId(f"{text} names no job", hint="a job is called j12, say; `hermes jobs`")
    return int(found[1])


def state_of(job: Job) -> tuple[str, str]:
    """Return the word for a job's state, and its style."""
    state: str = job["state"]
    return WORDS.get(state) or state, STYLES.get(state, "")


def what_of(job: Job) -> str:
    """Return agent and subject."""
    return one_line(f"{job['agent']} {job['subject']}".rstrip())


def is_routine(job: Job) -> bool:
    """Say whether a job is upkeep that went well and that nobody asked for: nothing to look at."""
    asked = job["lane"] == "on_demand"
    return job["state"] == "ok" and not asked and (job["agent"], job["subject"]) in UPKEEP


def repo_of(job: Job) -> str:
    """Return the name of a job's repository, its id where the name is not known."""
    return one_line(job.get("repo_name") or job["repo"] or "")


def moment_of(job: Job) -> float:
    """Return when the job ended, else when it started, else when it was queued."""
    return float(job["ended_at"] or job["started_at"] or job["queued_at"])


def took(job: Job, now: float) -> str:
    """Return how long it ran, or has been running."""
    if job["started_at"] is None or job["state"] == "queued":
        return ""
    if job["ended_at"] is None:
        return f"{duration(max(0.0, now - job['started_at']))} so far"
    return duration(max(0.0, job["ended_at"] - job["started_at"]))


def how_far(job: Job) -> str:
    """Return e.g. ``read 40 %`` of a job that tells."""
    if not job.get("phase"):
        return ""
    if not job.get("total"):
        return one_line(job["phase"])
    return f"{one_line(job['phase'])} {100 * job['done'] // job['total']} %"


def reason_of(job: Job, now: float) -> str:
    """Return why it is as it is, in one line."""
    if job["state"] == "running":
        return how_far(job) or one_line(job["reason"])
    if job["state"] == "queued":
        wait = job["not_before"] - now
        waits = f"starts in {duration(wait)}" if wait > 0.5 else ""
        return ": ".join(part for part in (waits, one_line(job["reason"])) if part)
    return one_line(job["reason"] or job["error"].get("error", ""))
