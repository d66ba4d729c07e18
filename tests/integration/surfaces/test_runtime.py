"""jobs, why, run, pause and status against a real daemon with a repository in memory."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes.tests.builders.daemon import Daemon, until
from hermes.tests.builders.shop import make_shop

from .conftest import HERMES, OnTerminal, Run

STATES = ("ok", "silent", "skipped")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon with one repository in memory, for all tests here."""
    folder = tmp_path_factory.mktemp("shared")
    daemon = Daemon(folder / "home")
    daemon.index(make_shop(folder / "shop").path)
    yield daemon
    daemon.process.terminate()
    daemon.process.communicate()


@pytest.fixture(autouse=True)
def shop(shared: Daemon, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in the shared daemon's home, and give the repository that it knows."""
    monkeypatch.setenv("HERMES_AMBIENT_HOME", str(shared.home))
    return shared.home.parent / "shop"


def jobs(shared: Daemon, query: str = "") -> list[dict[str, Any]]:
    """The jobs as the API tells them."""
    found: list[dict[str, Any]] = shared.call("GET", f"/v1/jobs?limit=1000{query}")["jobs"]
    return found


def test_what_took_a_repository_in_is_a_job_that_can_be_explained(
    shared: Daemon, hermes: Run
) -> None:
    listed = hermes("jobs", "--agent", "indexer", "--all")
    assert listed.code == 0
    # The first: the rescan at the start may have had it read again.
    line = [line for line in listed.out.splitlines() if " indexer read " in line][-1]
    name = line.split()[0]
    assert "  ok  " in line
    assert "  shop  " in line
    shown = hermes("jobs", "show", name)
    assert f"hermes why {name}" in shown.out
    story = hermes("why", name)
    assert story.code == 0
    assert "repo added in shop" in story.out
    assert "told by you" in story.out
    assert "→ indexer read, by rule" in story.out
    told = json.loads(hermes("why", name, "--json").out)
    assert told["jobs"][0]["wrote"] or told["jobs"][0]["read"] or told["jobs"][0]["history"]
    event = f"e{told['events'][0]['id']}"
    assert f"{name}  indexer read" in hermes("why", event).out


def test_an_agent_runs_on_demand_and_the_command_ends_as_the_job_does(
    hermes: Run, shop: Path
) -> None:
    ran = hermes("run", "indexer", "rescan", cwd=shop)
    assert ran.code == 0, ran.err
    assert "indexer rescan" in ran.err
    streamed = hermes("run", "indexer", "rescan", "--json", cwd=shop)
    ended = json.loads(streamed.out.splitlines()[-1])
    assert (ended["type"], ended["job"]["agent"]) == ("ended", "indexer")
    assert streamed.err == ""


def test_a_request_in_ones_own_words_finds_who_answers_it(hermes: Run, shop: Path) -> None:
    ran = hermes("run", "why was the retry queue dropped?", cwd=shop)
    assert ran.code == 0, ran.err
    assert " qa: " in ran.err.splitlines()[0]
    assert "Sources" in ran.out
    assert "Drop the retry queue" in ran.out


@pytest.mark.parametrize(
    ("words", "told", "hint"),
    [
        (
            ["tidier"],
            "there is no agent tidier",
            "agents: commit_helper, council, doc_keeper, indexer, qa,",
        ),
        (
            ["indexr"],
            "there is no agent indexr; did you mean indexer?",
            "agents: commit_helper, council, doc_keeper, indexer, qa,",
        ),
        (["indexer", "tidy"], "indexer has no task tidy", "its tasks: read, links, vectors"),
        (["qa"], "qa needs words to work on", 'hermes run qa "why'),
        (["indexer", "rebuild"], "takes something away, so it asks first", "hermes memory rebuild"),
    ],
)
def test_a_slip_of_the_pen_is_told_at_once_and_is_no_incident(
    shared: Daemon, hermes: Run, shop: Path, words: list[str], told: str, hint: str
) -> None:
    before = {job["id"] for job in jobs(shared)}
    ran = hermes("run", *words, cwd=shop)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert hint in ran.err
    assert {job["id"] for job in jobs(shared)} <= before  # the rescan of the start may end silently


def test_detached_work_is_left_to_itself(shared: Daemon, hermes: Run, shop: Path) -> None:
    ran = hermes("run", "indexer", "rescan", "--detach", "--json", cwd=shop)
    (job,) = json.loads(ran.out)["jobs"]
    until(lambda: state_of(shared, job), lambda state: state in STATES)


def state_of(shared: Daemon, job: dict[str, Any]) -> str:
    """How a job stands now."""
    return str(shared.call("GET", f"/v1/jobs/{job['id']}")["job"]["state"])


def test_a_pause_holds_background_work_and_keeps_it(
    shared: Daemon, hermes: Run, shop: Path
) -> None:
    assert "paused until" in hermes("pause", "2h").err
    status = hermes("status")
    assert "nothing starts by itself" in status.out
    event = {"kind": "scheduled", "at": 1.0, "source": "cron", "job": "upkeep", "due": 1.0}
    shared.call("POST", "/v1/events", {"event": event})
    waiting = until(lambda: jobs(shared, "&state=queued"), bool)
    # A person is served all the same.
    assert hermes("run", "qa", "why was the retry queue dropped?", cwd=shop).code == 0
    job = waiting[0]
    assert state_of(shared, job) == "queued"
    assert "does not start: hermes is paused" in hermes("jobs").err
    cancelled = hermes("jobs", "cancel", f"j{job['id']}")
    assert (cancelled.code, "is cancelled" in cancelled.err) == (0, True)
    again = hermes("jobs", "retry", str(job["id"]))
    assert (again.code, "waits again" in again.err) == (0, True)
    assert "hermes goes on" in hermes("resume").err
    assert json.loads(hermes("status", "--json").out)["paused"] is None


def test_a_search_says_that_changes_wait_to_be_read(
    shared: Daemon, hermes: Run, shop: Path
) -> None:
    assert hermes("pause").code == 0
    (repo,) = shared.call("GET", "/v1/repos")["repos"]
    event = {"kind": "committed", "at": 1.0, "source": "hook", "repo": repo["id"]}
    shared.call("POST", "/v1/events", {"event": event})
    until(lambda: jobs(shared, "&state=queued&repo=shop"), bool)
    searched = hermes("search", "retry queue", cwd=shop)
    assert "the latest changes of shop wait to be read" in searched.err
    assert hermes("resume").code == 0
    until(lambda: jobs(shared, "&state=queued&repo=shop"), lambda found: not found)
    assert "wait to be read" not in hermes("search", "retry queue", cwd=shop).err


def test_what_ended_can_not_be_cancelled(shared: Daemon, hermes: Run) -> None:
    ended = next(job for job in jobs(shared) if job["state"] == "ok")
    ran = hermes("jobs", "cancel", f"j{ended['id']}")
    assert ran.code == 1
    assert "can't be changed: it has ended (ok)" in ran.err


def test_an_event_told_twice_with_one_key_is_one(shared: Daemon) -> None:
    event = {"kind": "noted", "title": "built"}
    first = shared.call("POST", "/v1/events", {"event": event, "key": "k1"})
    again = {"event": event | {"source": "hook"}, "key": "k1"}
    assert shared.call("POST", "/v1/events", again) == first
    told = shared.call("GET", f"/v1/why/e{first['event']}")["events"][0]
    assert told["event"]["source"] == "api"  # whatever it claims


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["why", "x7"], "x7 is no id"),
        (["why", "i7"], "`hermes incidents` names"),
        (["jobs", "show"], "show which job?"),
        (["jobs", "show", "e3"], "e3 names no job"),
        (["jobs", "ls", "j3"], "hermes jobs show j3"),
        (["jobs", "--state", "lost"], "a job is never lost"),
        (["jobs", "cancel", "--dead"], "cancel which job?"),
        (["jobs", "-n", "0"], "--limit takes a number"),
        (["jobs", "mend"], "mend is none of ls, show, retry, cancel"),
        (["log", "--topic", "weather"], "weather is none of event, job"),
        (["log", "-n", "-1"], "--limit takes a number"),
        (["run"], "run what?"),
        (["run", "tidy up", "--dry-run"], "--dry-run needs the name of an agent"),
        (["pause", "soon"], "don't know how long 'soon' is"),
        (["pause", "99999999h"], "99999999h is longer than a year"),
        (["schedule", "run", "../upkeep"], "the schedule has no entry ../upkeep"),
        (["models", "pull", "no name"], "no name is no model's name"),
        (["status", "--watch"], "--watch needs a terminal"),
    ],
)
def test_wrong_use_ends_with_2_and_one_clear_line(hermes: Run, words: list[str], told: str) -> None:
    ran = hermes(*words)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert len(ran.err.splitlines()) <= 2


def test_ids_that_are_not_there_are_one_clear_line(hermes: Run) -> None:
    for words in (("jobs", "show", "j99999"), ("why", "e99999"), ("jobs", "retry", "99999")):
        ran = hermes(*words)
        assert (ran.code, ran.out) == (1, "")
        assert ran.err.startswith("hermes: there is no ")


def test_without_a_daemon_each_says_so(hermes: Run, tmp_path: Path) -> None:
    nowhere = {"HERMES_AMBIENT_HOME": str(tmp_path / "nowhere")}
    for words in (("jobs",), ("why", "j1"), ("log",), ("log", "-f"), ("pause",), ("resume",)):
        ran = hermes(*words, env=nowhere)
        assert (ran.code, ran.out) == (4, "")
        assert ran.err == "hermes: the daemon is not running\n`hermes up` starts it\n"


def test_status_watched_follows_what_happens_and_leaves_the_screen(
    hermes: Run, on_terminal: OnTerminal, shop: Path
) -> None:
    terminal = on_terminal("status", "--watch")
    terminal.until("queue")
    assert terminal.shown.startswith("\x1b[?1049h\x1b[?25l")
    assert hermes("pause").code == 0
    terminal.until("paused until `hermes resume`")
    assert hermes("resume").code == 0
    terminal.type("\x03")
    assert terminal.end() == 130
    assert terminal.shown.endswith("\x1b[?25h\x1b[?1049l")
    assert "Traceback" not in terminal.shown


def test_status_streams_as_json_until_it_is_interrupted(hermes: Run) -> None:
    process = subprocess.Popen(
        [*HERMES, "status", "--watch", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())["paused"] is None
    assert hermes("pause").code == 0
    try:
        assert json.loads(process.stdout.readline())["paused"] == {"until": None}
    finally:
        assert hermes("resume").code == 0
        os.kill(process.pid, signal.SIGINT)
        _, complaint = process.communicate(timeout=30)
    assert (process.returncode, complaint) == (130, b"")
