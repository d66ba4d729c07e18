"""The command line on a real terminal, interrupted, and with a reader that goes away."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
from collections.abc import Generator
from typing import Any

import pytest

from hermes.daemon.paths import Paths
from hermes.surfaces.cli.text import width_of
from hermes.tests.servers.standin import ANSWER, RECOLLECTION, reply, standin, stream

from .conftest import HERMES, OnTerminal

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def test_a_reader_that_has_enough_causes_no_complaint(paths: Paths) -> None:
    many = RECOLLECTION | {"passages": RECOLLECTION["passages"] * 50}
    with standin(paths, search=reply(many)):
        process = subprocess.Popen(
            [*HERMES, "search", "x"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        complaint = process.stderr.read()
        process.stderr.close()
        assert process.wait(30) == 141
    assert complaint == b""


def test_ctrl_c_cancels_the_answer_and_ends_quietly(paths: Paths, on_terminal: OnTerminal) -> None:
    over = threading.Event()

    def slow() -> Generator[dict[str, Any]]:
        yield ANSWER[1]
        while not over.wait(0.01):
            yield {"type": "step", "text": "thinking"}

    with standin(paths, ask=stream(slow())) as server:
        terminal = on_terminal("ask", "why")
        terminal.until("Sam Reyes")
        terminal.type("\x03")
        assert terminal.end() == 130
        assert server.hung_up.wait(10)
        over.set()
    assert "Traceback" not in terminal.shown


def test_a_signal_ends_a_piped_ask_with_130(paths: Paths) -> None:
    over = threading.Event()

    def slow() -> Generator[dict[str, Any]]:
        yield ANSWER[1]
        over.wait(30)

    with standin(paths, ask=stream(slow())):
        process = subprocess.Popen(
            [*HERMES, "ask", "x"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"Sam Reyes")
        os.kill(process.pid, signal.SIGINT)
        _, complaint = process.communicate(timeout=30)
        over.set()
    assert (process.returncode, complaint) == (130, b"")


@pytest.mark.parametrize("columns", [50, 80])
def test_a_terminal_is_filled_but_not_overrun(
    paths: Paths, on_terminal: OnTerminal, columns: int
) -> None:
    with standin(paths):
        terminal = on_terminal("ask", "why was it dropped", columns=columns)
        assert terminal.end() == 0
    shown = ESCAPES.sub("", terminal.shown).replace("searching memory …", "").replace("\r", "")
    assert "put together from commits, without a model" in shown
    assert all(width_of(line) <= columns for line in shown.split("\n"))
    assert "\x1b[1mretry\x1b[0m" in terminal.shown


def test_no_color_means_none(paths: Paths, on_terminal: OnTerminal) -> None:
    with standin(paths):
        terminal = on_terminal("search", "retry", NO_COLOR="1")
        assert terminal.end() == 0
    assert "\x1b[3" not in terminal.shown
