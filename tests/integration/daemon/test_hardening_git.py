"""Git that hangs, in more repositories than anybody has threads for: the daemon answers."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest

from hermes.tests.builders.daemon import LIGHT, lives, running, until
from hermes.tests.builders.git import RepoBuilder

REPOS = 8


def test_a_git_that_hangs_keeps_nobody_waiting_and_ends_with_the_daemon(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = shutil.which("git")
    assert real is not None
    hang, hanging = tmp_path / "hang", tmp_path / "hanging"
    hanging.mkdir()
    fake = tmp_path / "bin" / "git"
    fake.parent.mkdir()
    # Each that hangs leaves its process id.
    script = f'#!/bin/sh\nif [ -e {hang} ]; then : > {hanging}/$$; exec sleep 1000; fi\nexec {real} "$@"\n'
    fake.write_text(script)
    fake.chmod(0o755)
    path = f"{fake.parent}:{os.environ['PATH']}"
    repos = [RepoBuilder(tmp_path / f"repo{number}") for number in range(REPOS)]
    with running(home, {**LIGHT, "PATH": path}) as daemon:
        for repo in repos:
            repo.commit({"wood.txt": f"zebrawood of {repo.path.name}\n"}, "Choose a wood")
            daemon.call("POST", "/v1/repos", {"path": str(repo.path)})
        daemon.index(repos[0].path)
        daemon.settle()
        hang.touch()
        for repo in repos:
            repo.commit({"more.txt": "more\n"}, "More")
        until(lambda: len(list(hanging.iterdir())), lambda count: count >= REPOS)
        with daemon.connect() as client:
            event = {"kind": "index_changed", "at": 1.0, "source": "api"}
            assert client.call("POST", "/v1/events", {"event": event}, timeout=5)["event"]
            assert client.call("GET", "/v1/status", timeout=5)["trouble"] == []
            asked = {"question": "zebrawood", "cwd": str(repos[0].path)}
            assert client.call("POST", "/v1/search", asked, timeout=5)["passages"]
        left = [int(each.name) for each in hanging.iterdir()]
        daemon.process.send_signal(signal.SIGTERM)
        assert daemon.wait() == 0
        assert [pid for pid in left if lives(pid)] == []
