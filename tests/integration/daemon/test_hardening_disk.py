"""A disk that takes nothing more while events come: seen at once, and over as soon as it is."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

import pytest

from hermes.surfaces.client import Refused
from hermes.tests.builders.daemon import Daemon, running, until
from hermes.tests.builders.shop import make_shop

EVENT = {"kind": "index_changed", "at": 1_790_000_000.0, "source": "api"}


def limit(daemon: Daemon, size: int) -> None:
    """Let no file of the daemon grow beyond ``size``: a write then fails as on a full disk."""
    assert sys.platform == "linux"
    hard = resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE)[1]
    resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, (size, hard))


def send(daemon: Daemon, key: str) -> int:
    number: int = daemon.call("POST", "/v1/events", {"event": EVENT, "key": key})["event"]
    return number


def test_a_full_disk_stops_intake_visibly_and_nothing_acknowledged_is_lost(
    home: Path, tmp_path: Path
) -> None:
    shop = make_shop(tmp_path / "shop")
    with running(home) as daemon:
        daemon.index(shop.path)
        daemon.settle()
        before = send(daemon, "before")
        limit(daemon, 4_096)
        with pytest.raises(Refused) as refusal:
            send(daemon, "refused")
        assert (refusal.value.status, refusal.value.code) == (507, "no_space")
        assert "Free some space" in refusal.value.hint
        # Every command says so; what is known is answered all the same.
        told = daemon.hermes("jobs")
        assert told.returncode == 0
        assert "events wait: no space left" in told.stderr
        assert "dispatcher is down: no space left" in daemon.hermes("status").stdout
        assert daemon.call("POST", "/v1/search", {"question": "retry queue"})["passages"]
        # A commit, a hook's word and a script's come meanwhile: all wait where they are.
        shop.commit({"wood.txt": "zebrawood\n"}, "Choose a wood")
        drop = home / "spool" / ".note.json"
        drop.write_text('{"kind": "noted", "title": "while the disk was full"}')
        drop.rename(home / "spool" / "note.json")
        until(lambda: bad_triggers(daemon), lambda bad: {"watch", "spool", "dispatcher"} <= bad)
        limit(daemon, resource.RLIM_INFINITY)
        until(lambda: bad_triggers(daemon), lambda bad: not bad)
        until(lambda: told_notes(daemon), lambda notes: notes == 1)
        until(
            lambda: daemon.call("POST", "/v1/search", {"question": "zebrawood"})["passages"], bool
        )
        status = daemon.settle()
        assert (status["trouble"], status["failed"]["count"]) == ([], 0)
        assert send(daemon, "before") == before
        assert send(daemon, "refused") > before
        assert told_notes(daemon) == 1
        assert "Traceback" not in daemon.log


def bad_triggers(daemon: Daemon) -> set[str]:
    triggers = daemon.call("GET", "/v1/status")["triggers"]
    return {each["name"] for each in triggers if each["state"] != "ok"}


def told_notes(daemon: Daemon) -> int:
    """Return how often the script's note was taken in."""
    found = daemon.call("GET", "/v1/journal?topic=event&limit=200")["entries"]
    return [(entry["what"], entry["text"]) for entry in found].count(("accepted", "noted"))
