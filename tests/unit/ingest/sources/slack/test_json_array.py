from __future__ import annotations

import io
import json
from typing import Any

import pytest

from hermes.ingest.sources.slack.json_array import LONGEST, PIECE, Damaged, objects


def read(data: bytes) -> tuple[list[Any], str]:
    """What there is, and why it ended before its end."""
    found: list[Any] = []
    try:
        found.extend(objects(io.BytesIO(data)))
    except Damaged as damage:
        return found, str(damage)
    return found, ""


ROWS = [{"n": number, "text": "größer 😀 " * 40} for number in range(2_000)]


@pytest.mark.parametrize(
    "data",
    [
        json.dumps(ROWS).encode(),
        json.dumps(ROWS, ensure_ascii=False, indent=4).encode(),
        json.dumps(ROWS, ensure_ascii=False).encode("utf-8-sig"),
        json.dumps(ROWS, ensure_ascii=False).encode("utf-16"),
    ],
)
def test_all_objects_come_however_the_file_is_written(data: bytes) -> None:
    assert read(data) == (ROWS, "")


@pytest.mark.parametrize(
    ("data", "found", "why"),
    [
        (b"", 0, "it breaks off"),
        (b"[]", 0, ""),
        (b'[{"a": 1}, {"a": 2}', 2, "it breaks off"),
        (b'[{"a": 1}, {"a": ', 1, "it breaks off or is damaged"),
        (b'[{"a": 1}, {"a" 2}, {"a": 3}]', 1, "it breaks off or is damaged"),
        (b'{"messages": []}', 0, "it is no list"),
        (b"<html>", 0, "it is no list"),
        (b'[1, null, "x", [], {"a": 1}]', 1, ""),
        (b"[" + b'{"a":' * 100_000, 0, "it is nested too deep"),
    ],
)
def test_what_comes_before_the_damage_is_kept(data: bytes, found: int, why: str) -> None:
    rows, told = read(data)
    assert (len(rows), told) == (found, why)


def test_bytes_that_are_no_utf_8_cost_only_themselves() -> None:
    assert read('[{"a": "größer"}]'.encode("latin-1")) == ([{"a": "gr\ufffd\ufffder"}], "")


def test_an_object_without_end_is_given_up_before_it_fills_memory() -> None:
    class Endless(io.BytesIO):
        given = 0

        def read(self, size: int | None = -1, /) -> bytes:
            assert size is not None
            self.given += size
            return b'[{"a": "' if self.given == PIECE else b"x" * size

    file = Endless()
    with pytest.raises(Damaged):
        list(objects(file))
    assert file.given < 4 * LONGEST
