"""The story that ``hermes why`` tells."""

from __future__ import annotations

import time
from typing import Any

import pytest

from hermes.agents.events import KINDS
from hermes.surfaces.cli.happened import happened
from hermes.surfaces.cli.text import width_of
from hermes.surfaces.cli.why import steps_of, story_lines

from .conftest import MakeStream
from .test_jobs import JOB

NOW = time.mktime((2025, 6, 10, 12, 0, 0, 0, 0, -1))
T = NOW - 300
EVENT: dict[str, Any] = {
    "id": 3,
    "kind": "committed",
    "source": "hook",
    "repo": "r1",
    "at": T,
    "accepted_at": T + 60,
    "routed_at": T + 60,
    "event": {
        "kind": "committed",
        "cause": "commit",
        "old": "3f2a91c0de" + "0" * 30,
        "new": "9c0de11abc" + "0" * 30,
        "branch": "main",
    },
    "decision": {
        "routes": [{"agent": "indexer", "subject": "read"}],
        "by": "model",
        "reason": "history grew",
        "seconds": 0.31,
        "model": "hermes3:8b",
    },
    "calls": [],
}
CALL = {
    "model": "hermes3:8b",
    "tokens_in": 1812,
    "tokens_out": 64,
    "seconds": 1.4,
    "waited": 0.2,
    "prompt": "route@2",
    "outcome": "ok",
}
FINDING: dict[str, Any] = {
    "id": 4,
    "title": "test_queue fails",
    "state": "held",
    "level": "digest",
    "wanted": "interrupt",
    "reason": "the budget of this hour is used up",
    "next_step": "look at worker/queue.py",
    "references": ["run 7"],
}
TOLD: dict[str, Any] = JOB | {
    "queued_at": T + 60,
    "started_at": T + 61,
    "ended_at": T + 63,
    "follows": [11],
    "history": [
        {"at": T + 60, "what": "queued", "text": "indexer read", "fields": {}},
        {"at": T + 63, "what": "ok", "text": "indexer read: 2 commits read", "fields": {}},
    ],
    "calls": [CALL],
    "read": [f"r1:9c0de11abc{'0' * 30}:worker/queue.py"],
    "wrote": [f"chunk {number}" for number in range(20)],
    "findings": [FINDING],
    "followups": [JOB | {"id": 13, "subject": "vectors", "state": "queued"}],
}
STORY: dict[str, Any] = {"id": "j12", "events": [EVENT], "jobs": [TOLD], "repos": {"r1": "shop"}}


def test_the_story_goes_from_the_event_to_what_was_written(make_stream: MakeStream) -> None:
    assert story_lines(STORY, NOW, make_stream()) == [
        "e3  committed in shop",
        "    commit 3f2a91c0de → 9c0de11abc on main",
        "    11:55:00 (5 min ago), told by a git hook",
        "    it was 60 s old when it was taken in",
        "  → indexer read, by model in 310 ms (hermes3:8b): history grew",
        "j12  indexer read in shop",
        "    follows from j11",
        "    11:56:00  queued",
        "    11:56:03  ok: 2 commits read",
        "    model hermes3:8b: 1,812 + 64 tokens in 1.4 s after waiting 200 ms, prompt route@2",
        "    read shop:9c0de11abc:worker/queue.py",
        "    wrote",
        *(f"      chunk {number}" for number in range(8)),
        "      and 12 more (--json has them)",
        "    f4  test_queue fails",
        "        held as digest: the budget of this hour is used up (the agent wanted interrupt)",
        "        look at worker/queue.py",
        "        see run 7",
        "  → ok after 2 s",
        "  → then j13 indexer vectors: queued",
    ]


def test_a_finding_comes_first_where_it_was_asked_for(make_stream: MakeStream) -> None:
    lines = story_lines(STORY | {"finding": FINDING}, NOW, make_stream())
    assert lines[0] == "f4  test_queue fails"
    assert "e3  committed in shop" in lines


def test_what_became_of_a_finding_is_said_once(make_stream: MakeStream) -> None:
    logged = FINDING | {"state": "log", "level": "log", "wanted": "log", "reason": "it is over"}
    lines = story_lines(STORY | {"finding": logged}, NOW, make_stream())
    assert "    log: it is over" in lines


def test_what_is_not_decided_or_not_kept_is_said(make_stream: MakeStream) -> None:
    waiting = STORY | {"events": [EVENT | {"decision": None}], "jobs": []}
    assert "  → it is not decided yet who takes it up" in story_lines(waiting, NOW, make_stream())
    nobody = EVENT | {"decision": {"by": "refused", "reason": "another version's"}}
    found = story_lines(STORY | {"events": [nobody], "jobs": []}, NOW, make_stream())
    assert "  → nobody, by refused: another version's" in found
    gone: dict[str, Any] = STORY | {"events": [], "jobs": []}
    assert story_lines(gone, NOW, make_stream()) == ["what led to it is not kept any more"]


def test_of_many_events_the_last_are_told_and_the_rest_counted(make_stream: MakeStream) -> None:
    many = STORY | {"events": [EVENT | {"id": number} for number in range(20)]}
    lines = story_lines(many, NOW, make_stream())
    assert lines[0] == "12 earlier events led to this as well"
    assert sum(line.startswith("e") for line in lines) == 8


@pytest.mark.parametrize("columns", [20, 40, 80])
def test_no_line_is_wider_than_the_terminal(make_stream: MakeStream, columns: int) -> None:
    for line in story_lines(STORY | {"finding": FINDING}, NOW, make_stream(columns)):
        assert width_of(line) <= columns


BASE = {"cause": "unknown", "old": None, "new": None, "branch": None}


CASES: list[tuple[dict[str, Any], str]] = [
    ({"kind": "head_moved", **BASE, "cause": "checkout", "branch": "b"}, "checkout on b"),
    ({"kind": "committed", **BASE}, ""),
    ({"kind": "refs_moved", "refs": ["refs/remotes/o/a"]}, "remotes/o/a"),
    ({"kind": "refs_moved", "refs": list("abcdef")}, "a, b, c and 3 branches more"),
    ({"kind": "index_changed"}, ""),
    (
        {"kind": "files_changed", "paths": ["a.py"], "folders": ["src"], "whole": False},
        "src/, a.py",
    ),
    (
        {"kind": "files_changed", "paths": [], "folders": [], "whole": True},
        "the whole worktree",
    ),
    ({"kind": "repo_added"}, ""),
    ({"kind": "repo_gone", "back": True}, "its folder is there again"),
    ({"kind": "repo_gone", "back": False}, ""),
    (
        {"kind": "scheduled", "job": "upkeep", "due": NOW, "missed": 2},
        "upkeep, due 12:00, 2 runs missed before",
    ),
    (
        {"kind": "run_asked", "agent": "qa", "subject": "", "text": "x", "dry_run": True},
        "qa  x (dry run)".replace("  ", " "),
    ),
    ({"kind": "requested", "text": "tidy\nup \x1b[2J"}, "“tidy up \ufffd[2J”"),
    (
        {"kind": "delivered", "provider": "github", "what": "push", "title": "T"},
        "github push: T",
    ),
    ({"kind": "noted", "title": "built"}, "“built”"),
    ({"kind": "of_a_newer_hermes"}, ""),
]


@pytest.mark.parametrize(("event", "told"), CASES)
def test_an_event_is_told_in_a_few_words(event: dict[str, Any], told: str) -> None:
    assert happened(event) == told


def test_every_kind_of_event_has_its_words() -> None:
    assert set(KINDS) <= {case[0]["kind"] for case in CASES}


def test_what_came_several_times_in_a_row_is_one_line() -> None:
    steps = [{"what": what, "text": "read", "at": at} for at, what in enumerate("qjjjs")]
    assert [(step["at"], times) for step, times in steps_of(steps)] == [(0, 1), (3, 3), (4, 1)]
