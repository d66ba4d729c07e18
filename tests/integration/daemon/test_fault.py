"""A fault of our own: what the caller hears of it, and what the log keeps."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes.surfaces.client import Refused
from hermes.tests.builders.daemon import Daemon, running, until

FAULT = """
import sys

if "hermes.daemon" in sys.orig_argv:
    from hermes.daemon import scope

    def to_filters(*arguments):
        raise ZeroDivisionError("what nobody thought of")

    scope.to_filters = to_filters
"""


@pytest.fixture
def log(home: Path) -> Path:
    return home / "log" / "daemon.log"


def test_a_fault_is_one_line_to_the_caller_and_a_traceback_in_the_log(
    home: Path, log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(FAULT)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    with running(home) as daemon:
        with pytest.raises(Refused) as refusal:
            daemon.call("POST", "/v1/search", {"question": "why"})
        assert refusal.value.status == 500
        assert_told(refusal.value, log)
        assert_logged(daemon, 1)
        # A stream has begun with status 200 by then.
        with pytest.raises(Refused) as refusal:
            daemon.stream("POST", "/v1/ask", {"question": "why"})
        assert_told(refusal.value, log)
        assert_logged(daemon, 2)
        # It goes on as if nothing had been.
        assert daemon.call("GET", "/v1/hello")["pid"] == daemon.pid
        assert daemon.call("GET", "/v1/status")["notes"] == []


def assert_told(said: Refused, log: Path) -> None:
    assert said.message == "the daemon ran into a fault of its own"
    assert said.hint == f"the details are in {log}"
    assert said.code == "internal"


def assert_logged(daemon: Daemon, faults: int) -> None:
    # The caller is told first.
    until(lambda: daemon.log.count("\nZeroDivisionError: what nobody"), lambda n: n == faults)
    assert daemon.log.count("Traceback (most recent call last):") == faults
    assert daemon.log.count("in to_filters") == faults
    assert " ERROR " in daemon.log
