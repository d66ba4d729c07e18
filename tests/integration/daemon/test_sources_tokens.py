"""Tokens of sources: named, handed over, missed, refused; and in no file at any time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes.surfaces.cli import exits
from hermes.surfaces.client import Refused
from hermes.tests.builders import github as gh
from hermes.tests.builders.daemon import Daemon, running, until
from hermes.tests.builders.searching import where_is
from hermes.tests.servers.github import Fault, GitHubServer

pytestmark = pytest.mark.timeout(300)

TOKEN = "ghx-numbat-17-cassowary"
AWAY = Fault(503)


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    """GitHub with two issues, for who has the token."""
    with GitHubServer(token=TOKEN) as started:
        started.open_issue(1, "Requests pile up", "The quokka waits.")
        started.open_issue(2, "Retries double load", "The wombat too.")
        yield started


@pytest.fixture
def daemon(home: Path) -> Iterator[Daemon]:
    """A daemon whose environment has no token; the person's shell has it."""
    with running(home) as started:
        started.environment["GITHUB_TOKEN"] = TOKEN
        yield started


def add(daemon: Daemon, server: GitHubServer, variable: str = "GITHUB_TOKEN") -> Any:
    """Add GitHub by the command line."""
    return daemon.hermes(
        *("sources", "add", "github", "--token-env", variable),
        *("--repo", gh.NAME, "--url", server.url),
    )


def listed(daemon: Daemon) -> dict[str, Any]:
    """The one source."""
    (source,) = daemon.call("GET", "/v1/sources")["sources"]
    return dict(source)


def jobs(daemon: Daemon) -> list[dict[str, Any]]:
    """What has become of syncs, the newest first."""
    found = daemon.call("GET", "/v1/jobs?state=&agent=indexer&limit=200")["jobs"]
    return [job for job in found if job["subject"] == "sync github"]


def by_the_clock(daemon: Daemon) -> None:
    """Have the schedule's entry run, and wait until nothing is to be done at once."""
    event = daemon.call("POST", "/v1/schedule/sources/run")["event"]

    def led_to() -> list[dict[str, Any]]:
        return list(daemon.call("GET", f"/v1/why/e{event}")["jobs"])

    until(led_to, lambda jobs: bool(jobs) and jobs[0]["ended_at"] is not None)

    def busy() -> bool:
        status = daemon.call("GET", "/v1/status")
        return bool(status["running"]) or any(lane["ready"] for lane in status["lanes"].values())

    until(busy, lambda is_busy: not is_busy)


def test_a_token_of_the_shell_is_handed_over_and_is_nowhere_on_disk(
    daemon: Daemon, server: GitHubServer, home: Path
) -> None:
    said = add(daemon, server)
    assert said.returncode == exits.DONE, said.stderr
    assert "2 new" in said.stdout
    assert "GITHUB_TOKEN stays in the daemon's memory until it restarts" in said.stderr
    assert listed(daemon)["token"] == {
        "place": "env:GITHUB_TOKEN",
        "there": True,
        "handed_over": True,
    }
    by_the_clock(daemon)
    assert [job["state"] for job in jobs(daemon)] == ["ok", "ok"]
    told = daemon.hermes("sources", "--json").stdout + daemon.hermes("log", "--all").stdout
    assert daemon.stop() == 0
    assert where_is(home, TOKEN) == []
    assert TOKEN not in told + said.stdout + said.stderr


def test_after_a_restart_it_is_missed_once_and_handed_over_again(
    daemon: Daemon, server: GitHubServer, home: Path
) -> None:
    add(daemon, server)
    assert daemon.stop() == 0
    with running(home) as again:
        until(lambda: "sources" in again.hermes("schedule").stdout, bool)
        lines = again.hermes("sources").stdout
        assert "GITHUB_TOKEN is not set in the daemon's environment" in lines
        by_the_clock(again)
        by_the_clock(again)
        states = [job["state"] for job in jobs(again)]
        assert states.count("blocked_config") == 1
        assert listed(again)["error"]["code"] == "no_token"
        again.environment["GITHUB_TOKEN"] = TOKEN
        server.open_issue(3, "The third", "A bandicoot.")
        said = again.hermes("sources", "sync", "github")
        assert "1 new" in said.stdout, said.stderr
        assert listed(again)["error"] is None
        assert again.call("GET", "/v1/status")["failed"]["count"] == 0
    assert where_is(home, TOKEN) == []


def test_a_daemon_that_was_started_with_it_needs_no_handing_over(
    home: Path, server: GitHubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    with running(home) as daemon:
        body = {
            "kind": "github",
            "options": {"token": "env:GITHUB_TOKEN", "repository": gh.NAME, "url": server.url},
        }
        daemon.call("POST", "/v1/sources", body)
        by_the_clock(daemon)
        assert listed(daemon)["items"] == 2


def test_a_source_whose_token_is_refused_is_not_added(
    daemon: Daemon, server: GitHubServer, home: Path
) -> None:
    daemon.environment["OTHER"] = "ghx-wrong-emu-token"
    said = add(daemon, server, "OTHER")
    assert said.returncode == exits.FAILED
    assert daemon.call("GET", "/v1/sources")["sources"] == []
    assert "ghx-wrong-emu-token" not in said.stdout + said.stderr
    missing = add(daemon, server, "NOT_SET_ANYWHERE")
    assert missing.returncode == exits.FAILED
    assert "NOT_SET_ANYWHERE is not set" in missing.stderr
    given = add(daemon, server, TOKEN)
    assert given.returncode == exits.USAGE
    assert "a token is named, not given" in given.stderr
    assert TOKEN not in given.stdout + given.stderr
    assert daemon.stop() == 0
    assert where_is(home, "ghx-wrong-emu-token", TOKEN) == []


def test_a_token_that_is_refused_later_is_said_once_and_waits_for_a_person(
    daemon: Daemon, server: GitHubServer, home: Path
) -> None:
    add(daemon, server)
    server.fail("/", *[Fault(401, body=b'{"message": "Bad credentials"}')] * 9)
    by_the_clock(daemon)
    source = listed(daemon)
    assert (source["state"], source["error"]["code"]) == ("failed", "source_refused")
    asked = len(server.requests)
    by_the_clock(daemon)
    assert len(server.requests) == asked
    assert [job["state"] for job in jobs(daemon)].count("blocked_config") == 1
    assert len(daemon.call("GET", "/v1/incidents")["incidents"]) == 1
    lines = daemon.hermes("sources").stdout
    assert "- github: " in lines and TOKEN not in lines
    assert daemon.stop() == 0
    assert where_is(home, TOKEN) == []


def test_a_source_that_is_away_is_tried_again_when_it_has_said(
    daemon: Daemon, server: GitHubServer
) -> None:
    add(daemon, server)
    limited = Fault(429, {"Retry-After": "3600"}, b'{"message": "secondary rate limit"}')
    server.fail("/", *[limited] * 9)
    with pytest.raises(Refused) as refused:
        daemon.stream("POST", "/v1/sources/github/sync", {})
    assert refused.value.code == "source_away"
    source = listed(daemon)
    assert source["error"]["code"] == "source_away"
    assert 3_000 < source["waits_until"] - time.time() <= 3_700
    (job, *_) = jobs(daemon)
    assert job["state"] == "queued"
    assert 3_000 < job["not_before"] - time.time() <= 3_700
    asked = len(server.requests)
    by_the_clock(daemon)
    assert len(server.requests) == asked
    assert source["items"] == 2


def test_every_host_of_a_source_is_listed_whether_it_answers_or_not(
    daemon: Daemon, server: GitHubServer
) -> None:
    add(daemon, server)
    said = daemon.hermes("doctor", "--network").stdout
    assert "source github: " in said
    assert said.startswith(("127.0.0.1", "http://127.0.0.1", "localhost"))
    assert "nothing else is contacted" in said
