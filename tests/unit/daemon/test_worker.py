"""The worker's loop: commands in, events out."""

from __future__ import annotations

import io
import json
import logging
import os
from typing import Any

import pytest

from hermes.daemon.worker import Channel, Running, ToDaemon, run
from hermes.memory.errors import HermesError

COMMAND = {"job": 7, "do": "index", "repo": "shop"}


class Pipe:
    """A channel whose daemon is the test."""

    def __init__(self) -> None:
        reading, self._writing = os.pipe()
        self._events = io.BytesIO()
        self.channel = Channel(os.fdopen(reading, "rb", buffering=0), self._events)

    def send(self, command: object) -> None:
        os.write(self._writing, json.dumps(command).encode() + b"\n")

    def hang_up(self) -> None:
        os.close(self._writing)

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._events.getvalue().splitlines()]


@pytest.fixture
def pipe() -> Pipe:
    return Pipe()


def test_a_job_is_told_from_start_to_report(pipe: Pipe) -> None:
    def do(command: dict[str, Any], running: Running) -> dict[str, Any]:
        running.progress("read", 1, 2)
        running.progress("read", 2, 2)
        return {"new_commits": 2}

    pipe.send(COMMAND)
    assert pipe.channel.next_job(10) == COMMAND
    run(do, Running(pipe.channel, 7), COMMAND)
    assert pipe.events == [
        {"job": 7, "event": "started"},
        {"job": 7, "event": "progress", "phase": "read", "done": 1, "total": 2},
        {"job": 7, "event": "progress", "phase": "read", "done": 2, "total": 2},
        {"job": 7, "event": "done", "report": {"new_commits": 2}},
    ]
    pipe.hang_up()


def test_progress_is_told_now_and_then_but_its_end_always(pipe: Pipe) -> None:
    running = Running(pipe.channel, 7)
    for done in range(10_001):
        running.progress("read", done, 10_000)
    told = [event["done"] for event in pipe.events]
    assert told[0] == 0
    assert told[-1] == 10_000
    assert len(told) < 1_000
    pipe.hang_up()


def test_what_a_person_can_act_on_is_told_with_its_hint(pipe: Pipe) -> None:
    def do(command: dict[str, Any], running: Running) -> dict[str, Any]:
        raise HermesError("no space left", hint="free some")

    run(do, Running(pipe.channel, 7), COMMAND)
    told = {"error": "no space left", "hint": "free some", "code": "error"}
    assert pipe.events[-1] == {"job": 7, "event": "failed"} | told
    pipe.hang_up()


def test_a_fault_is_told_and_ends_the_worker(pipe: Pipe) -> None:
    def do(command: dict[str, Any], running: Running) -> dict[str, Any]:
        raise ZeroDivisionError("division by zero")

    with pytest.raises(ZeroDivisionError):
        run(do, Running(pipe.channel, 7), COMMAND)
    assert (pipe.events[-1]["event"], pipe.events[-1]["code"]) == ("failed", "internal")
    pipe.hang_up()


@pytest.mark.parametrize("hang_up", [True, False], ids=["daemon gone", "cancelled"])
def test_a_job_that_is_not_wanted_any_more_stops(pipe: Pipe, hang_up: bool) -> None:
    def do(command: dict[str, Any], running: Running) -> dict[str, Any]:
        if hang_up:
            pipe.hang_up()
        else:
            pipe.send({"cancel": 7})
        while not running.should_stop():
            pass
        return {}

    run(do, Running(pipe.channel, 7), COMMAND)
    assert pipe.events[-1] == {"job": 7, "event": "cancelled"}
    if hang_up:
        assert pipe.channel.next_job(10) is None
    else:
        pipe.hang_up()


def test_without_work_the_loop_ends(pipe: Pipe) -> None:
    assert pipe.channel.next_job(0.0) is None
    pipe.hang_up()


def test_log_records_go_to_the_daemon(pipe: Pipe) -> None:
    handler = ToDaemon(pipe.channel)
    logging.getLogger("test").addHandler(handler)
    logging.getLogger("test").warning("a corrupt object in %s", "shop")
    logging.getLogger("test").removeHandler(handler)
    assert pipe.events == [{"event": "log", "level": "WARNING", "text": "a corrupt object in shop"}]
    pipe.hang_up()
