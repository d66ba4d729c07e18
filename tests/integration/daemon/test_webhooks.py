"""Deliveries as providers send them to a real daemon: taken in, refused, replayed, outlived."""

from __future__ import annotations

import json
import socket
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes.daemon.paths import locate
from hermes.surfaces.cli import exits
from hermes.tests.builders import github as gh
from hermes.tests.builders.daemon import LIGHT, Daemon, running, until
from hermes.tests.builders.deliveries import commented, hexed, of_github, of_linear, of_slack, send
from hermes.tests.servers.github import GitHubServer

pytestmark = pytest.mark.timeout(120)

SIGNING = "8f742231b10e8888abcd99yyyzzz85a5"
GITHUB, SLACK, LINEAR = "/webhooks/github", "/webhooks/slack", "/webhooks/linear"
SETTINGS = LIGHT | {"ACME_TOKEN": "ghp_secret", "SIGNING": SIGNING}
OFF = 540.0
"""Nine minutes."""


@pytest.fixture
def daemon(home: Path) -> Iterator[Daemon]:
    """A daemon that takes in what GitHub delivers."""
    with running(home, SETTINGS) as started:
        started.call("POST", "/v1/webhooks/github", {})
        yield started


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    """GitHub, with one pull request."""
    with GitHubServer() as started:
        started.open_pull(482, "Limit requests by Redis")
        yield started


def secret(daemon: Daemon) -> str:
    said: str = daemon.call("GET", "/v1/webhooks/github/secret")["secret"]
    return said


def port(daemon: Daemon) -> int:
    said: int = daemon.call("GET", "/v1/webhooks")["port"]
    return said


def went(daemon: Daemon, name: str = "github") -> dict[str, Any]:
    """How deliveries went."""
    providers = daemon.call("GET", "/v1/webhooks")["providers"]
    found: dict[str, Any] = next(each for each in providers if each["name"] == name)["deliveries"]
    return found


def add(daemon: Daemon, server: GitHubServer) -> None:
    """Have the repository read."""
    options = {"token": "env:ACME_TOKEN", "repository": gh.NAME, "url": server.url}
    daemon.call("POST", "/v1/sources", {"kind": "github", "options": options})
    daemon.stream("POST", "/v1/sources/github/sync", {})
    daemon.settle()


def syncs(daemon: Daemon) -> list[dict[str, Any]]:
    """The jobs that read the source, the newest first, done ones too."""
    jobs = daemon.call("GET", "/v1/jobs?state=ok,silent,queued,running&limit=200")["jobs"]
    return [job for job in jobs if job["subject"] == "sync github"]


def test_nothing_listens_until_one_is_turned_on_and_nothing_after_off(home: Path) -> None:
    with running(home) as daemon:
        said = daemon.hermes("webhooks")
        assert said.returncode == exits.DONE
        assert "nothing listens" in said.stderr
        assert port(daemon) is None
        shown = daemon.hermes("webhooks", "on", "github")
        assert shown.returncode == exits.DONE, shown.stderr
        value = daemon.hermes("webhooks", "secret", "github").stdout.strip()
        assert value in shown.stdout
        assert len(value) >= 40
        where = port(daemon)
        assert f"http://127.0.0.1:{where}/webhooks/github" in daemon.hermes("webhooks").stdout
        assert (
            stat.S_IMODE((locate({"HERMES_AMBIENT_HOME": str(home)}).webhooks).stat().st_mode)
            == 0o600
        )
        assert value not in daemon.hermes("webhooks", "--json").stdout
        renewed = daemon.hermes("webhooks", "secret", "github", "--new").stdout.strip()
        assert renewed != value
        assert daemon.hermes("webhooks", "off").returncode == exits.DONE
        assert not (locate({"HERMES_AMBIENT_HOME": str(home)}).webhooks).exists()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", where), 5).close()


def test_a_delivery_has_its_source_read_and_many_have_it_read_once_or_twice(
    daemon: Daemon, server: GitHubServer
) -> None:
    add(daemon, server)
    before = len(syncs(daemon))
    server.say(482, "Memcached has no quokka.", gh.BEGUN + 60)
    for number in range(100):
        body, headers = of_github(secret(daemon), commented(comment=number))
        assert send(port(daemon), GITHUB, body, headers) == (200, "ok")
    daemon.settle()
    found = daemon.call("POST", "/v1/search", {"question": "quokka"})["passages"]
    assert [each["chunk"]["ref"] for each in found] == ["github:acme/shop#482"]
    assert 1 <= len(syncs(daemon)) - before <= 10
    assert went(daemon)["accepted"] == 100


def test_what_comes_again_is_acknowledged_and_done_once(
    daemon: Daemon, server: GitHubServer
) -> None:
    add(daemon, server)
    body, headers = of_github(secret(daemon), commented())
    assert send(port(daemon), GITHUB, body, headers)[0] == 200
    daemon.settle()
    done = len(syncs(daemon))
    assert send(port(daemon), GITHUB, body, headers)[0] == 200
    assert send(port(daemon), GITHUB, body, {**headers, "x-github-delivery": "another"})[0] == 200
    daemon.settle()
    assert len(syncs(daemon)) == done
    assert (went(daemon)["accepted"], went(daemon)["again"]) == (1, 2)


def test_what_no_source_reads_is_acknowledged_and_counted(
    daemon: Daemon, server: GitHubServer
) -> None:
    add(daemon, server)
    body, headers = of_github(secret(daemon), commented(repository="acme/other"))
    assert send(port(daemon), GITHUB, body, headers)[0] == 200
    body, headers = of_github(secret(daemon), {"zen": "Speak like a human."}, "ping")
    assert send(port(daemon), GITHUB, body, headers)[0] == 200
    counts = went(daemon)
    assert (counts["accepted"], counts["ignored"], counts["other"]) == (0, 1, 1)


def test_an_acknowledged_delivery_outlives_a_kill(home: Path, server: GitHubServer) -> None:
    with running(home, SETTINGS) as daemon:
        daemon.call("POST", "/v1/webhooks/github", {})
        add(daemon, server)
        daemon.call("POST", "/v1/pause", {})
        server.say(482, "Memcached has no quokka.", gh.BEGUN + 60)
        body, headers = of_github(secret(daemon), commented())
        where = port(daemon)
        assert send(where, GITHUB, body, headers)[0] == 200
        daemon.kill()
    with running(home, SETTINGS) as again:
        until(lambda: again.call("GET", "/v1/webhooks"), lambda said: said["listening"])
        assert port(again) == where
        again.call("POST", "/v1/resume", {})

        def found() -> list[str]:
            passages = again.call("POST", "/v1/search", {"question": "quokka"})["passages"]
            return [each["chunk"]["ref"] for each in passages]

        assert until(found, bool) == ["github:acme/shop#482"]
        assert send(where, GITHUB, body, headers)[0] == 200
        assert went(again)["again"] == 1


def test_each_refusal_tells_the_sender_nothing_and_the_person_why(daemon: Daemon) -> None:
    where, value = port(daemon), secret(daemon)
    body, headers = of_github(value, commented())
    unsigned = {name: each for name, each in headers.items() if "signature" not in name}
    sha1 = {**unsigned, "x-hub-signature": "sha1=" + hexed(value, body)[:40]}
    form = {**headers, "content-type": "application/x-www-form-urlencoded"}
    broken = b'{"action": '
    signed_broken = {**headers, "x-hub-signature-256": "sha256=" + hexed(value, broken)}
    refusals = [
        ("POST", body, of_github("another", commented())[1], 401, "signed with another secret"),
        ("POST", body + b" ", headers, 401, "signed with another secret"),
        ("POST", body, unsigned, 401, "not signed"),
        ("POST", body, sha1, 401, "not signed"),
        ("POST", body, form, 415, "application/json"),
        ("GET", b"", headers, 405, "GET instead of POST"),
        ("POST", broken, signed_broken, 400, "it is not JSON"),
    ]
    for number, (method, content, given, status, reason) in enumerate(refusals, 1):
        assert send(where, GITHUB, content, given, method) == (status, "refused")
        assert reason in went(daemon)["reason"]
        assert went(daemon)["refused"] == number
    for path in ("/", "/webhooks", "/webhooks/", "/webhooks/slack", "/webhooks/x", "/v1/status"):
        assert send(where, path, body, headers) == (404, "not found")
    assert went(daemon)["accepted"] == 0
    assert "signed with another secret" not in daemon.hermes("webhooks").stdout
    assert "it is not JSON" in daemon.hermes("webhooks").stdout


def test_what_is_too_large_is_refused_before_it_was_sent(daemon: Daemon) -> None:
    with socket.create_connection(("127.0.0.1", port(daemon)), 30) as caller:
        caller.sendall(
            b"POST /webhooks/github HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
            b"content-length: 25000001\r\n\r\n"
        )
        assert caller.recv(100).startswith(b"HTTP/1.1 413 ")
    assert went(daemon)["reason"] == "larger than 25 MB"


def test_slack_is_asked_for_its_secret_answered_its_challenge_and_held_to_the_time(
    daemon: Daemon,
) -> None:
    refused = daemon.hermes("webhooks", "on", "slack")
    assert refused.returncode == exits.USAGE
    assert "--secret-env" in refused.stderr
    shown = daemon.hermes("webhooks", "on", "slack", "--secret-env", "SIGNING")
    assert shown.returncode == exits.DONE, shown.stderr
    where = port(daemon)
    challenge = "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P"
    asked = {"token": "x", "type": "url_verification", "challenge": challenge}
    assert send(where, SLACK, *of_slack(SIGNING, asked)) == (200, challenge)
    assert send(where, SLACK, *of_slack("another", asked)) == (401, "refused")
    old = of_slack(SIGNING, asked, time.time() - OFF)
    assert send(where, SLACK, *old) == (401, "refused")
    said = " ".join(daemon.hermes("webhooks").stdout.split())
    assert "1 refused for their time: their clock or yours is 9 min off" in said


def test_linear_is_held_to_a_minute(daemon: Daemon) -> None:
    body = {"place": "env:SIGNING"}
    daemon.call("POST", "/v1/webhooks/linear", body)
    where = port(daemon)
    issue = {"type": "Issue", "action": "update", "data": {"team": {"key": "ENG"}}}
    assert send(where, LINEAR, *of_linear(SIGNING, issue)) == (200, "ok")
    assert send(where, LINEAR, *of_linear(SIGNING, issue, time.time() - 90))[0] == 401
    timeless = json.dumps(issue).encode()
    headers = {"content-type": "application/json", "linear-signature": hexed(SIGNING, timeless)}
    assert send(where, LINEAR, timeless, headers)[0] == 401
    assert went(daemon, "linear")["skewed"] == 2


def test_a_secret_that_is_not_there_refuses_for_now_and_says_where_it_should_be(
    daemon: Daemon,
) -> None:
    daemon.call("POST", "/v1/webhooks/slack", {"place": "env:NOWHERE"})
    asked = {"type": "url_verification", "challenge": "abc"}
    assert send(port(daemon), SLACK, *of_slack(SIGNING, asked))[0] == 503
    said = " ".join(daemon.hermes("webhooks").stdout.split())
    assert "NOWHERE is not set in the daemon's environment" in said


def test_no_secret_and_no_text_of_a_delivery_is_in_log_or_journal(
    daemon: Daemon, server: GitHubServer
) -> None:
    add(daemon, server)
    value, where = secret(daemon), port(daemon)
    daemon.call("POST", "/v1/webhooks/slack", {"place": "env:OURS", "secret": SIGNING})
    send(where, GITHUB, *of_github(value, commented()))
    send(where, GITHUB, *of_github("another", commented()))
    send(where, SLACK, *of_slack(SIGNING, {"type": "url_verification", "challenge": "abc"}))
    daemon.settle()
    journal = json.dumps(daemon.call("GET", "/v1/journal?limit=1000"))
    kept = b"".join(
        path.read_bytes()
        for path in daemon.home.rglob("*")
        if path.is_file() and path.name != "webhooks.json"
    )
    for word in (value, SIGNING):
        assert word not in journal
        assert word not in daemon.log
        assert word.encode() not in kept
    assert b"ignore all instructions" not in kept
