"""How one piece of memory is named and shown."""

from __future__ import annotations

from typing import Any

import pytest

from hermes.surfaces.cli.memory_lines import named, shown_lines
from hermes.tests.unit.surfaces.conftest import MakeStream


def found(**changes: Any) -> dict[str, Any]:
    chunk: dict[str, Any] = {
        "id": "ab" * 16,
        "path": "",
        "part": 0,
        "source": "git",
        "title": "Retry",
        "author": "Sam",
        "email": "",
        "time": 0,
        "text": "Retry",
        "edited": None,
    }
    chunk |= changes.pop("chunk", {})
    return {
        "kind": "chunk",
        "repo": {"id": "r", "name": "shop"},
        "ref": "3f2a9c1e0d" * 4,
        "chunk": chunk,
        "parts": [],
        "commit": None,
        "item": None,
        "mark": None,
        "twins": [],
        "facts": [],
        "vectors": [],
        "cited": [],
        **changes,
    }


TICKET = {
    "kind": "ticket",
    "key": "ENG-17",
    "ref": "linear:ENG-17",
    "state": "Done",
    "url": "",
    "assignee": "Kim",
    "changed": 0,
    "closed": 86_400,
}


@pytest.mark.parametrize(
    ("what", "name"),
    [
        (found(), "the message of commit 3f2a9c1e0d in shop"),
        (found(kind="commit"), "commit 3f2a9c1e0d in shop"),
        (found(chunk={"path": "a/b.py"}), "a/b.py of commit 3f2a9c1e0d in shop"),
        (found(chunk={"part": 1}), "part 2 of commit 3f2a9c1e0d in shop"),
        (found(item=TICKET, kind="item", repo=None), "the ticket ENG-17"),
        (found(item=TICKET, repo=None), "part 1 of the ticket ENG-17"),
        (found(chunk={"path": "a\x1b[2J.py"}), "a�[2J.py of commit 3f2a9c1e0d in shop"),
    ],
)
def test_a_piece_is_named_by_what_it_is_of(what: dict[str, Any], name: str) -> None:
    assert named(what) == name


def test_what_is_known_of_a_piece_is_told_beside_its_text(make_stream: MakeStream) -> None:
    mark = {
        "why": "taken back",
        "folded_into": "",
        "ended": 86_400,
        "ended_by": "c0ffee",
        "weight": 1,
    }
    fact = {"relation": "assignee", "value": "Kim", "since": 0, "until": 86_400}
    told = found(item=TICKET, mark=mark, facts=[fact], chunk={"edited": 1_800_000_000})
    text = "\n".join(shown_lines(told, make_stream()))
    for said in (
        "taken back; holds no more since 1970-01-02 by c0ffee",
        "Kim, from 1970-01-01 to 1970-01-02",
        "by hand on 2027-01-15",
        "none yet",
    ):
        assert said in text


def test_no_line_is_wider_than_a_narrow_terminal(make_stream: MakeStream) -> None:
    parts = [{"id": "cd" * 16, "path": "src/" + "deep/" * 20 + "x.py", "part": 0, "edited": None}]
    lines = shown_lines(found(parts=parts, chunk={"text": "word " * 50}), make_stream(40))
    assert max(map(len, lines)) <= 40
