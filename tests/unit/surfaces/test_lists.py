"""How search, status, doctor and up show what they were told."""

from __future__ import annotations

from typing import Any

import pytest

from hermes.surfaces.cli.doctor import check_lines
from hermes.surfaces.cli.learnt import lines as learnt_lines
from hermes.surfaces.cli.search import best_lines, passage_lines
from hermes.surfaces.cli.status import status_lines
from hermes.surfaces.cli.text import width_of
from hermes.surfaces.cli.waiting import how_far, waits
from hermes.tests.servers.standin import RECOLLECTION

from .conftest import MakeStream

PASSAGE: dict[str, Any] = RECOLLECTION["passages"][0]


def test_a_passage_shows_where_it_is_from_and_what_matches(make_stream: MakeStream) -> None:
    found = passage_lines(1, PASSAGE, "retry backoff", make_stream(), repo="shop", scores=True)
    assert found == [
        " 1. 0.91  3f2a91c0de  2024-05-02  Sam Reyes  c0ffee01",
        "    shop: worker/queue.py",
        "    Drop the retry queue",
        "      -from retry import backoff",
        "      -queue = RetryQueue()",
        "    message 1.00  context 0.80",
    ]


def test_an_exact_match_says_so(make_stream: MakeStream) -> None:
    found = passage_lines(
        1, PASSAGE | {"exact": "ENG-17"}, "ENG-17", make_stream(), repo="", scores=False
    )
    assert "    matches ENG-17 exactly" in found


def test_what_was_taken_back_says_so_below_its_title(make_stream: MakeStream) -> None:
    said = "taken back by 3f2a9c1e0d on 2025-05-12"
    found = passage_lines(
        1, PASSAGE | {"said": said}, "retry", make_stream(80), repo="", scores=False
    )
    assert found[found.index("    Drop the retry queue") + 1] == f"    {said}"


def test_scores_tell_why_something_counts_for_less(make_stream: MakeStream) -> None:
    passage = PASSAGE | {"mark": {"weight": 0.5, "why": "automatic commit"}}
    found = passage_lines(1, passage, "retry", make_stream(), repo="", scores=True)
    assert found[-1] == "    message 1.00  context 0.80  × 0.50 (automatic commit)"


@pytest.mark.parametrize("columns", [40, 50, 80])
def test_no_line_of_a_passage_is_wider_than_the_terminal(
    make_stream: MakeStream, columns: int
) -> None:
    chunk = PASSAGE["chunk"] | {"author": "Å" * 90, "path": "p/" * 90, "text": "+retry " * 90}
    found = passage_lines(
        10, PASSAGE | {"chunk": chunk}, "retry", make_stream(columns), repo="", scores=True
    )
    assert all(width_of(line) <= columns for line in found)


def test_the_lines_with_most_words_are_chosen_in_their_order() -> None:
    text = "@@ retry @@\nretry\nnothing\nretry backoff\nbackoff\nretry again\nretry backoff x"
    assert best_lines(text, "", ["retry", "backoff"]) == [
        "retry",
        "retry backoff",
        "retry backoff x",
    ]


JOB = {"task": "index", "state": "running", "done": 1200, "total": 2700, "error": ""}
REPO: dict[str, Any] = {
    "id": "r1",
    "name": "shop",
    "path": "/src/shop/.git",
    "worktree": "/src/shop",
    "commits": 1200,
    "problem": "",
    "job": None,
}
STATUS: dict[str, Any] = {
    "version": "0.1.0",
    "pid": 7,
    "uptime": 200,
    "rss": 88_000_000,
    "log": "/log",
    "memory": {
        "commits": 1200,
        "chunks": 5000,
        "bytes": 20_000_000,
        "embedder": "static",
        "vectors": 2000,
        "vectors_total": 5000,
    },
    "model": {"name": "hermes3:8b", "present": True, "detail": "", "hint": ""},
    "lanes": {},
    "running": [],
    "paused": None,
    "triggers": [],
    "schedule": [],
    "children": [],
    "repos": [REPO | {"job": JOB}],
    "notes": ["something to know"],
}


def test_status_says_what_runs_and_how_far_memory_is(make_stream: MakeStream) -> None:
    assert status_lines(STATUS, make_stream()) == [
        "hermes   0.1.0, process 7, up 3 min, 88 MB of RAM",
        "memory   1,200 commits, 5,000 passages, 20 MB on disk",
        "vectors  40 % (2,000 of 5,000, static); full text serves all",
        "model    hermes3:8b: ready",
        "now      nothing to do",
        "queue    empty",
        "log      /log",
        "",
        "Repositories",
        "  shop  1,200 commits, reading: 44 % (1,200 of 2,700 commits), /src/shop",
        "",
        "Worth knowing",
        "- something to know",
    ]


def test_status_of_a_memory_that_will_not_open_still_says_why(make_stream: MakeStream) -> None:
    broken: dict[str, Any] = STATUS | {"memory": None, "model": None, "repos": []}
    found = status_lines(broken | {"notes": ["the store is damaged"]}, make_stream())
    assert "- the store is damaged" in found
    assert not any("memory is empty" in line for line in found)


@pytest.mark.parametrize("columns", [30, 50, 80])
def test_no_line_of_status_is_wider_than_the_terminal(
    make_stream: MakeStream, columns: int
) -> None:
    found = status_lines(STATUS, make_stream(columns))
    assert all(width_of(line) <= columns for line in found)


def test_doctor_puts_the_hint_under_the_finding(make_stream: MakeStream) -> None:
    checks = [
        {"name": "git", "state": "ok", "detail": "2.39.5", "hint": ""},
        {"name": "memory", "state": "fail", "detail": "one is damaged", "hint": "rebuild it"},
        {"name": "memory", "state": "fail", "detail": "two is damaged", "hint": "rebuild it"},
    ]
    assert check_lines(checks, make_stream()) == [
        "ok    git     2.39.5",
        "FAIL  memory  one is damaged",
        "FAIL  memory  two is damaged",
        "              rebuild it",
    ]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, ""),
        ({"commits": 0}, "shop (nothing read yet)"),
        ({"job": JOB}, "shop 44 % (1,200 of 2,700 commits)"),
        ({"job": JOB | {"state": "done"}}, ""),
        ({"commits": 0, "job": JOB | {"state": "queued", "total": 0}}, "shop (about to begin)"),
    ],
)
def test_how_far_a_repository_is(fields: dict[str, Any], expected: str) -> None:
    assert how_far(REPO | fields) == expected


@pytest.mark.parametrize(
    ("commits", "job", "expected"),
    [
        (5, {"state": "queued"}, True),
        (5, {"state": "running"}, False),
        (5, {"state": "ok"}, False),
        (5, None, False),
        (0, {"state": "queued"}, False),
    ],
)
def test_changes_wait_while_their_reading_is_queued(
    commits: int, job: dict[str, Any] | None, expected: bool
) -> None:
    assert waits(REPO | {"commits": commits, "job": job}) is expected


REPORT: dict[str, Any] = {
    "new_commits": 1482,
    "orphaned": 0,
    "redacted": 0,
    "stubs": {},
    "authors": 61,
    "files": 812,
    "oldest": 1_520_000_000,
    "newest": 1_740_000_000,
    "stopped": False,
    "notes": [],
}


@pytest.mark.parametrize(
    ("known", "fields", "expected"),
    [
        (
            0,
            {"stubs": {"lock": 3, "binary": 1210, "text": 1}, "redacted": 2},
            [
                "Read 1,482 commits of shop in 4.2 s: by 61 people, on 812 files, "
                + "from 2018-03-02 to 2025-02-19.",
                "1,214 changes of files noted by name and size only: "
                + "1,210 binary, 3 in lock files, 1 without changed lines.",
                "2 secrets found in its history and left out.",
                'You can ask now: hermes ask "why …?" Vectors fill in behind.',
            ],
        ),
        (
            40,
            {"new_commits": 1, "authors": 1, "files": 1, "oldest": 1_740_000_000},
            ["Read 1 more commit of shop in 4.2 s: by 1 person, on 1 file, on 2025-02-19."],
        ),
        (
            40,
            {"new_commits": 0, "stubs": {"lock": 1}},
            [
                "shop is up to date: 40 commits in memory",
                "1 change of a file noted by name and size only: in lock files.",
            ],
        ),
        (40, {"new_commits": 0}, ["shop is up to date: 40 commits in memory"]),
        (
            40,
            {"new_commits": 0, "orphaned": 3},
            ["3 commits left every branch and will not be cited any more."],
        ),
        (40, {"new_commits": 0, "notes": ["a corrupt object"]}, ["a corrupt object"]),
    ],
)
def test_what_was_learnt(known: int, fields: dict[str, Any], expected: list[str]) -> None:
    found = learnt_lines("shop", known, REPORT | fields, 4.2)
    assert [line for line, _ in found] == expected
