"""The whole of it: the command line, a real daemon, a real repository.

A daemon takes seconds to start, so most tests share one; each has a repository of its own.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from hermes import __version__
from hermes.daemon.paths import locate
from hermes.tests.builders.daemon import LIGHT, Daemon
from hermes.tests.builders.git import RepoBuilder

from .conftest import OnTerminal, Run

WHY = "why did we drop the retry queue"


def story(path: Path) -> RepoBuilder:
    """Make a repository with a story."""
    repo = RepoBuilder(path)
    repo.commit({"worker/queue.py": "queue = []\n"}, "Add a queue for the worker")
    repo.commit(
        {"worker/queue.py": "queue = []\nretry = []\n"},
        "Add a retry queue\n\nFailed jobs were lost; now they wait here and run again.",
    )
    repo.commit(
        {"worker/queue.py": "queue = []\n"},
        "Drop the retry queue\n\nIt reordered jobs under load, which broke invoices.",
    )
    repo.commit({"docs/pricing.md": "Prices\n"}, "Describe the pricing model")
    return repo


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon for the tests that need no fresh one, with one repository in memory."""
    folder = tmp_path_factory.mktemp("shared")
    daemon = Daemon(folder / "home")
    daemon.index(story(folder / "shop").path)
    yield daemon
    daemon.process.terminate()
    daemon.process.communicate()


@pytest.fixture
def running(shared: Daemon, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in the shared daemon's home, and give the repository that it knows."""
    monkeypatch.setenv("HERMES_AMBIENT_HOME", str(shared.home))
    return shared.home.parent / "shop"


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch, hermes: Run) -> Generator[None]:
    """Whatever daemon the test starts contacts nobody, and is stopped afterwards."""
    for name, value in LIGHT.items():
        monkeypatch.setenv(name, value)
    yield
    assert hermes("down").code == 0


def test_from_up_to_down(alone: None, hermes: Run, tmp_path: Path) -> None:
    repo = story(tmp_path / "shop")
    up = hermes("up", cwd=repo.path)
    assert up.code == 0, up.err
    assert "hermes is up (process " in up.err
    assert "Read 4 commits of shop" in up.err
    assert "You can ask now" in up.err

    os.kill(json.loads(hermes("status", "--json").out)["pid"], signal.SIGKILL)
    asked = hermes("ask", WHY, cwd=repo.path / "worker")
    assert asked.code == 0, asked
    assert "It reordered jobs under load" in asked.out
    assert "Drop the retry queue" in asked.out.split("Sources")[1]

    assert hermes("down").out == ""
    assert hermes("status").code == 4
    # Something takes the daemon's address: it can't start, and memory answers all the same.
    address = locate().socket
    address.mkdir()
    asked = hermes("ask", WHY, cwd=repo.path)
    address.rmdir()
    assert asked.code == 0, asked
    assert "answering without the daemon, which can't start" in asked.err
    assert "It reordered jobs" in asked.out


def test_up_restarts_a_daemon_of_another_version(alone: None, hermes: Run, tmp_path: Path) -> None:
    code = "import hermes; hermes.__version__ = '0.0.9'; "
    code += "from hermes.daemon.main import main; main(['--ready-fd', '1'])"
    old = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert old.stdout is not None
    assert b"ready" in old.stdout.readline()
    assert "the daemon is hermes 0.0.9" in hermes("status").err
    ran = hermes("up", cwd=tmp_path)
    old.communicate(timeout=10)
    assert ran.code == 0, ran.err
    assert "restarting: the daemon was hermes 0.0.9" in ran.err
    assert json.loads(hermes("status", "--json").out)["version"] == __version__


def test_a_hung_daemon_is_told_and_not_waited_for_long(hermes: Run) -> None:
    paths = locate()
    os.makedirs(paths.run_folder, mode=0o700)
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(paths.socket_address)
        silent.listen()
        ran = hermes("status")
    assert ran.code == 1
    assert "does not answer" in ran.err


def test_wrong_settings_keep_the_daemon_from_starting_and_name_every_key(
    alone: None, hermes: Run, home: Path, tmp_path: Path
) -> None:
    home.mkdir()
    (home / "config.toml").write_text("[models]\nnum_ctx = 1\nmodle = 'x'\n")
    ran = hermes("up", cwd=tmp_path)
    assert ran.code == 2
    assert "models.num_ctx" in ran.err
    assert "did you mean model?" in ran.err


def test_search_finds_what_fits_the_filters(running: Path, hermes: Run) -> None:
    found = hermes("search", "retry queue", "--path", "worker/", "--json", cwd=running)
    passages = json.loads(found.out)["passages"]
    assert passages[0]["chunk"]["title"] == "Drop the retry queue"
    # A message is found by the paths of its commit, and has none of its own.
    assert {p["chunk"]["path"] for p in passages} == {"", "worker/queue.py"}
    nothing = hermes("search", "retry", "--until", "2019", cwd=running)
    assert (nothing.code, nothing.out) == (3, "")


def test_status_and_doctor_know_the_repository(running: Path, hermes: Run) -> None:
    status = hermes("status")
    assert (status.code, "shop" in status.out) == (0, True)
    doctor = json.loads(hermes("doctor", "--json").out)
    assert doctor["ok"], doctor
    assert "whole" in hermes("memory", "check").out


def test_up_on_a_terminal_shows_a_bar_and_takes_it_away(
    running: Path, on_terminal: OnTerminal, hermes: Run, tmp_path: Path
) -> None:
    repo = story(tmp_path / "till")
    terminal = on_terminal("up", cwd=repo.path, columns=50)
    terminal.until("[Y/n] ")
    terminal.type("n\n")
    assert terminal.end() == 0
    assert "━" in terminal.shown
    assert "Read 4 commits of till" in terminal.shown
    assert "Traceback" not in terminal.shown

    repo.commit({"a": "b"}, "Make the queue a dict")
    events = [json.loads(line) for line in hermes("up", "--json", cwd=repo.path).out.splitlines()]
    assert events[-1]["report"]["new_commits"] in (0, 1)  # the watch may have been faster
    assert "till is up to date: 5 commits" in hermes("up", cwd=repo.path).err

    terminal = on_terminal("remove", ".", cwd=repo.path)
    terminal.until("take till (5 commits) out of memory? [y/N] ")
    terminal.type("n\n")
    assert terminal.end() == 1
    assert hermes("remove", "till", "--yes").code == 0
    assert "till" not in hermes("status").out
    assert repo.git("log", "--oneline").count("\n") == 4


def test_outside_of_a_repository_up_says_what_can_be_done(
    running: Path, hermes: Run, tmp_path: Path
) -> None:
    ran = hermes("up", cwd=tmp_path)
    assert ran.code == 0
    assert "is in no git repository" in ran.err
    assert "hermes add FOLDER" in ran.err


@pytest.mark.parametrize("words", [["up", "nowhere"], ["add", "nowhere"], ["add", "."]])
def test_adding_what_is_no_repository_fails_with_one_line(
    running: Path, hermes: Run, tmp_path: Path, words: list[str]
) -> None:
    ran = hermes(*words, cwd=tmp_path)
    assert ran.code == 1
    assert "hermes: " in ran.err
    assert "Traceback" not in ran.err


def test_a_repository_without_commits_is_told(running: Path, hermes: Run, tmp_path: Path) -> None:
    empty = RepoBuilder(tmp_path / "empty")
    ran = hermes("up", cwd=empty.path)
    assert ran.code == 1
    assert "no commits" in ran.err


def test_in_a_repository_that_is_not_in_memory_ask_says_so(
    running: Path, hermes: Run, tmp_path: Path
) -> None:
    other = story(tmp_path / "other")
    assert "this repository is not in memory" in hermes("ask", WHY, cwd=other.path).err
    ran = hermes("ask", WHY, "--repo", "nosuch")
    assert ran.code == 4
    assert "shop" in ran.err


@pytest.mark.parametrize(
    ("question", "code"), [("x" * 200_000, 2), ("なぜキューを削除したのか", 3), ("?!", 3)]
)
def test_odd_questions_end_in_an_answer_or_a_clear_line(
    running: Path, hermes: Run, question: str, code: int
) -> None:
    ran = hermes("ask", "-", cwd=running, stdin=question)
    assert ran.code == code, ran
    assert "Traceback" not in ran.err


def test_memory_can_be_built_again(running: Path, hermes: Run) -> None:
    assert hermes("memory", "rebuild").code == 2
    ran = hermes("memory", "rebuild", "--yes")
    assert ran.code == 0, ran.err
    asked = hermes("ask", WHY, cwd=running)
    assert "It reordered jobs" in asked.out
