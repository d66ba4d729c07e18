"""How the journal is shown."""

from __future__ import annotations

import time
from typing import Any

import pytest

from hermes.surfaces.cli.log import entry_lines, is_routine
from hermes.surfaces.cli.text import width_of

from .conftest import MakeStream

NOW = time.mktime((2025, 6, 10, 12, 0, 0, 0, 0, -1))


def entry(number: int, topic: str, what: str, **more: Any) -> dict[str, Any]:
    """An entry as the API tells it."""
    usual: dict[str, Any] = {"at": NOW - 60, "about": None, "repo": None, "text": "", "fields": {}}
    return usual | {"number": number, "topic": topic, "what": what} | more


ENTRIES = [
    entry(1041, "event", "accepted", about=31, text="files_changed", fields={"source": "watch"}),
    entry(1042, "job", "ok", about=12, text="indexer read: 2 commits read"),
    entry(1043, "job", "delivery_failed", about=13, text="standup"),
    entry(1044, "trigger", "degraded", text="watch: too many folders"),
    entry(1045, "incident", "opened", about=3, text="the embedder is away"),
]


def test_each_entry_is_a_line_with_the_id_that_why_takes(make_stream: MakeStream) -> None:
    assert entry_lines(ENTRIES, NOW, make_stream()) == [
        "  1041  11:59:00  event accepted       e31    files changed, told by the file watch",
        "  1042  11:59:00  job ok               j12    indexer read: 2 commits read",
        "  1043  11:59:00  job delivery_failed  j13    standup",
        "  1044  11:59:00  trigger degraded            watch: too many folders",
        "  1045  11:59:00  incident opened      i3     the embedder is away",
    ]


def test_lines_that_come_one_by_one_stand_under_each_other(make_stream: MakeStream) -> None:
    alone = [entry_lines([one], NOW, make_stream())[0] for one in ENTRIES[:2]]
    assert [line.index(text) for line, text in zip(alone, ("files", "indexer"), strict=True)] == [
        42,
        42,
    ]


@pytest.mark.parametrize("columns", [20, 40, 60, 80])
def test_no_line_is_wider_than_the_terminal(make_stream: MakeStream, columns: int) -> None:
    long = entry(10**9, "job", "ok", about=10**9, text="x\x1b[2J y " * 90)
    for line in entry_lines([*ENTRIES, long], NOW, make_stream(columns)):
        assert width_of(line) <= columns
        assert "\x1b" not in line


UPKEEP = {"agent": "indexer", "subject": "vectors", "lane": "reactive"}
READ = {"agent": "indexer", "subject": "read", "lane": "reactive"}


@pytest.mark.parametrize(
    ("topic", "what", "fields"),
    [
        ("event", "accepted", {"source": "watch"}),
        ("event", "accepted", {"source": "hook"}),
        ("event", "routed", {}),
        ("job", "queued", READ),
        ("job", "joined", READ),
        ("job", "started", READ),
        ("job", "silent", READ),
        ("job", "ok", UPKEEP),
    ],
)
def test_steps_and_upkeep_are_routine(topic: str, what: str, fields: dict[str, Any]) -> None:
    assert is_routine(entry(1, topic, what, fields=fields))


@pytest.mark.parametrize(
    ("topic", "what", "fields"),
    [
        ("event", "accepted", {"source": "spool"}),
        ("event", "refused", {"source": "spool"}),
        ("job", "ok", READ),
        ("job", "ok", UPKEEP | {"lane": "on_demand"}),
        ("job", "failed", UPKEEP),
        ("job", "retry", READ),
        ("job", "something new", READ),
        ("finding", "interrupt", {}),
        ("daemon", "started", {}),
    ],
)
def test_what_ended_and_what_is_wrong_is_not(topic: str, what: str, fields: dict[str, Any]) -> None:
    assert not is_routine(entry(1, topic, what, fields=fields))


def test_the_number_gives_way_before_the_words_do(make_stream: MakeStream) -> None:
    assert entry_lines(ENTRIES[1:2], NOW, make_stream(60)) == [
        "11:59:00  job ok           j12    indexer read: 2 commits r…"
    ]
