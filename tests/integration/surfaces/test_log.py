"""``hermes log``: read back, followed over a restart, interrupted, and with a reader that leaves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from typing import IO

import pytest

from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.paths import Paths
from hermes.surfaces.client import DaemonAbsent
from hermes.surfaces.events import Follower
from hermes.tests.builders.daemon import LIGHT, until
from hermes.tests.builders.runtime_api import Served, serving

from .conftest import HERMES, OnTerminal, Run


@pytest.fixture(autouse=True)
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in LIGHT.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def served(paths: Paths) -> Iterator[Served]:
    with serving(paths) as found:
        yield found


def say(served: Served, text: str, topic: str = "job") -> None:
    """Write an entry."""
    served.ledger.journal.append(topic, "ok", time.time(), about=7, text=text)


@contextmanager
def following(*words: str) -> Generator[subprocess.Popen[str]]:
    """Follow the journal in a process, for the time of the block."""
    with subprocess.Popen(
        [*HERMES, "log", "-f", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def line_of(stream: IO[str] | None) -> str:
    """The next line that a process says."""
    assert stream is not None
    return stream.readline()


def test_the_last_are_shown_and_filters_confine_them(served: Served, hermes: Run) -> None:
    for number in range(30):
        say(served, f"number {number}")
    say(served, "too many folders", "trigger")
    assert len(hermes("log").out.splitlines()) == 20
    assert hermes("log", "-n", "1").out.split()[2:5] == ["trigger", "ok", "#7"]
    ran = hermes("log", "--topic", "trigger", "--topic", "model", "--json")
    assert json.loads(ran.out)["text"] == "too many folders"
    assert len(hermes("log", "--since", "1h").out.splitlines()) == 31
    nothing = hermes("log", "--topic", "model")
    assert (nothing.code, nothing.out) == (0, "")
    assert nothing.err == "nothing is written down of that kind\n"


def test_followed_it_goes_on_over_a_restart_and_misses_nothing(paths: Paths) -> None:
    with ExitStack() as stack:
        with serving(paths) as served:
            say(served, "before")
            process = stack.enter_context(following("-n", "1"))
            assert "before" in line_of(process.stdout)
            say(served, "while it is followed")
            assert "while it is followed" in line_of(process.stdout)
        assert line_of(process.stderr) == "the daemon is away; waiting for it\n"
        served = stack.enter_context(serving(paths))
        say(served, "meanwhile")
        assert line_of(process.stderr) == "the daemon is back\n"
        assert "meanwhile" in line_of(process.stdout)


def test_what_was_trimmed_while_the_daemon_was_away_is_said(paths: Paths) -> None:
    with ExitStack() as stack:
        with serving(paths) as served:
            say(served, "first")
            process = stack.enter_context(following("-n", "1"))
            line_of(process.stdout)
            until_followed(served)
        assert "away" in line_of(process.stderr)
        ledger = Ledger.open(paths.ledger)
        with ledger.writing() as db:
            for number in range(2, 7):
                ledger.journal.append("job", "ok", time.time(), text=f"number {number}")
            db.execute("DELETE FROM journal WHERE number <= 4")
        ledger.close()
        stack.enter_context(serving(paths))
        assert "back" in line_of(process.stderr)
        assert line_of(process.stderr) == "3 entries were trimmed before being read here\n"
        assert "number 5" in line_of(process.stdout)


def test_ctrl_c_ends_it_quietly(served: Served, on_terminal: OnTerminal) -> None:
    say(served, "shown")
    terminal = on_terminal("log", "-f")
    terminal.until("shown")
    terminal.type("\x03")
    assert terminal.end() == 130
    assert "Traceback" not in terminal.shown


def test_a_signal_ends_it_quietly_too(served: Served) -> None:
    say(served, "shown")
    with following() as process:
        line_of(process.stdout)
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(30) == 130
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_it_ends_when_its_reader_does_though_nothing_happens(served: Served) -> None:
    say(served, "shown")
    with following() as process:
        line_of(process.stdout)
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(30) == 141
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_as_json_each_is_an_object_on_its_line(served: Served) -> None:
    with following("--json", "--topic", "job") as process:
        until_followed(served)
        say(served, "not wanted", "trigger")
        say(served, "wanted")
        found = json.loads(line_of(process.stdout))
    assert (found["text"], found["topic"], found["number"]) == ("wanted", "job", 2)
    assert "type" not in found


def until_followed(served: Served) -> None:
    """Wait until someone follows."""
    assert served.host.followers is not None
    followers = served.host.followers
    until(lambda: len(followers), lambda number: number == 1)


def test_whoever_follows_can_wait_for_a_while_only(served: Served, paths: Paths) -> None:
    with Follower(paths, after=0) as follower:
        assert follower.next(0.01) is None
        say(served, "one")
        say(served, "two")
        found = [follower.next(20), follower.next(20)]
        assert [entry and entry["text"] for entry in found] == ["one", "two"]
        assert follower.next(0.01) is None
        assert follower.last == 2


def test_who_has_no_time_to_wait_gets_what_is_there(paths: Paths) -> None:
    with ExitStack() as stack:
        with serving(paths) as served:
            follower = stack.enter_context(Follower(paths, after=0))
            assert follower.next(0.0) is None
            say(served, "one")
            found = None
            while found is None:
                found = follower.next(0.0)
            assert found["text"] == "one"
        assert (follower.next(20) or {}) == {"type": "away"}
        assert follower.next(0.0) is None


def test_nobody_to_follow_is_told_at_once(paths: Paths) -> None:
    with pytest.raises(DaemonAbsent):
        Follower(paths)


def test_what_is_down_is_said_after_a_command_in_one_line(served: Served, hermes: Run) -> None:
    say(served, "shown")
    served.host.faults["watch"] = "too many folders."
    ran = hermes("log")
    assert ran.code == 0
    told = "the file watch is down: too many folders; `hermes doctor` says more\n"
    assert ran.err == told
    failed = hermes("jobs", "show", "9")
    assert failed.code == 1
    assert failed.err.endswith(told)
    assert hermes("log", "--json").err == ""
