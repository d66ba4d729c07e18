"""What holds for every test: no test touches a real home, a real git config or a real server."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest

PROXIES = ("http_proxy", "https_proxy", "all_proxy")


@pytest.fixture(scope="session", autouse=True)
def machine(tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """Keep the person's own home, git settings and proxies out of the whole run."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(("HERMES_AMBIENT_", "GIT_", "XDG_")) or name.lower() in PROXIES:
                patch.delenv(name)
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        patch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path_factory.getbasetemp()))
        patch.setenv("GIT_TERMINAL_PROMPT", "0")
        patch.setenv("SHELL", "/bin/sh")  # one for which there is no block to offer
        # Nothing of a test outlives the folder of its run, also where something forgets its home.
        patch.setenv("HERMES_AMBIENT_HOME", str(tmp_path_factory.mktemp("nobody")))
        # All homes share one copy of the compiled rules: making one takes four seconds.
        patch.setenv("KF_RULE_CACHE_DIR", str(tmp_path_factory.mktemp("rules")))
        yield


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Given a test, point hermes at a folder of the test's own and return that folder.

    Nothing is created: the first thing that writes makes it.
    """
    folder = tmp_path / "hermes-home"
    monkeypatch.setenv("HERMES_AMBIENT_HOME", str(folder))
    return folder
