"""What status shows of the runtime: the queue, what runs, what watches, and what is wrong.

All of it is in memory or a few indexed rows of the ledger: it asks no model and walks no folder,
so that it is answered at once also with thousands of jobs waiting.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

from .host import Host
from .standing import repo_names
from .trouble import trouble_of
from .wire import Fields

MOST_TROUBLE = 5
"""Jobs that did not end well which are told one by one; of more the number is told."""
MOST_NEXT = 5
"""Scheduled runs that are told."""


async def runtime_status(host: Host) -> Fields:
    """Return how the runtime is, as an object; in a stand-in that there is none.

    ``lanes``: by lane ``queued``, ``ready`` and ``oldest`` (when its oldest job was queued).
    ``running``: jobs with ``phase``, ``done`` and ``total``. ``worker``: its ``pid``, its ``task``
    and those ``waiting`` for it. ``held``: repositories whose work waits
    while git is in the middle of something. ``triggers``: each one's state.
    ``schedule``: ``name`` and ``next``, soonest first. ``incidents``: those that stand.
    ``children``: processes. ``paused``: None, or ``until`` when. ``trouble``: what is down.
    ``failed``: how many jobs did not end well and nobody dealt with, the newest of them.
    ``ledger_bytes``: what events, jobs and journal take on disk.
    """
    names = await repo_names(host)
    queue: Fields = _EMPTY
    if host.runtime is not None:
        queue = await host.runtime.summary()
    now = time.time()
    attention: Fields = {"incidents": []}
    if host.attention is not None:
        attention = await asyncio.to_thread(host.attention.summary, now)
    failed: list[Fields] = queue["failed"]
    return {
        "lanes": queue["lanes"],
        "running": [_named(job, names) for job in queue["running"]],
        "worker": queue["worker"],
        "paused": queue["paused"],
        "restraint": _restraint(queue),
        "held": [{**held, "repo_name": names.get(held["repo"])} for held in queue["held"]],
        "failed": {
            "count": len(failed),
            "newest": [_named(job, names) for job in failed[:MOST_TROUBLE]],
        },
        "incidents": attention["incidents"],
        "attention": {name: attention[name] for name in attention if name != "incidents"},
        "triggers": [trigger.state() for trigger in host.triggers],
        "schedule": _schedule(host, now),
        "children": await asyncio.to_thread(host.reaper.children) if host.reaper else [],
        "trouble": trouble_of(host),
        "ledger_bytes": await asyncio.to_thread(host.ledger.bytes) if host.ledger else 0,
    }


_EMPTY: Fields = {
    "lanes": {},
    "running": [],
    "worker": None,
    "paused": None,
    "restraint": "go",
    "restraint_why": "",
    "held": [],
    "failed": [],
}
"""A stand-in's queue."""


def _restraint(queue: Fields) -> str:
    """What background work is held back by, in words; empty when it is not."""
    words = {"go": "", "slow": "goes slowly", "pause": "waits"}[queue["restraint"]]
    return f"background work {words}: {queue['restraint_why']}" if words else ""


def _schedule(host: Host, now: float) -> list[Fields]:
    """The next runs, soonest first."""
    if host.schedule is None:
        return []
    return host.schedule.coming(now)[:MOST_NEXT]


def _named(job: Mapping[str, object], names: Mapping[str, str]) -> Fields:
    return dict(job) | {"repo_name": names.get(str(job["repo"]))}
