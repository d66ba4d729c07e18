"""What would go, what is kept out and what the proof says, as printed."""

from __future__ import annotations

import io
from typing import Any

import pytest

from hermes.surfaces.cli.forget_lines import look_lines, proof_lines, rule_lines
from hermes.surfaces.cli.output import Stream

COUNTS = ("commits", "mentions", "items", "altered", "chunks", "cleaned", "paths", "facts", "marks")
AROUND = ("themes", "work", "events", "drafts", "log")
PROOF: dict[str, Any] = {
    "files": 12,
    "bytes": 3_400_000,
    "rows": 1_234,
    "left": [],
    "unsearched": [],
}


@pytest.fixture
def stream() -> Stream:
    """Where lines go that nobody looks at."""
    return Stream(io.StringIO())


def look(**counts: int) -> dict[str, Any]:
    """Return a look that found so much."""
    return {
        "counts": dict.fromkeys((*COUNTS, "log"), 0) | counts,
        "around": dict.fromkeys(AROUND, 0),
        "who": [],
        "paths": [],
    }


def test_only_what_would_go_is_listed(stream: Stream) -> None:
    lines = look_lines(look(commits=2, chunks=7, cleaned=1), stream)
    assert [" ".join(line.split()) for line in lines] == [
        "would go",
        "commits 2 author, text and files; their ids stay",
        "pieces of text 7 gone or made again, 1 lose a word",
    ]


def test_one_of_a_thing_is_told_as_one(stream: Stream) -> None:
    found = look(mentions=1, log=1)
    found["around"]["themes"] = 1
    assert [" ".join(line.split()) for line in look_lines(found, stream)[1:]] == [
        "others' commits 1 loses a name, a path or a file",
        "raw log 1 entry",
        "themes 1 page, and all its history",
    ]


@pytest.mark.parametrize(
    ("kind", "what", "shown"),
    [
        ("ref", f"71e7091732e2127d:{'c920c57c16' * 4}", "c920c57c16"),
        ("ref", "71e7091732e2127d:slack:ops:1", "slack:ops:1"),
        ("ref", ":linear:ENG-17", "linear:ENG-17"),
        ("chunk", "bc159c05" * 4, "bc159c05"),
    ],
)
def test_what_was_deleted_by_hand_is_named_as_it_is_elsewhere(
    kind: str, what: str, shown: str, stream: Stream
) -> None:
    rule = {"id": 1, "kind": kind, "at": 0, "what": what, "done": True, "lifting": False}
    (line,) = rule_lines([rule | {"commits": 1, "items": 0}], 60, stream)
    assert shown in line.split()
    assert line.endswith("1 commit")


def test_identities_are_shown_with_what_is_theirs_and_harmless(stream: Stream) -> None:
    who = [{"name": "Jo \x1b[31mRoe", "email": "jo@x.org", "commits": 1, "items": 0}]
    who += [{"name": f"jo{n}", "email": "", "commits": 0, "items": 0} for n in range(20)]
    lines = look_lines(look(commits=1) | {"who": who}, stream)
    assert "\x1b" not in "".join(lines)
    assert "1 commit" in lines[1]
    assert "by .mailmap" in lines[2]
    assert "  and 9 more" in lines


def test_a_proof_names_what_is_left_and_why(stream: Stream) -> None:
    assert proof_lines(PROOF, stream) == [
        "searched 12 files (3 MB) and 1,234 rows: nothing is left"
    ]
    left = [
        {"place": "/h/config.toml", "what": "its text", "why": "your settings say so"},
        {"place": "/h/odd", "what": "its name", "why": ""},
    ]
    packed = [{"place": "/h/x.zst", "why": "it is packed with zstd"}]
    assert proof_lines(PROOF | {"left": left, "unsearched": packed}, stream) == [
        "searched 12 files (3 MB) and 1,234 rows: left in 2 places",
        "  /h/config.toml, its text: your settings say so",
        "  /h/odd, its name",
        "could not look into 1 file",
        "  /h/x.zst: it is packed with zstd",
    ]
    assert proof_lines({}, stream) == ["forgotten"]


def test_rules_tell_what_they_keep_out_but_not_who(stream: Stream) -> None:
    base = {"at": 0, "done": True, "lifting": False, "commits": 0, "items": 0}
    rules = [
        base | {"id": 1, "kind": "person", "what": "", "commits": 41, "items": 1},
        base | {"id": 2, "kind": "path", "what": ""},
        base | {"id": 3, "kind": "path", "what": "docs/**", "done": False},
        base | {"id": 4, "kind": "before", "what": "1700000000", "done": False, "lifting": True},
        base | {"id": 5, "kind": "source", "what": "slack", "items": 3},
    ]
    lines = [" ".join(line.split()) for line in rule_lines(rules, 10.0, stream)]
    assert [line.partition(" ago ")[2] for line in lines] == [
        "a person 41 commits, 1 in discussions and tickets",
        "a path (kept as a hash) nothing since",
        "a path docs/** being carried out",
        "what is older than 2023-11-14 being let in again",
        "what came from slack 3 in discussions and tickets",
    ]
