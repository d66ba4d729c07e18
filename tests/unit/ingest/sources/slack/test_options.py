from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hermes.ingest.sources.slack import options
from hermes.ingest.sources.slack.channels import (
    Channel,
    Visibility,
    channel_of,
    choice,
    offered,
    unique,
)
from hermes.memory.errors import HermesError

PUBLIC = Channel("C1", "eng-platform", Visibility.PUBLIC)
ELSEWHERE = Channel("C2", "random", Visibility.PUBLIC, joined=False)
PRIVATE = Channel("G1", "salaries", Visibility.PRIVATE)
DIRECT = Channel("D1", "Kim Noor", Visibility.DIRECT)
ALL = (PUBLIC, ELSEWHERE, PRIVATE, DIRECT)


def test_an_export_or_a_token_is_said_and_the_path_is_absolute(tmp_path: Path) -> None:
    (tmp_path / "export.zip").touch()
    named = {"export": "export.zip", "root": str(tmp_path), "channels": ["#payments", "payments "]}
    assert options(named) == {
        "export": str(tmp_path / "export.zip"),
        "channels": ["payments"],
        "direct": False,
    }
    assert options({"token": "env:SLACK_TOKEN", "channels": "a, b", "direct": True}) == {
        "token": "env:SLACK_TOKEN",
        "channels": ["a", "b"],
        "direct": True,
    }


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "what is to be read?"),
        ({"export": "/a.zip", "token": "env:X"}, "one of the two"),
        ({"export": "/nowhere/a.zip"}, "/nowhere/a.zip is not there"),
        ({"export": "a.zip"}, "starts from no folder"),
        ({"token": "env:X", "url": "slack.com"}, "slack.com is no address"),
        ({"token": "env:X", "url": "file:///etc/passwd"}, "is no address"),
        ({"token": "env:X", "channels": 7}, "channels are names"),
    ],
)
def test_what_can_not_be_a_source_is_refused_with_a_line(given: dict[str, Any], said: str) -> None:
    with pytest.raises(HermesError) as refused:
        options(given)
    assert refused.value.code == "usage"
    assert said in refused.value.message
    assert refused.value.hint


@pytest.mark.parametrize(
    ("names", "direct", "read"),
    [
        ([], False, ["eng-platform"]),
        (["#Eng-Platform"], False, ["eng-platform"]),
        (["random"], False, ["random"]),
        (["C2"], False, ["random"]),
        (["salaries"], False, ["salaries"]),
        ([], True, ["eng-platform", "Kim Noor"]),
        (["eng-platform"], True, ["eng-platform", "Kim Noor"]),
        (["D1"], False, ["Kim Noor"]),
    ],
)
def test_private_talk_is_read_only_where_it_is_named(
    names: list[str], direct: bool, read: list[str]
) -> None:
    wanted = choice(names, direct)
    assert [each.name for each in ALL if not wanted.refusal(each)] == read


def test_what_is_not_read_says_why_and_what_is_misspelled_is_told() -> None:
    told = {
        each.name: each.why for each in offered(ALL, choice(["eng-platform", "pyaments"], False))
    }
    assert told["#eng-platform"] == ""
    assert "--channels" in told["#salaries"]
    assert "--direct" in told["Kim Noor"]
    assert "no such channel" in told["#pyaments"]


def test_a_channel_that_two_lists_name_is_read_as_the_more_private_one() -> None:
    kept, notes = unique([PUBLIC, Channel("C1", "eng-platform", Visibility.PRIVATE, folder="x")])
    assert [each.visibility for each in kept] == [Visibility.PRIVATE]
    assert notes == ["#eng-platform is listed twice"]
    listed = channel_of({"id": "C1", "name": "x", "is_private": True}, Visibility.PUBLIC)
    assert listed is not None and listed.visibility is Visibility.PRIVATE
    assert channel_of({"name": "x"}, Visibility.PUBLIC) is None


def test_of_two_channels_with_one_folder_the_second_is_left_out() -> None:
    one = Channel("C1", "ops", Visibility.PUBLIC, folder="ops")
    two = Channel("C2", "ops", Visibility.PUBLIC, folder="ops")
    kept, notes = unique([one, two])
    assert kept == [one]
    assert notes == ["#ops (C2) has the folder of C1: it is left out"]
