"""How status shows the runtime."""

from __future__ import annotations

import time
from typing import Any

import pytest

from hermes.surfaces.cli.status import status_lines
from hermes.surfaces.cli.text import width_of

from .conftest import MakeStream
from .test_jobs import DEAD, RUNNING
from .test_lists import REPO, STATUS

MIDNIGHT = time.mktime((2025, 6, 11, 0, 0, 0, 0, 0, -1))
NOBODY = {"queued": 0, "ready": 0, "oldest": None}
WELL: dict[str, Any] = STATUS | {
    "held": [],
    "repos": [REPO],
    "notes": [],
    "lanes": {"on_demand": NOBODY, "reactive": NOBODY, "scheduled": NOBODY},
    "running": [],
    "paused": None,
    "restraint": "",
    "failed": {"count": 0, "newest": []},
    "incidents": [],
    "triggers": [
        {"name": "watch", "state": "ok", "detail": "", "last": None},
        {"name": "spool", "state": "ok", "detail": "", "last": None},
    ],
    "schedule": [{"name": "upkeep", "next": MIDNIGHT}],
    "children": [{"pid": 4711, "name": "python", "what": "worker", "rss": 120_000_000}],
    "trouble": [],
}


def shown(stream: Any, **changed: Any) -> list[str]:
    """The lines of a status in which something is different."""
    return status_lines(WELL | changed, stream)


def test_when_all_is_well_it_is_a_line_each(make_stream: MakeStream) -> None:
    assert shown(make_stream()) == [
        "hermes    0.1.0, process 7, up 3 min, 88 MB of RAM",
        "memory    1,200 commits, 5,000 passages, 20 MB on disk",
        "vectors   40 % (2,000 of 5,000, static); full text serves all",
        "model     hermes3:8b: ready",
        "now       nothing to do",
        "queue     empty",
        "events    files ready, hooks ready",
        "next      upkeep 2025-06-11 00:00",
        "children  worker 4711 (120 MB)",
        "log       /log",
        "",
        "Repositories",
        "  shop  1,200 commits, /src/shop",
    ]


def test_lanes_and_what_runs_are_told(make_stream: MakeStream) -> None:
    now = time.time()
    lanes = {
        "on_demand": NOBODY,
        "reactive": {"queued": 9_998, "ready": 3, "oldest": now - 120},
        "scheduled": {"queued": 2, "ready": 0, "oldest": now - 7},
    }
    found = shown(make_stream(), lanes=lanes, running=[RUNNING])
    assert "now       j13 indexer read of shop, read 40 %" in found
    queue = "queue     9,998 reactive and 2 scheduled, 3 due; the oldest came 2 min ago"
    assert queue in found


def test_what_went_wrong_stands_below_with_what_to_do(make_stream: MakeStream) -> None:
    incident = {"id": 3, "title": "the embedder is away", "count": 5, "last": time.time() - 60}
    down = {"name": "watch", "state": "down", "detail": "too many folders.", "last": 1.0}
    found = shown(
        make_stream(),
        failed={"count": 7, "newest": [DEAD]},
        incidents=[incident],
        triggers=[down],
        notes=["the store is slow"],
    )
    below = found[found.index("Did not end well") :]
    assert below[1].startswith("j9  dead  qa  shop")
    assert below[2:] == [
        "and 6 more: hermes jobs",
        "",
        "Incidents",
        "i3  5 times  60 s ago  the embedder is away",
        "known to you? hermes incidents ack i3",
        "",
        "Worth knowing",
        "- the store is slow",
        "- watch is down: too many folders",
    ]
    assert "events    files down" in found


def test_what_an_incident_stands_for_is_said_once(make_stream: MakeStream) -> None:
    incident = {"id": 3, "title": "qa: it is away", "count": 2, "last": time.time() - 60}
    whose = {"agent": DEAD["agent"], "repo": DEAD["repo"], "job": 9, "why": "j9"}
    found = shown(
        make_stream(), failed={"count": 2, "newest": [DEAD]}, incidents=[incident | whose]
    )
    assert "Did not end well" not in found
    assert "i3  2 times  60 s ago  j9  qa: it is away" in found


@pytest.mark.parametrize(
    ("paused", "told"),
    [
        ({"until": None}, "paused until `hermes resume`: nothing starts by itself"),
        ({"until": MIDNIGHT}, "paused until 2025-06-11 00:00: nothing starts by itself"),
    ],
)
def test_a_pause_is_told(make_stream: MakeStream, paused: dict[str, Any], told: str) -> None:
    assert f"now       {told}" in shown(make_stream(), paused=paused)


@pytest.mark.parametrize("columns", [20, 30, 50, 80])
def test_no_line_is_wider_than_the_terminal(make_stream: MakeStream, columns: int) -> None:
    incident = {"id": 3, "title": "é" * 90, "count": 5, "last": 0.0}
    found = shown(
        make_stream(columns),
        failed={"count": 7, "newest": [DEAD]},
        incidents=[incident],
        restraint="on battery: background work waits",
    )
    assert all(width_of(line) <= columns for line in found)
