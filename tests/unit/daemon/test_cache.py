"""Where what can be made again is kept."""

from __future__ import annotations

import os

import platformdirs
import pytest

from hermes.daemon.paths import keep_cache, locate


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"HOME": "/home/sam"}, "/home/sam/.cache/hermes-ambient"),
        ({"HOME": "/home/sam", "XDG_CACHE_HOME": "/c"}, "/c/hermes-ambient"),
        ({"HOME": "/home/sam", "XDG_CACHE_HOME": "c"}, "/home/sam/.cache/hermes-ambient"),
        ({"CACHE_DIRECTORY": "/var/cache/hermes-ambient"}, "/var/cache/hermes-ambient"),
        ({"HERMES_AMBIENT_HOME": "/h", "XDG_CACHE_HOME": "/c"}, "/h/cache"),
    ],
    ids=["default", "XDG", "XDG, relative", "systemd", "a home of one's own"],
)
def test_the_cache_is_where_the_environment_says(environ: dict[str, str], folder: str) -> None:
    assert locate(environ).cache_folder == folder


def test_the_cache_is_the_one_of_platformdirs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HERMES_AMBIENT_HOME")
    assert locate().cache_folder == platformdirs.user_cache_dir("hermes-ambient")


def test_compiled_rules_are_kept_there_unless_another_place_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    paths = locate({"HERMES_AMBIENT_HOME": "/h"})
    monkeypatch.setenv("KF_RULE_CACHE_DIR", "/shared")
    keep_cache(paths)
    assert os.environ["KF_RULE_CACHE_DIR"] == "/shared"
    monkeypatch.delenv("KF_RULE_CACHE_DIR")
    keep_cache(paths)
    assert os.environ["KF_RULE_CACHE_DIR"] == "/h/cache"
