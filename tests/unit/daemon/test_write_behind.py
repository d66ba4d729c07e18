"""Writes that nobody waits for keep their order and are all done in the end."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path

import pytest

from hermes.daemon.write_behind import WriteBehind
from hermes.memory.errors import NoSpace


def test_writes_keep_their_order_however_long_one_takes() -> None:
    written: list[int] = []
    go = threading.Event()

    def first() -> None:
        go.wait(20)
        written.append(0)

    behind = WriteBehind()
    behind.put(first)
    for number in range(1, 50):
        behind.put(partial(written.append, number))
    assert written == []
    go.set()
    behind.close()
    assert written == list(range(50))


def test_what_cannot_be_written_is_said_and_keeps_nothing_else_from_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    written: list[str] = []

    def full() -> None:
        raise NoSpace(tmp_path)

    def broken() -> None:
        raise ValueError("a fault of ours")

    behind = WriteBehind()
    for write in (full, broken, lambda: written.append("next")):
        behind.put(write)
    behind.close()
    assert written == ["next"]
    assert "not written down: no space left" in caplog.text
    assert "a fault of ours" in caplog.text
