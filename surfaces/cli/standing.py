"""The runtime as ``hermes status`` shows it: a line for each thing that is well, more for what is
not."""

from __future__ import annotations

from .columns import columns
from .jobs import job_lines
from .moments import ago, clock
from .states import how_far, repo_of, what_of
from .text import clean, count, duration, listing, one_line, size, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .output import Stream

    Found = dict[str, Any]

LANES = {"on_demand": "on demand", "reactive": "reactive", "scheduled": "scheduled"}
TRIGGERS = {"watch": "files", "heads": "git", "spool": "hooks", "schedule": "schedule"}
"""What a person calls that which a trigger listens to."""
NEXT = 3
"""Scheduled runs shown."""


def runtime_rows(found: Found, now: float) -> list[tuple[str, str]]:
    """Return names and values for the table."""
    rows = [("now", _now(found, now)), ("queue", _queue(found["lanes"], now))]
    triggers = [trigger for trigger in found["triggers"] if trigger["name"] in TRIGGERS]
    if triggers:
        rows.append(("events", ", ".join(_trigger(trigger, now) for trigger in triggers)))
    if runs := found["schedule"]:
        parts = [f"{one_line(run['name'])} {clock(run['next'], now)}" for run in runs[:NEXT]]
        rows.append(("next", ", ".join(parts)))
    if children := found["children"]:
        rows.append(("children", ", ".join(_child(child) for child in children)))
    return rows


def attention_lines(found: Found, now: float, stream: Stream) -> list[str]:
    """Return what a person should look at: incidents, and jobs that did not end well, without
    those that an incident stands for."""
    lines: list[str] = []
    failed: Found = found.get("failed", {})
    incidents: list[Found] = found.get("incidents") or []
    said = {_about(incident) for incident in incidents}
    newest = [job for job in (failed or {}).get("newest", ()) if _about(job) not in said]
    if newest:
        lines += ["", stream.style("Did not end well", "bold")]
        lines += job_lines(newest, now, stream)
        if more := failed["count"] - len(failed["newest"]):
            lines += [
                stream.style(line, "dim")
                for line in wrap(f"and {more:,} more: hermes jobs", stream.width)
            ]
    if incidents:
        rows = [
            (
                (f"i{incident['id']}", "bold"),
                (count(incident["count"], "time"), "yellow"),
                (ago(incident["last"], now), "dim"),
                (incident.get("why") or "", "dim"),
                (one_line(incident["title"]), ""),
            )
            for incident in incidents
        ]
        lines += ["", stream.style("Incidents", "bold")]
        lines += columns(rows, stream, give=(2, 3), least=30)
        hint = f"known to you? hermes incidents ack i{incidents[0]['id']}"
        width = stream.width if stream.terminal else 0
        lines += [stream.style(line, "dim") for line in wrap(hint, width)]
    return lines


def _about(found: Found) -> tuple[object, ...]:
    """Whose failure a job or an incident is: an incident stands for several jobs."""
    return tuple(found.get(name) for name in ("agent", "repo"))


def note_lines(found: Found, stream: Stream, width: int) -> list[str]:
    """Return every degradation."""
    notes = list(found["notes"])
    for trigger in found.get("triggers", ()):
        if trigger["state"] != "ok":
            detail = str(trigger["detail"] or "").rstrip(".")
            note = f"{trigger['name']} is {trigger['state']}" + (f": {detail}" if detail else "")
            notes.append(note)
    if why := found.get("restraint"):
        notes.append(str(why))
    for held in found.get("held", ()):
        notes.append(f"{held['repo_name'] or held['repo']} waits: {held['why']}")
    if not notes:
        return []
    lines = ["", stream.style("Worth knowing", "bold")]
    for note in notes:
        first, *rest = wrap(clean(note), width - 2)
        lines += [stream.style(f"- {first}", "yellow")]
        lines += [stream.style(f"  {line}", "yellow") for line in rest]
    return lines


def _now(found: Found, now: float) -> str:
    parts = [_running(job, now) for job in found["running"]]
    if paused := found["paused"]:
        until: float | None = paused["until"]
        end = f"until {clock(until, now)}" if until else "until `hermes resume`"
        parts.append(f"paused {end}: nothing starts by itself")
    return "; ".join(parts) or "nothing to do"


def _running(job: Found, now: float) -> str:
    text = f"j{job['id']} {what_of(job)}"
    if repo := repo_of(job):
        text += f" of {repo}"
    if far := how_far(job):
        return f"{text}, {far}"
    return (
        f"{text}, since {duration(max(0.0, now - job['started_at']))}"
        if job["started_at"]
        else text
    )


def _queue(lanes: dict[str, Found], now: float) -> str:
    parts = [f"{lane['queued']:,} {LANES[name]}" for name, lane in lanes.items() if lane["queued"]]
    if not parts:
        return "empty"
    oldest = min(lane["oldest"] for lane in lanes.values() if lane["queued"])
    waits = f"the oldest came {ago(oldest, now)}"
    ready = sum(lane["ready"] for lane in lanes.values())
    return f"{listing(parts)}, {ready:,} due; {waits}"


def _trigger(trigger: Found, now: float) -> str:
    name = TRIGGERS.get(trigger["name"], one_line(trigger["name"]))
    if trigger["state"] != "ok":
        return f"{name} {trigger['state']}"
    return f"{name} {ago(trigger['last'], now)}" if trigger["last"] else f"{name} ready"


def _child(child: Found) -> str:
    what = one_line(child["what"] or child["name"])
    return f"{what} {child['pid']} ({size(child['rss'])})"
