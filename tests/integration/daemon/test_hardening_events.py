"""Events that no program of ours would send: refused with a reason, or taken and survived."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from hermes.surfaces.client import Refused
from hermes.tests.builders.daemon import Daemon, running, until
from hermes.tests.builders.shop import make_shop

NOW = 1_790_000_000.0
FAR = 99_999_999_999_999_999_999_999


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Generator[Daemon]:
    folder = tmp_path_factory.mktemp("events")
    with running(folder / "home") as daemon:
        daemon.index(make_shop(folder / "shop").path)
        daemon.settle()
        yield daemon
        assert "Traceback" not in daemon.log


def send(daemon: Daemon, body: bytes, path: str = "/v1/events") -> tuple[int, dict[str, Any]]:
    """Send bytes that need not be JSON; return the status and the answer."""
    head = f"POST {path} HTTP/1.1\r\nHost: hermes\r\nContent-Type: application/json\r\n"
    head += f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    with socket.socket(socket.AF_UNIX) as caller:
        caller.settimeout(30)
        caller.connect(str(daemon.home / "run" / "daemon.sock"))
        caller.sendall(head.encode() + body)
        with caller.makefile("rb") as answer:
            said = answer.read()
    return int(said.split(b" ", 2)[1]), json.loads(said.split(b"\r\n\r\n", 1)[1])


def told(**fields: object) -> bytes:
    event = {"kind": "index_changed", "at": NOW, "source": "api", **fields}
    return json.dumps({"event": event}).encode()


REFUSED = {
    "nothing": b"",
    "half of an object": b"{",
    "a list": b"[]",
    "bytes that are no text": b'{"event": "\xff"}',
    "no event": b'{"event": null}',
    "an unknown kind": told(kind="nope"),
    "wrong types": told(kind=1, at="x", source=[], repo={}),
    "an unknown field": told(paths=["a"]),
    "a time that is no number": b'{"event":{"kind":"index_changed","source":"api","at":NaN}}',
    "a time without end": b'{"event":{"kind":"index_changed","source":"api","at":1e400}}',
    "a time before 1970": told(at=-1e18),
    "a time that no calendar has": told(at=1e18),
    "a due time that is no number": (
        b'{"event":{"kind":"scheduled","source":"api","at":1,"job":"rescan","due":NaN}}'
    ),
    "more missed runs than there can be": told(kind="scheduled", job="x", due=NOW, missed=FAR),
    "half a character": b'{"event":{"kind":"index_changed","source":"api","at":1,"repo":"\\ud800"}}',
    "half a character in a ref": told(kind="refs_moved", refs=["\ud800"]),
    "half a character in a branch": told(kind="committed", branch="\ud800"),
    "a number of 5,000 digits": b'{"event": ' + b"9" * 5_000 + b"}",
    "nesting without end": b'{"event":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "more text than fits": told(kind="requested", text="x" * 20_001),
    "more paths than fit": told(kind="files_changed", paths=["a"] * 1_001),
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED)
def test_what_is_no_event_is_refused_with_a_reason(daemon: Daemon, body: bytes) -> None:
    before = daemon.call("GET", "/v1/journal")["newest"]
    status, answer = send(daemon, body)
    assert status in (400, 422)
    assert answer["error"]
    assert answer["code"] in ("invalid_request", "http")
    assert daemon.call("GET", "/v1/journal")["newest"] == before


TAKEN = {
    "NUL in a path": told(kind="files_changed", paths=["a\0b"]),
    "paths that lead elsewhere": told(kind="files_changed", paths=["../../etc/passwd", "/etc"]),
    "NUL in a branch": told(kind="committed", branch="a\0b", new="abcd"),
    "a commit that is not there": told(kind="committed", old="dead", new="deadbeef" * 5),
    "refs that look like options": told(kind="refs_moved", refs=["--upload-pack=x", "\0"]),
    "an agent that is not there": told(kind="run_asked", agent="nobody"),
    "a task that the agent has not": told(kind="run_asked", agent="indexer", subject="no\0such"),
    "an agent of a schedule": told(
        kind="scheduled", job="x", due=NOW, agent="indexer", subject="?"
    ),
    "control characters": told(kind="requested", text="\x00\x1b[31m why \u202e"),
    "a file read that needs a repository": told(kind="run_asked", agent="indexer", subject="read"),
}


@pytest.mark.parametrize("of", ["of this repository", "of one that is not in memory"])
@pytest.mark.parametrize("body", TAKEN.values(), ids=TAKEN)
def test_an_event_that_makes_no_sense_does_no_harm(daemon: Daemon, body: bytes, of: str) -> None:
    known = daemon.call("GET", "/v1/repos")["repos"][0]["id"]
    event = json.loads(body)
    event["event"]["repo"] = known if of == "of this repository" else "nosuch\0\u202e"
    status, answer = send(daemon, json.dumps(event).encode())
    assert status == 202
    why = until(
        lambda: daemon.call("GET", f"/v1/why/e{answer['event']}"),
        lambda told: told["events"][0]["routed_at"] is not None,
    )
    assert "could not be routed" not in json.dumps(why)
    status_now = daemon.settle()
    assert [repo["commits"] for repo in status_now["repos"]] == [4]
    assert status_now["trouble"] == []


@pytest.mark.parametrize(
    "path",
    [
        f"/v1/jobs/{FAR}",
        f"/v1/jobs?before={FAR}&state=ok",
        f"/v1/journal?after={FAR}",
        f"/v1/journal?after=-{FAR}",
        f"/v1/why/j{FAR}",
        "/v1/why/%00",
        "/v1/journal?since=nan&limit=1",
    ],
)
def test_numbers_that_no_row_can_have_are_no_fault(daemon: Daemon, path: str) -> None:
    try:
        daemon.call("GET", path)
    except Refused as refusal:
        assert refusal.status in (400, 404, 422)


def test_spool_files_that_are_no_events_are_set_aside_and_the_rest_goes_on(daemon: Daemon) -> None:
    spool = daemon.home / "spool"
    bad = {
        "garbage.json": os.urandom(2_000),
        "deep.json": b"[" * 100_000,
        "unknown.json": b'{"kind": "nope"}',
        "half.json": b'{"kind": "noted", "title": "\\ud800"}',
        "nul.json": b'{"kind": "files_changed", "repo": "/a\\u0000b", "paths": ["x"]}',
        "null.json": b"null",
        "digits.json": b"9" * 5_000,
        "huge.json": b'{"kind": "noted", "title": "' + b"x" * 1_000_000 + b'"}',
        "agent.json": b'{"kind": "run_asked", "agent": "../../x"}',
    }
    for name, content in bad.items():
        drop(spool, name, content)
    old = drop(spool, "old.json", b'{"kind": "noted", "title": "from before 1970"}', at=-86_400)
    refused = spool / "refused"
    until(lambda: {p.name for p in refused.glob("*.reason")}, lambda found: len(found) >= len(bad))
    until(old.exists, lambda there: not there)

    def refusals() -> int:
        found = daemon.call("GET", "/v1/journal?topic=event&limit=100")["entries"]
        return sum(entry["what"] == "refused" for entry in found)

    until(refusals, lambda count: count >= len(bad))
    assert daemon.call("GET", "/v1/trouble")["trouble"] == []


def drop(spool: Path, name: str, content: bytes, at: float | None = None) -> Path:
    beside = spool / f".{name}"
    beside.write_bytes(content)
    if at is not None:
        os.utime(beside, (at, at))
    return beside.rename(spool / name)
