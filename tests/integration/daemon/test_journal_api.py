"""The journal over a real socket: read back, and followed as server-sent events."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from hermes.daemon.inprocess import connect_in_process
from hermes.daemon.ledger.followers import Followers, Gap
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.ledger.records import Entry
from hermes.daemon.paths import locate
from hermes.daemon.sse import event_stream
from hermes.memory.errors import StoreDamaged
from hermes.surfaces.client import Client, Refused
from hermes.tests.builders.daemon import LIGHT, until
from hermes.tests.builders.runtime_api import Served, serving


@pytest.fixture(autouse=True)
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in LIGHT.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def served(home: Path) -> Generator[Served]:
    with serving(locate()) as found:
        yield found


def write(served: Served, number: int, topic: str = "job", **more: Any) -> None:
    """Write entries into the journal."""
    with served.ledger.writing():
        for count in range(number):
            served.ledger.journal.append(topic, "ok", time.time(), text=f"number {count}", **more)


def numbers(path: str) -> list[int]:
    """What one answer of the journal holds, by number."""
    with Client.connect(locate()) as client:
        return [entry["number"] for entry in client.call("GET", path)["entries"]]


class Reader:
    """A follower as a browser is one: a bare socket, and what came on it."""

    def __init__(self, path: str, headers: Sequence[str] = ()) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(20)
        self.socket.connect(locate().socket_address)
        lines = [f"GET /v1/journal/follow{path} HTTP/1.0", "Host: hermes", *headers, "", ""]
        self.socket.sendall("\r\n".join(lines).encode())
        self.text = ""
        self.until("\r\n\r\n")
        self.head, _, self.text = self.text.partition("\r\n\r\n")

    def until(self, wanted: str) -> str:
        """Read until this has come; return all that came."""
        while wanted not in self.text:
            piece = self.socket.recv(65_536)
            assert piece, f"{wanted!r} did not come: {self.text}"
            self.text += piece.decode()
        return self.text

    def to_the_end(self) -> str:
        """Read until the daemon hangs up."""
        while piece := self.socket.recv(65_536):
            self.text += piece.decode()
        return self.text


Follow = Callable[..., Reader]


@pytest.fixture
def follow() -> Generator[Follow]:
    """Give a function that begins to follow."""
    readers: list[Reader] = []

    def begin(path: str, headers: Sequence[str] = ()) -> Reader:
        readers.append(Reader(path, headers))
        return readers[-1]

    yield begin
    for reader in readers:
        reader.socket.close()


def test_the_last_entries_are_told_oldest_first(served: Served) -> None:
    write(served, 30)
    assert numbers("/v1/journal?limit=3") == [28, 29, 30]
    assert numbers("/v1/journal?after=27&limit=2") == [28, 29]
    assert numbers("/v1/journal?after=30") == []


def test_what_is_rare_is_found_however_far_back_it_is(served: Served) -> None:
    write(served, 2, "trigger", fields={"agent": "rare"})
    write(served, 300)
    assert numbers("/v1/journal?limit=2&topic=trigger") == [1, 2]
    assert numbers("/v1/journal?limit=1&agent=rare") == [2]
    assert numbers("/v1/journal?limit=5&topic=trigger&topic=model") == [1, 2]
    assert numbers("/v1/journal?topic=model") == []
    assert numbers(f"/v1/journal?since={time.time() + 60}") == []
    assert len(numbers("/v1/journal?since=1&limit=1000")) == 302


def test_a_page_is_full_of_what_is_wanted_however_rare_that_is(served: Served) -> None:
    for _ in range(3):
        write(served, 5, fields={"agent": "busy"})
        write(served, 1, fields={"agent": "rare"})
    assert numbers("/v1/journal?after=0&limit=2&agent=rare") == [6, 12]
    assert numbers("/v1/journal?after=12&limit=2&agent=rare") == [18]


def test_an_event_has_number_topic_and_entry_as_browsers_want_them(
    served: Served, follow: Follow
) -> None:
    write(served, 1)
    reader = follow("?after=0")
    assert "content-type: text/event-stream" in reader.head
    text = reader.until("number 0")
    assert text.startswith("retry: 1000\nid: 0\n\nid: 1\nevent: job\ndata: {")
    reader.until("}\n\n")


def test_without_a_number_it_begins_with_what_comes(served: Served, follow: Follow) -> None:
    write(served, 3)
    reader = follow("")
    assert reader.until("\n\n") == "retry: 1000\nid: 3\n\n"
    write(served, 1)
    assert "id: 4\n" in reader.until("event: job")


def test_a_browser_that_comes_back_misses_nothing(served: Served, follow: Follow) -> None:
    write(served, 5)
    reader = follow("?after=0", ["Last-Event-ID: 3"])
    reader.until("id: 5\n")
    assert "id: 3\n\nid: 4\n" in reader.text


def test_what_is_not_wanted_is_not_told(served: Served, follow: Follow) -> None:
    reader = follow("?topic=model&topic=job&agent=qa")
    write(served, 1, "trigger")
    write(served, 1, "job", fields={"agent": "indexer"})
    write(served, 1, "job", fields={"agent": "qa"})
    text = reader.until("event: job")
    assert text.count("\nevent: ") == 1
    assert "id: 3\n" in text


def test_a_journal_that_began_anew_is_told(served: Served, follow: Follow) -> None:
    write(served, 1)
    reader = follow("?after=900")
    assert 'event: gap\ndata: {"missed":0}\n\n' in reader.until("gap")
    write(served, 1)
    reader.until("id: 2\n")


def test_what_was_trimmed_before_it_was_read_is_counted(served: Served, follow: Follow) -> None:
    write(served, 10)
    with served.ledger.writing() as db:
        db.execute("DELETE FROM journal WHERE number <= 6")
    reader = follow("?after=2")
    text = reader.until("id: 10\n")
    assert 'event: gap\ndata: {"missed":4}\n\nid: 7\n' in text


def followers(served: Served) -> int:
    """How many the daemon knows to follow."""
    assert served.host.followers is not None
    return len(served.host.followers)


def test_many_follow_and_one_that_does_not_read_costs_nothing(
    served: Served, follow: Follow
) -> None:
    slow = follow("?after=0")
    fast = [follow("?after=0") for _ in range(20)]
    for _ in range(3):
        write(served, 300, fields={"much": "x" * 3_000})
    for reader in fast:
        reader.until("id: 900\n")
        reader.socket.close()
    # What the slow one has not taken is still there for it.
    slow.until("id: 900\n")
    assert slow.text.count("\nevent: job") == 900
    slow.socket.close()
    until(lambda: followers(served), lambda number: number == 0)


def test_the_end_of_the_daemon_ends_the_streams(home: Path, follow: Follow) -> None:
    with serving(locate()) as served:
        reader = follow("")
        reader.until("id: 0")
        began = time.monotonic()
        served.stop()
        reader.to_the_end()
    assert time.monotonic() - began < 2.0


async def test_silence_is_broken_by_a_comment_now_and_then(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "runtime.db")
    readers = Followers(ledger.journal)
    stop = asyncio.Event()
    pieces = event_stream(readers.follow(0), 0, stop, heartbeat=0.01).body_iterator
    found: list[bytes] = []
    async for piece in pieces:
        assert isinstance(piece, bytes)
        found.append(piece)
        if len(found) == 3:
            await asyncio.to_thread(ledger.journal.append, "job", "ok", 1.0)
        if b"event: job" in piece:
            stop.set()
    assert found[:3] == [b"retry: 1000\nid: 0\n\n", b":\n\n", b":\n\n"]
    assert b"event: job" in found[-1]
    assert len(readers) == 0
    ledger.close()


async def test_a_ledger_that_fails_under_a_reader_is_told_and_ends_it() -> None:
    async def failing() -> AsyncGenerator[Entry | Gap]:
        yield Entry(1, 0.0, "job", "ok")
        raise StoreDamaged("runtime.db", "it is torn")

    stream = event_stream(failing(), 0, asyncio.Event())
    found = [piece async for piece in stream.body_iterator if isinstance(piece, bytes)]
    assert b"event: failed" in found[-1]


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/v1/journal?limit=0", 422, "invalid_request"),
        ("/v1/journal?after=x", 422, "invalid_request"),
        ("/v1/jobs?state=lost", 400, "invalid_request"),
        ("/v1/jobs/7", 404, "no_such_id"),
        ("/v1/why/e7", 404, "no_such_id"),
        ("/v1/why/nonsense", 404, "no_such_id"),
    ],
)
def test_what_is_asked_wrongly_gets_one_clear_answer(
    served: Served, path: str, status: int, code: str
) -> None:
    with Client.connect(locate()) as client, pytest.raises(Refused) as refused:
        client.call("GET", path)
    assert (refused.value.status, refused.value.code) == (status, code)


def test_a_stand_in_has_no_jobs_and_says_so(home: Path) -> None:
    with Client(connect_in_process(locate())) as client:
        for method, path, body in (
            ("GET", "/v1/jobs", None),
            ("GET", "/v1/journal", None),
            ("GET", "/v1/journal/follow", None),
            ("GET", "/v1/why/j1", None),
            ("POST", "/v1/run", {"agent": "indexer"}),
            ("POST", "/v1/requests", {"text": "tidy up"}),
            ("POST", "/v1/pause", {}),
            ("POST", "/v1/resume", None),
        ):
            with pytest.raises(Refused, match="the daemon is not running") as refused:
                client.call(method, path, body)
            assert (refused.value.status, refused.value.code) == (503, "no_worker")
        assert client.call("GET", "/v1/trouble") == {"trouble": []}


def test_what_is_down_is_told_with_every_answer(served: Served) -> None:
    with Client.connect(locate()) as client:
        client.call("GET", "/v1/hello")
        assert Client.trouble == 0
        served.host.faults["watch"] = "too many folders"
        client.call("GET", "/v1/hello")
        assert Client.trouble == 1
        with pytest.raises(Refused):
            client.call("GET", "/v1/jobs/7")
        assert Client.trouble == 1
        told = client.call("GET", "/v1/trouble")["trouble"]
        assert told == [{"name": "watch", "detail": "too many folders"}]
