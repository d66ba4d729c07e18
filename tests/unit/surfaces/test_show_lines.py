"""How one thing is shown on a terminal."""

from __future__ import annotations

from typing import Any

import pytest

from hermes.surfaces.cli.show_lines import candidate_lines, shown_lines
from hermes.surfaces.cli.text import width_of
from hermes.tests.unit.surfaces.conftest import MakeStream


def thing(**changes: Any) -> dict[str, Any]:
    return {
        "sort": "pull request",
        "repo": "shop",
        "repo_id": "r",
        "ref": "github:acme/shop#482",
        "name": "#482",
        "title": "Count in Redis",
        "time": 86_400,
        "known": True,
        "line": 0,
        **changes,
    }


def found(**changes: Any) -> dict[str, Any]:
    near = thing(sort="commit", name="3f2a9c1e0d", ref="3f2a9c1e0d" * 4, how="merged as")
    told = thing(
        facts=[{"name": "state", "value": "merged"}],
        text="It evicts.\nSo Redis.",
        left=0,
        near=[near],
        timeline=[
            {"at": 86_400, "what": "begun by Sam", "name": ""},
            {"at": 172_800, "what": "commit: Count in Redis", "name": "3f2a9c1e0d"},
        ],
    )
    return told | changes


def test_all_that_is_told_of_a_thing_is_shown_in_order(make_stream: MakeStream) -> None:
    assert shown_lines(found(), make_stream()) == [
        "pull request #482 in shop",
        "Count in Redis",
        "  state  merged",
        "",
        "  It evicts.",
        "  So Redis.",
        "",
        "commits",
        "  1970-01-02  3f2a9c1e0d  Count in Redis  merged as",
        "",
        "timeline",
        "  1970-01-02  begun by Sam",
        "  1970-01-03  3f2a9c1e0d  commit: Count in Redis",
    ]


@pytest.mark.parametrize("width", [20, 40, 80])
def test_nothing_is_wider_than_the_terminal(make_stream: MakeStream, width: int) -> None:
    title = "Count requests in Redis instead of Memcached, because counters were evicted"
    wide = found(text=title * 3)
    wide["near"] = [each | {"title": title} for each in wide["near"]]
    stream = make_stream(width)
    assert all(width_of(line) <= width for line in shown_lines(wide, stream))


def test_what_would_steer_a_terminal_is_taken_out(make_stream: MakeStream) -> None:
    evil = "\x1b]0;x\x07\x1b[31m"
    told = found(title=evil, name=evil, text=evil, facts=[{"name": "by", "value": evil}])
    told["near"] = [each | {"title": evil, "how": evil} for each in told["near"]]
    told["timeline"] = [each | {"what": evil} for each in told["timeline"]]
    lines = shown_lines(told, make_stream()) + candidate_lines([told], make_stream())
    assert not any("\x1b" in line or "\x07" in line for line in lines)


def test_what_only_others_name_says_so(make_stream: MakeStream) -> None:
    lines = shown_lines(found(known=False, sort="ticket", name="OPS-4"), make_stream())
    assert lines[:2] == ["ticket OPS-4 in shop", "(memory does not hold it; others name it)"]


def test_a_long_text_says_how_much_is_left(make_stream: MakeStream) -> None:
    assert "  … 1,200 more characters" in shown_lines(found(left=1200), make_stream())


def test_a_council_is_not_called_one_twice(make_stream: MakeStream) -> None:
    lines = shown_lines(found(sort="council", name="council 3", repo=""), make_stream())
    assert lines[0] == "council 3"
