"""Jurors that are programs: a shell script on the other side of a pipe, well-behaved or not."""

from __future__ import annotations

import asyncio
import json
import os
import time
from pathlib import Path

import pytest

from hermes.agents.council.jurors.asking import Silent, Turn
from hermes.agents.council.jurors.command import CommandVoice
from hermes.agents.council.packet import Document, Given, make_packet
from hermes.agents.council.perspectives import preset_of
from hermes.agents.council.prompt import first_round
from hermes.agents.council.records import Juror, Opinion, Vote
from hermes.agents.council.wish import read_wish
from hermes.tests.builders.daemon import lives, until

GENERAL = preset_of("general")
ANSWER = json.dumps(
    {
        "reasons": ["it is small"], "findings": [], "missing": [], "insight": "it is small",
        "position": "yes", "decision": "merge", "vote": "PASS", "confidence": 0.7,
    }
)  # fmt: skip


def script(folder: Path, text: str) -> str:
    """Write a program and return the command that starts it."""
    path = folder / "a juror.sh"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return f"'{path}' --model small"


def ask(command: str, limit: float = 20.0, pids: list[int] | None = None) -> Opinion:
    given = Given(files=(Document("plan.md", "the plan " * 40_000),))
    packet = make_packet(read_wish("is it safe?", texts=True), given, preset=GENERAL)
    started = [] if pids is None else pids
    turn = Turn(CommandVoice(command, started.append), Juror("command", command), packet, 1)
    return asyncio.run(turn.ask(first_round(packet, GENERAL.perspectives[0], "s"), limit))


def test_a_program_reads_the_prompt_and_its_answer_is_found_in_its_prose(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    found = ask(
        script(
            tmp_path, f"cat > '{seen}'; pwd >> '{seen}'; echo 'Well:'; echo '{ANSWER}'; echo Done."
        )
    )
    assert (found.vote, found.position) == (Vote.PASS, "yes")
    prompt = seen.read_text()
    assert "the plan the plan" in prompt
    assert "The question: is it safe?" in prompt
    assert not Path(prompt.splitlines()[-1]).exists()  # the folder it ran in


def test_a_program_that_does_not_read_its_prompt_may_answer_all_the_same(tmp_path: Path) -> None:
    assert ask(script(tmp_path, f"echo '{ANSWER}'")).vote is Vote.PASS


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("echo 'no key set' >&2; exit 3", "ended with 3: no key set"),
        ("exit 0", "printed nothing"),
        ("yes 'a flood of words'", "printed more than"),
        ("echo 'I would rather not say.'", "prose"),
    ],
)
def test_a_program_that_does_not_answer_is_silent_and_it_is_said_why(
    tmp_path: Path, text: str, why: str
) -> None:
    with pytest.raises(Silent) as told:
        ask(script(tmp_path, text))
    assert why in str(told.value)


def test_a_program_that_is_not_there_is_said_to_be_missing() -> None:
    with pytest.raises(Silent) as told:
        ask("no-such-juror --at-all")
    assert "there is no program no-such-juror" in str(told.value)
    assert "no program" in asyncio.run(CommandVoice("no-such-juror").absent())
    assert "no command" in asyncio.run(CommandVoice("'unclosed").absent())
    assert asyncio.run(CommandVoice("sh -c true").absent()) == ""


def test_in_time_a_program_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    child = tmp_path / "child"
    pids: list[int] = []
    command = script(tmp_path, f"sleep 300 & echo $! > '{child}'; wait")
    begun = time.monotonic()
    with pytest.raises(Silent, match="no answer within 2 s"):
        ask(command, limit=2.0, pids=pids)
    assert time.monotonic() - begun < 15
    until(
        lambda: [pid for pid in (*pids, int(child.read_text())) if lives(pid)],
        lambda left: not left,
    )


def test_what_a_program_leaves_behind_is_ended_too(tmp_path: Path) -> None:
    child = tmp_path / "child"
    command = script(tmp_path, f"sleep 300 >/dev/null 2>&1 & echo $! > '{child}'; echo '{ANSWER}'")
    assert ask(command).vote is Vote.PASS
    until(lambda: lives(int(child.read_text())), lambda alive: not alive)


def test_no_shell_reads_the_command(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    with pytest.raises(Silent):
        ask(f"echo hello; touch '{mark}'")
    assert not os.path.exists(mark)
