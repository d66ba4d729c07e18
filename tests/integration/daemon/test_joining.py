"""A person who asks for a reading while one runs by itself: they get theirs, and its report."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path
from typing import Any

from hermes.tests.builders.daemon import LIGHT, running, until
from hermes.tests.builders.shop import make_shop


def test_whoever_joins_a_reading_that_finds_nothing_to_do_gets_a_report(tmp_path: Path) -> None:
    shop = make_shop(tmp_path / "shop")
    gate, waits = tmp_path / "gate", tmp_path / "waits"
    real = shutil.which("git")
    fake = tmp_path / "bin" / "git"
    fake.parent.mkdir()
    fake.write_text(
        f"#!/bin/sh\nif [ -e {gate} ]; then : > {waits}\n"
        f'while [ -e {gate} ]; do sleep 0.02; done; fi\nexec {real} "$@"\n'
    )
    fake.chmod(0o755)
    settings = {
        **LIGHT,
        "HERMES_AMBIENT_WATCH__ENABLED": "false",
        "PATH": f"{fake.parent}:{os.environ['PATH']}",
    }
    with running(tmp_path / "home", settings) as daemon:
        repo, _ = daemon.index(shop.path)
        daemon.settle()
        gate.touch()
        event = {"kind": "refs_moved", "at": 1.0, "source": "api", "repo": repo["id"]}
        daemon.call("POST", "/v1/events", {"event": event})
        until(waits.exists, bool)
        asked: list[dict[str, Any]] = []

        def ask() -> None:
            with daemon.connect() as client:
                asked.extend(client.stream("POST", f"/v1/repos/{repo['id']}/index"))

        person = threading.Thread(target=ask)
        person.start()
        gate.unlink()
        person.join(30)
    assert asked[-1]["type"] == "done"
    assert asked[-1]["report"]["new_commits"] == 0
    assert asked[-1]["report"]["notes"] == []
