"""The daemon's log."""

from __future__ import annotations

import logging
from collections.abc import Generator
from pathlib import Path

import pytest

from hermes.daemon import logs


@pytest.fixture(autouse=True)
def root_logger() -> Generator[None]:
    """Put the root logger back as it was."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    for handler in set(root.handlers) - set(handlers):
        handler.close()
        root.removeHandler(handler)
    root.setLevel(level)
    logging.captureWarnings(False)


def test_only_its_owner_can_read_the_log_also_after_it_was_turned_over(tmp_path: Path) -> None:
    path = tmp_path / "log" / "daemon.log"
    logs.write_to(path, level="info", max_bytes=10_000)
    for number in range(300):
        logging.getLogger("hermes").info("something happened, for the %dth time", number)
    files = sorted(path.parent.iterdir())
    assert [file.name for file in files] == ["daemon.log", "daemon.log.1"]
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert all(file.stat().st_size <= 10_000 for file in files)


def test_a_message_can_forge_no_line_and_drive_no_terminal(tmp_path: Path) -> None:
    path = tmp_path / "daemon.log"
    logs.write_to(path, level="info", max_bytes=10_000)
    logging.getLogger("hermes").info("repo %s", "shop\n2026-01-01 INFO forged\x1b[31m")
    (line,) = path.read_text().splitlines()
    assert line.endswith("repo shop\\n2026-01-01 INFO forged\\x1b[31m")


def test_a_traceback_keeps_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "daemon.log"
    logs.write_to(path, level="info", max_bytes=10_000)
    try:
        raise OSError("gone")
    except OSError:
        logging.getLogger("hermes").exception("it failed")
    lines = path.read_text().splitlines()
    assert lines[0].endswith("it failed")
    assert lines[1].startswith("Traceback")
    assert lines[-1] == "OSError: gone"


def test_requests_and_debugging_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "daemon.log"
    logs.write_to(path, level="info", max_bytes=10_000)
    logging.getLogger("httpx").info("HTTP Request: POST http://127.0.0.1:11434/api/chat")
    logging.getLogger("hermes").debug("details")
    logging.getLogger("hermes").warning("worth knowing")
    assert [line.partition("hermes: ")[2] for line in path.read_text().splitlines()] == [
        "worth knowing"
    ]
