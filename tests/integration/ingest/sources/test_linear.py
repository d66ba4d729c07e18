"""Tickets of Linear by its API, from a server that speaks it, and from CSV exports in many hands."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes.ingest.sources.contract import Page, Source, SourceAway, SourceBroken, SourceRefused
from hermes.ingest.sources.linear.options import BadLinear, options
from hermes.ingest.sources.linear.source import Linear
from hermes.ingest.sources.linear.table import CsvExport, moment
from hermes.memory.records import Item, ItemChange, Link, LinkKind
from hermes.tests.servers.linear import BEGUN, SAM, Fault, LinearServer, limited

HOUR = 3_600


@pytest.fixture
def server() -> Iterator[LinearServer]:
    """Linear with one team."""
    with LinearServer() as started:
        yield started


def linear(server: LinearServer, team: str = "ENG", token: str = "lin_api_secret") -> Linear:
    return Linear(server.url, team, token, pauses=(0.0,))


def sync(server: LinearServer, cursor: str = "", team: str = "ENG") -> tuple[list[Page], str]:
    """Fetch all; return the pages and where to go on."""
    pages = list(linear(server, team).fetch(cursor, lambda: False))
    return pages, next(page.cursor for page in reversed(pages) if page.cursor)


def items(pages: list[Page]) -> dict[str, Item]:
    return {item.key: item for page in pages for item in page.items}


def first_page(source: Source) -> Page:
    """Stop behind the first page."""
    pages: list[Page] = []
    fetching = source.fetch("", lambda: bool(pages))
    pages.append(next(fetching))
    assert list(fetching) == []
    return pages[0]


def test_a_ticket_comes_with_all_that_was_said_and_done(server: LinearServer) -> None:
    server.open(3, "Retries double load")
    server.open(
        17,
        "Requests pile up",
        description="Since the last deploy.",
        labels={"nodes": [{"name": "bug"}]},
        attachments={"nodes": [{"url": "https://github.com/shop/shop/pull/482"}]},
        parent={"identifier": "ENG-3"},
    )
    server.say("ENG-17", "Is it the pool?", HOUR)
    server.assign("ENG-17", SAM, 2 * HOUR)
    server.move("ENG-17", "Done", 3 * HOUR, completedAt="2025-10-09T11:53:20.000Z")
    pages, _ = sync(server)
    item = items(pages)["ENG-17"]
    assert (item.ref, item.title, item.state) == ("linear:ENG-17", "Requests pile up", "Done")
    assert "Since the last deploy." in item.text
    assert "Labels: bug" in item.text
    assert "Sam Ito (9 October 2025 09:53): Is it the pool?" in item.text
    assert (item.author, item.email, item.assignee) == ("Kim Noor", "kim@example.org", "Sam Ito")
    assert (item.time, item.changed, item.closed) == (BEGUN, BEGUN + 3 * HOUR, 1_760_010_800)
    assert item.changes == (
        ItemChange(BEGUN, "state", "Todo"),
        ItemChange(BEGUN + 2 * HOUR, "assignee", "Sam Ito"),
        ItemChange(BEGUN + 3 * HOUR, "state", "Done"),
    )
    assert item.links == (
        Link(LinkKind.BRANCH, "kim/eng-17"),
        Link(LinkKind.ITEM, "github:shop/shop#482"),
        Link(LinkKind.ITEM, "linear:ENG-3"),
    )


def test_only_what_changed_comes_again(server: LinearServer) -> None:
    for number in range(1, 50):
        server.open(number, f"Ticket {number}", number)
    pages, cursor = sync(server)
    assert len(items(pages)) == 49
    assert max(len(page.items) for page in pages) == 20
    server.say("ENG-7", "Still so.", HOUR)
    pages, cursor = sync(server, cursor)
    assert set(items(pages)) <= {"ENG-7", "ENG-49"}
    assert "Still so." in items(pages)["ENG-7"].text
    pages, _ = sync(server, cursor)
    assert set(items(pages)) <= {"ENG-7"}


def test_a_comment_is_seen_also_where_its_ticket_does_not_count_as_changed(
    server: LinearServer,
) -> None:
    server.open(1, "One")
    server.open(2, "Two", HOUR)
    _, cursor = sync(server)
    said = server.say("ENG-1", "First.", 2 * HOUR, silent=True)
    pages, cursor = sync(server, cursor)
    assert "First." in items(pages)["ENG-1"].text
    said |= {"body": "First, edited.", "updatedAt": "2025-10-09T20:00:00.000Z"}
    pages, cursor = sync(server, cursor)
    assert "First, edited." in items(pages)["ENG-1"].text
    pages, _ = sync(server, cursor)
    assert "ENG-1" not in items(pages)


def test_long_talk_and_long_histories_come_whole(server: LinearServer) -> None:
    server.open(1, "Much said")
    for number in range(250):
        server.say("ENG-1", f"Comment number{number}.", number)
        server.move("ENG-1", f"State {number}", number)
    (item,) = items(sync(server)[0]).values()
    assert item.text.count("Comment number") == 250
    assert len(item.changes) == 251


def test_a_sync_that_was_stopped_goes_on_in_the_middle(server: LinearServer) -> None:
    for number in range(1, 60):
        server.open(number, f"Ticket {number}", number)
    first = first_page(linear(server))
    assert first.cursor
    rest, _ = sync(server, first.cursor)
    assert len(items([first, *rest])) == 59
    assert not {item.key for item in first.items} & items(rest).keys()


def test_what_is_in_the_trash_or_has_another_key_now_is_gone(server: LinearServer) -> None:
    server.open(1, "One")
    server.open(2, "Two")
    _, cursor = sync(server)
    server.tickets["ENG-1"] |= {"trashed": True, "updatedAt": "2025-10-10T08:00:00.000Z"}
    server.tickets["ENG-2"] |= {
        "identifier": "ENG-9",
        "previousIdentifiers": ["OPS-2"],
        "updatedAt": "2025-10-10T08:00:00.000Z",
    }
    pages, _ = sync(server, cursor)
    assert {ref for page in pages for ref in page.gone} == {"linear:ENG-1", "linear:OPS-2"}
    assert set(items(pages)) == {"ENG-9"}


def test_teams_are_offered_and_private_ones_only_if_they_are_named(server: LinearServer) -> None:
    server.teams += [{"key": "SEC", "name": "Security", "private": True}]
    everyone = linear(server, "").discover()
    assert [(each.name, each.wanted) for each in everyone] == [
        ("ENG (Engineering)", True),
        ("SEC (Security)", False),
    ]
    assert "name it to read it" in everyone[1].why
    assert [each.wanted for each in linear(server, "SEC").discover()] == [False, True]
    with pytest.raises(SourceRefused, match="there is no team OPS") as refused:
        linear(server, "OPS").discover()
    assert "ENG, SEC" in refused.value.hint


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault(401, body=b'{"errors":[{"message":"no"}]}'), SourceRefused),
        (Fault(403), SourceRefused),
        (Fault(302, {"Location": "https://elsewhere.example/"}), SourceRefused),
        (Fault(500, body=b"<html>"), SourceAway),
        (Fault(then="cut"), SourceAway),
        (Fault(429, {"Retry-After": "90"}), SourceAway),
        (Fault(200, body=b"no JSON"), SourceBroken),
        (Fault(400, body=b'{"errors":[{"message":"Cannot query field x"}]}'), SourceBroken),
    ],
)
def test_each_failure_is_what_it_is(
    server: LinearServer, fault: Fault, error: type[Exception]
) -> None:
    server.open(1, "One")
    server.fail(*[fault] * 2)
    with pytest.raises(error) as raised:
        sync(server)
    if "Retry-After" in fault.headers:
        assert isinstance(raised.value, SourceAway)
        assert raised.value.after == 90
        assert len(server.requests) == 1


def test_the_time_when_there_is_room_again_is_waited_for(server: LinearServer) -> None:
    server.fail(*[limited(time.time() + 3_600)] * 2)
    with pytest.raises(SourceAway) as raised:
        sync(server)
    assert raised.value.after is not None and 3_000 < raised.value.after <= 3_600
    assert len(server.requests) == 1


def test_what_fails_once_on_the_way_is_asked_again(server: LinearServer) -> None:
    server.open(1, "One")
    server.fail(Fault(then="cut"))
    assert set(items(sync(server)[0])) == {"ENG-1"}


def test_unknown_and_missing_fields_do_no_harm(server: LinearServer) -> None:
    ticket = server.open(1, "One", creator=None, somethingNew={"a": [1]})
    del ticket["state"], ticket["labels"]
    server.say("ENG-1", "By nobody.", HOUR, None or {})
    (item,) = items(sync(server)[0]).values()
    assert (item.author, item.state) == ("", "")
    assert "By nobody." in item.text


HEADER = (
    '"ID","Team","Title","Description","Status","Creator","Assignee","Labels","Created","Updated",'
    '"Completed","Canceled","Parent issue"'
)
SPELT = "Wed May 13 2026 11:21:41 GMT+0200 (GMT+02:00)"
ROW = (
    f'"ENG-17","Engineering","Requests pile up","Since,\nthe ""deploy""","Done","kim@example.org",'
    f'"Sam Ito","bug, load","{SPELT}","{SPELT}","2026-05-14T10:00:00Z","","ENG-3"'
)
SECOND = f'"ENG-18","Engineering","\'=Umlauts: ä","","Todo","Kim","","","{SPELT}","","","",""'


def read(path: Path, cursor: str = "") -> tuple[list[Page], str]:
    pages = list(CsvExport(str(path)).fetch(cursor, lambda: False))
    return pages, pages[-1].cursor or ""


def test_an_export_is_read_by_the_names_of_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "issues.csv"
    path.write_text(f"{HEADER}\n{ROW}\n{SECOND}\n", encoding="utf-8")
    found = items(read(path)[0])
    item = found["ENG-17"]
    assert item.text.startswith('Since,\nthe "deploy"')
    assert (item.author, item.email, item.assignee) == ("kim", "kim@example.org", "Sam Ito")
    assert (item.time, item.state, item.closed) == (1_778_664_101, "Done", 1_778_752_800)
    assert item.links == (Link(LinkKind.ITEM, "linear:ENG-3"),)
    assert found["ENG-18"].title == "=Umlauts: ä"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_other_dialects_and_encodings_say_the_same(
    tmp_path: Path, encoding: str, delimiter: str
) -> None:
    path = tmp_path / "issues.csv"
    lines = [f'Created{delimiter}"Title"{delimiter}Extra{delimiter}ID']
    lines += [f'2026-05-13T09:21:41Z{delimiter}"Größe, ja; nein"{delimiter}x{delimiter}ENG-1']
    path.write_bytes("\r\n".join(lines).encode(encoding))
    pages, _ = read(path)
    assert items(pages)["ENG-1"].title == "Größe, ja; nein"
    notes = [note for page in pages for note in page.notes]
    assert bool(notes) == (encoding == "cp1252")


def test_a_newer_export_takes_away_what_it_does_not_have_any_more(tmp_path: Path) -> None:
    path = tmp_path / "issues.csv"
    path.write_text(f"{HEADER}\n{ROW}\n{SECOND}\n", encoding="utf-8")
    _, cursor = read(path)
    path.write_text(f"{HEADER}\n{ROW}\n", encoding="utf-8")
    pages, cursor = read(path, cursor)
    assert [page.gone for page in pages] == [("linear:ENG-18",)]
    assert [page.gone for page in read(path, cursor)[0]] == [()]


def test_an_export_that_was_left_in_the_middle_goes_on_there(tmp_path: Path) -> None:
    path = tmp_path / "issues.csv"
    rows = [f"ENG-{number},Ticket {number},2026-05-13T09:21:41Z" for number in range(1, 1_001)]
    path.write_text("ID,Title,Created\n" + "\n".join(rows), encoding="utf-8")
    first = first_page(CsvExport(str(path)))
    rest, cursor = read(path, first.cursor or "")
    assert len(first.items) + sum(len(page.items) for page in rest) == 1_000
    path.write_text("ID,Title,Created\n" + "\n".join(rows[1:]), encoding="utf-8")
    assert read(path, cursor)[0][-1].gone == ("linear:ENG-1",)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "no column Id"),
        (b"Key,Summary\nA-1,x\n", "no column Id"),
        (b'ID,Title,Created\nENG-1,"half', "in the middle of a field"),
        (b"PK\x03\x04\x00\x00", "no column Id"),
    ],
)
def test_what_is_no_export_is_said(tmp_path: Path, data: bytes, problem: str) -> None:
    path = tmp_path / "issues.csv"
    path.write_bytes(data)
    with pytest.raises(SourceBroken) as broken:
        read(path)
    assert problem in broken.value.message


def test_rows_that_say_too_little_are_left_out_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "issues.csv"
    path.write_text("ID,Title,Created\n,x,\nENG-1,One,2026-05-13\nENG-2,Two,never\n")
    pages, _ = read(path)
    assert list(items(pages)) == ["ENG-1"]
    assert pages[-1].notes == ("row 1 has no key or no date", "row 3 has no key or no date")
    path.unlink()
    with pytest.raises(SourceAway, match="can't be read"):
        read(path)


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("Wed May 13 2026 11:21:41 GMT+0000 (GMT+00:00)", 1_778_671_301),
        ("Wed May 13 2026 11:21:41 GMT+0200 (Central European Summer Time)", 1_778_664_101),
        ("2026-05-13T11:21:41.000Z", 1_778_671_301),
        ("2026-05-13", 1_778_630_400),
        ("", None),
        ("Wed Foo 13 2026 11:21:41 GMT+0000", None),
        ("Wed May 99 2026 11:21:41 GMT+0000", None),
    ],
)
def test_times_are_read_however_they_are_written(said: str, seconds: int | None) -> None:
    assert moment(said) == seconds


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({}, "what is to be read?"),
        ({"csv": "a.csv", "token": "env:A"}, "one of the two"),
        ({"csv": "a.csv"}, "starts from no folder"),
        ({"csv": "/nowhere/a.csv"}, "no file that is there"),
        ({"token": "env:A", "team": "E N G"}, "no team's key"),
        ({"token": "env:A", "url": "ftp://x"}, "no address"),
    ],
)
def test_what_can_not_be_set_up_is_refused(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(BadLinear, match=problem):
        options(given)


def test_options_are_what_is_kept(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x")
    assert options({"csv": "a.csv", "root": str(tmp_path)}) == {"csv": str(tmp_path / "a.csv")}
    assert options({"token": "env:A", "team": "eng", "root": "/"}) == {
        "token": "env:A",
        "team": "ENG",
    }
