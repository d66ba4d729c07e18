"""Which sources are read again by themselves."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from hermes.ingest.sources.due import GONE, file_of, stamp_of, why_not
from hermes.memory.sources import Fault, SourceRow

NOW = 1_000.0


def source(**changes: Any) -> SourceRow:
    fields: dict[str, Any] = {"name": "a", "kind": "slack", "options": {"token": "env:NO_TOKEN_X"}}
    return SourceRow(**fields | changes)


def failed(code: str) -> Fault:
    return Fault(code, "it failed", "do something")


@pytest.mark.parametrize(
    ("row", "stamp", "offered", "why"),
    [
        (source(), "", None, ""),
        (source(synced=990), "", None, ""),
        (source(paused=True), "", None, "paused"),
        (source(waits_until=1_001), "", None, "it asked for patience"),
        (source(waits_until=1_000), "", None, ""),
        (source(fault=failed("source_away")), "", None, ""),
        (source(fault=failed("source_broken")), "", None, ""),
        (source(fault=failed("source_refused")), "", None, "it waits for you"),
        (source(fault=failed("no_token")), "", None, "its token is not there"),
        (source(fault=failed("no_token")), "", "xoxb", ""),
        (source(stamp="1:2"), "1:3", None, ""),
        (source(stamp="1:2"), "1:2", None, "its file is as it was"),
        (source(stamp="1:2", fault=failed("source_broken")), "1:3", None, ""),
        (source(stamp="1:2"), GONE, None, "its file is not there any more"),
    ],
)
def test_a_source_is_read_unless_there_is_a_reason_not_to(
    row: SourceRow, stamp: str, offered: str | None, why: str
) -> None:
    assert why_not(row, stamp, offered, NOW) == why


def test_a_file_has_another_stamp_once_it_is_another(tmp_path: Path) -> None:
    path = tmp_path / "issues.csv"
    assert stamp_of({"csv": str(path)}) == GONE
    path.write_text("a")
    os.utime(path, ns=(1, 1))
    first = stamp_of({"csv": str(path)})
    assert stamp_of({"csv": str(path)}) == first
    os.utime(path, ns=(2, 2))
    assert stamp_of({"csv": str(path)}) != first
    assert stamp_of({"token": "env:A"}) == ""
    assert file_of({"export": "/a.zip", "channels": []}) == "/a.zip"
