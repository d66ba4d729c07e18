"""How jobs are listed and shown."""

from __future__ import annotations

import time
from typing import Any

import pytest

from hermes.daemon.ledger.records import State
from hermes.surfaces.cli.jobs import job_lines, show_lines
from hermes.surfaces.cli.report import report_rows
from hermes.surfaces.cli.states import STYLES, WrongId, is_routine, number_of
from hermes.surfaces.cli.text import width_of

from .conftest import MakeStream

NOW = 1_764_500_000.0
JOB: dict[str, Any] = {
    "id": 12,
    "agent": "indexer",
    "subject": "read",
    "repo": "r1",
    "repo_name": "shop",
    "lane": "reactive",
    "state": "ok",
    "queued_at": NOW - 300,
    "not_before": NOW - 300,
    "expires_at": None,
    "started_at": NOW - 290,
    "ended_at": NOW - 288,
    "attempts": 1,
    "paths": 0,
    "folders": 0,
    "whole": False,
    "dry_run": False,
    "events": 1,
    "reason": "2 commits read",
    "error": {},
    "report": {},
    "text": "",
    "phase": None,
    "done": None,
    "total": None,
}
DEAD = JOB | {
    "id": 9,
    "agent": "qa",
    "subject": "",
    "state": "dead",
    "reason": "Ollama does not answer",
    "error": {"error": "Ollama does not answer", "hint": "start it", "code": "unreachable"},
    "attempts": 8,
}
RUNNING = JOB | {
    "id": 13,
    "state": "running",
    "ended_at": None,
    "reason": "",
    "phase": "read",
    "done": 40,
    "total": 100,
}
WAITING = JOB | {
    "id": 14,
    "state": "queued",
    "started_at": None,
    "ended_at": None,
    "not_before": NOW + 20,
    "reason": "",
}
JOBS = [DEAD, RUNNING, WAITING, JOB]


def test_each_job_is_one_line_that_says_what_became_of_it(make_stream: MakeStream) -> None:
    assert job_lines(JOBS, NOW, make_stream()) == [
        "j9   dead     qa            shop  5 min ago  2 s           Ollama does not answer",
        "j13  running  indexer read  shop  5 min ago  5 min so far  read 40 %",
        "j14  queued   indexer read  shop  5 min ago                starts in 20 s",
        "j12  ok       indexer read  shop  5 min ago  2 s           2 commits read",
    ]


@pytest.mark.parametrize("columns", [20, 30, 40, 60, 80])
def test_no_line_is_wider_than_the_terminal(make_stream: MakeStream, columns: int) -> None:
    long = JOB | {"reason": "why " * 90, "subject": "s" * 50, "repo_name": "é" * 40}
    for shown in ([*JOBS, long], JOBS):
        for line in job_lines(shown, NOW, make_stream(columns)):
            assert width_of(line) <= columns
            assert line.startswith("j")
    for job in (*JOBS, long):
        for line in show_lines(job, NOW, make_stream(columns)):
            assert width_of(line) <= columns


def test_what_matters_most_stays_on_a_narrow_terminal(make_stream: MakeStream) -> None:
    assert job_lines(JOBS, NOW, make_stream(50)) == [
        "j9   dead     qa            Ollama does not answer",
        "j13  running  indexer read  read 40 %",
        "j14  queued   indexer read  starts in 20 s",
        "j12  ok       indexer read  2 commits read",
    ]


def test_colour_says_how_it_ended(make_stream: MakeStream) -> None:
    lines = job_lines([DEAD, JOB], NOW, make_stream(80, colours=True))
    assert "\x1b[31mdead\x1b[0m" in lines[0]
    assert "\x1b[32mok\x1b[0m" in lines[1]


def test_every_state_a_job_can_have_has_a_colour() -> None:
    assert set(STYLES) == set(State)


def test_a_job_in_full_says_why_it_failed_and_what_to_do(make_stream: MakeStream) -> None:
    lines = show_lines(DEAD, NOW, make_stream())
    assert lines[0] == "j9  dead"
    assert "  attempts    8" in lines
    assert "  reason      Ollama does not answer" in lines
    assert "  what to do  start it" in lines
    assert not any(line.startswith("  error") for line in lines)  # the reason says the same
    assert lines[-1] == "  how it came about: hermes why j9"


def test_what_an_agent_wrote_cannot_steer_the_terminal(make_stream: MakeStream) -> None:
    evil = JOB | {"reason": "\x1b[2Jgone\nnext", "subject": "\x1b]0;x\x07", "text": "\x1b[31m"}
    for line in [*job_lines([evil], NOW, make_stream(80)), *show_lines(evil, NOW, make_stream(80))]:
        assert "\x1b" not in line
        assert "\n" not in line


def test_a_report_is_figures_by_name_and_nothing_that_is_nothing() -> None:
    report = {
        "answer": "read as it is",
        "new_commits": 1482,
        "orphaned": 0,
        "seconds": 1.23456,
        "notes": ["one", "two"],
        "stubs": {"binary": 3, "lock": 2},
        "stopped": False,
        "deep": [{"a": 1}],
        "newest": NOW,
    }
    assert report_rows(report) == [
        ("new commits", "1,482"),
        ("seconds", "1.23"),
        ("notes", "one, two"),
        ("stubs", "binary 3, lock 2"),
        ("deep", '[{"a": 1}]'),
        ("newest", time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(NOW))),
    ]


@pytest.mark.parametrize(("typed", "number"), [("j12", 12), ("12", 12), (" J7 ", 7)])
def test_a_job_goes_by_its_number(typed: str, number: int) -> None:
    assert number_of(typed) == number


@pytest.mark.parametrize("typed", ["", "j", "e3", "12x", "-1", "١٢", "9" * 30])
def test_what_names_no_job_is_said(typed: str) -> None:
    with pytest.raises(WrongId, match="names no job"):
        number_of(typed)


def test_upkeep_that_went_well_is_routine_unless_someone_asked_for_it() -> None:
    upkeep = JOB | {"subject": "upkeep"}
    assert is_routine(upkeep)
    assert not any(
        is_routine(job)
        for job in (JOB, upkeep | {"state": "failed"}, upkeep | {"lane": "on_demand"})
    )


def test_a_wide_terminal_is_used_in_full(make_stream: MakeStream) -> None:
    long = JOB | {"reason": "why " * 20 + "in the end"}
    assert job_lines([long], NOW, make_stream(140))[0].endswith("in the end")
