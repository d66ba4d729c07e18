"""How ``hermes sources`` shows sources, what was added, and what a sync brought."""

from __future__ import annotations

from typing import Any

import pytest

from hermes.surfaces.cli.commands import Parser
from hermes.surfaces.cli.scope import WrongUse
from hermes.surfaces.cli.sources_add import body_of, declare
from hermes.surfaces.cli.sources_lines import added_lines, list_lines, synced
from hermes.surfaces.cli.text import width_of

from .conftest import MakeStream

NOW = 1_700_000_000.0


def source(**changes: Any) -> dict[str, Any]:
    return {
        "name": "slack",
        "state": "ok",
        "options": {"channels": ["payments", "eng-platform"]},
        "synced": NOW - 240,
        "waits_until": None,
        "items": 1_204,
        "error": None,
        "notes": [],
        "token": {"place": "env:SLACK_TOKEN", "there": True, "handed_over": False},
        "file": None,
        "contacts": [{"host": "slack.com", "why": "messages"}],
        "job": None,
    } | changes


def report(**changes: Any) -> dict[str, Any]:
    return {
        "read": 1_204,
        "unit": "messages",
        "news": 0,
        "gone": 0,
        "older": 0,
        "redacted": 0,
    } | changes


def test_a_source_is_a_line(make_stream: MakeStream) -> None:
    stream = make_stream()
    assert list_lines([source()], NOW, stream) == [
        "slack  ok  read 4 min ago  1,204 items  slack.com  #payments, #eng-platform"
    ]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"error": {"code": "source_refused", "error": "no", "hint": "name another"}},
            "- slack: no. name another",
        ),
        (
            {"token": {"place": "env:SLACK_TOKEN", "there": False, "handed_over": False}},
            (
                "- slack: SLACK_TOKEN is not set in the daemon's environment; `hermes sources sync"
                " slack` from a shell that has it hands it over until the daemon restarts"
            ),
        ),
        ({"waits_until": NOW + 600}, "- slack: it asked not to be read before in 10 min"),
        (
            {"file": {"path": "/tmp/export.zip", "there": False}},
            "- slack: /tmp/export.zip is not there any more; memory keeps what it brought",
        ),
        ({"notes": ["2 \x1b[31mbots"]}, "- slack: 2 \N{REPLACEMENT CHARACTER}[31mbots"),
    ],
)
def test_what_is_not_as_it_should_be_is_said_below(
    make_stream: MakeStream, changes: dict[str, Any], said: str
) -> None:
    stream = make_stream()
    assert list_lines([source(**changes)], NOW, stream)[1:] == [said]


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({"job": {"state": "running", "done": 450, "total": 1_000}}, "reading 45 %"),
        ({"job": {"state": "running", "done": 450, "total": 0}}, "reading"),
        ({"job": {"state": "queued", "done": 0, "total": 0}}, "waits"),
        ({"job": {"state": "ok", "done": 0, "total": 0}, "state": "failed"}, "failed"),
    ],
)
def test_a_source_that_is_being_read_says_how_far_it_is(
    make_stream: MakeStream, changes: dict[str, Any], state: str
) -> None:
    stream = make_stream()
    assert f"slack  {state}  read" in list_lines([source(**changes)], NOW, stream)[0]


@pytest.mark.parametrize("width", [20, 40, 60, 100])
def test_no_line_is_wider_than_the_terminal(make_stream: MakeStream, width: int) -> None:
    stream = make_stream(width)
    troubled = source(
        notes=["a file was left out since it is not text " * 3],
        token={"place": "env:SLACK_TOKEN", "there": False, "handed_over": False},
    )
    for line in list_lines([source(), troubled], NOW, stream):
        assert width_of(line) <= width


def test_what_was_added_says_what_is_read_and_what_is_not(make_stream: MakeStream) -> None:
    stream = make_stream()
    offered = [{"name": f"#c{number}", "wanted": True, "why": ""} for number in range(12)]
    offered += [{"name": "#secret", "wanted": False, "why": "a private channel: name it"}]
    added = {
        "source": "slack",
        "created": True,
        "contacts": [{"host": "slack.com", "why": "messages"}],
        "offered": offered,
        "wanted": 12,
        "in_all": 13,
    }
    assert added_lines(added, stream) == [
        "slack",
        "  contacts slack.com: messages",
        "  reads #c0, #c1, #c2, #c3, #c4, #c5, #c6, #c7, #c8, #c9 and 2 more",
        "  leaves out #secret: a private channel: name it",
    ]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "slack: looked at 1,204 messages: all is current"),
        ({"read": 0, "unit": ""}, "slack: all is current"),
        ({"news": 1, "read": 2, "unit": "files"}, "slack: looked at 2 files: 1 new"),
        ({"news": 3, "read": 1}, "slack: looked at 1 message: 3 new discussions"),
        (
            {"news": 3, "gone": 1, "older": 2, "redacted": 1},
            (
                "slack: looked at 1,204 messages: 3 new discussions, 1 gone, 2 known better from another source"
                " and 1 secret taken out"
            ),
        ),
    ],
)
def test_a_sync_says_what_it_brought(changes: dict[str, Any], said: str) -> None:
    assert synced("slack", report(**changes)) == said
    assert synced("slack", {}) == "slack: nothing was read"


def said(*words: str) -> dict[str, Any]:
    """What the API is sent for some words."""
    parser = Parser(prog="hermes sources add")
    declare(parser)
    return body_of(parser.parse_args(words))


def test_a_token_goes_along_only_if_the_shell_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLACK_TOKEN", raising=False)
    words = ("slack", "--token-env", "SLACK_TOKEN", "--channels", "payments, eng")
    body = said(*words)
    assert body["options"]["token"] == "env:SLACK_TOKEN"
    assert body["options"]["channels"] == ["payments", "eng"]
    assert "token" not in body
    monkeypatch.setenv("SLACK_TOKEN", " xoxb \n")
    assert said(*words)["token"] == "xoxb"
    keyring = said("linear", "--token-keyring", "SLACK_TOKEN")
    assert (keyring["options"]["token"], "token" in keyring) == ("keyring:SLACK_TOKEN", False)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["docs"], "which documents"),
        (["docs", "a", "--export", "x"], "docs takes no --export"),
        (["linear", "--export", "x"], "linear takes no --export"),
        (["slack", "--csv", "x"], "slack takes no --csv"),
        (["slack", "--channels", "a"], "where is slack to be read from"),
        (["github", "x", "--token-env", "A"], "github takes no x"),
    ],
)
def test_options_of_another_kind_are_refused(words: list[str], problem: str) -> None:
    with pytest.raises(WrongUse, match=problem):
        said(*words)
