"""What holds for every test: no test touches a real home, a real git config or a real server."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Given a test, point hermes at an empty folder of its own and return that folder.

    Nothing is created: the first thing that writes makes it.
    """
    for name in list(os.environ):
        if name.startswith("HERMES_AMBIENT_"):
            monkeypatch.delenv(name)
    folder = tmp_path / "hermes-home"
    monkeypatch.setenv("HERMES_AMBIENT_HOME", str(folder))
    return folder


@pytest.fixture(autouse=True)
def plain_git(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep git away from the machine's settings and from any repository the tests run in."""
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path_factory.getbasetemp()))
    monkeypatch.setenv("GIT_TERMINAL_PROMPT", "0")


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep loopback requests from a proxy that the machine may be set to use."""
    for name in (
        "http_proxy",
        "https_proxy",
        "all_proxy",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
    ):
        monkeypatch.delenv(name, raising=False)
