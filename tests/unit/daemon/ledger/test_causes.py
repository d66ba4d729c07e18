"""Which failures are the same one."""

from __future__ import annotations

import pytest

from hermes.daemon.ledger.causes import normalise


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("worker 4711 died after 3.2 s", "worker 93 died after 250 ms"),
        ("commit 9695decf10 is not readable", "commit 3ed8253aa0bc is not readable"),
        ("no object at 0x7fb98fc185d0", "no object at 0x7fb98fbe2090"),
        ("can't read /tmp/pytest-of-ada/pytest-3/x.db", "can't read /tmp/tmpa8_k2z/y.db"),
        ("since 2026-06-01T12:00:03Z", "since 2026-07-12 08:15:00"),
        ("job 6f1e1b5e-7a5c-4a53-9a53-0c9f3f7f6d11", "job 00000000-0000-4000-8000-000000000000"),
        ("needs 3.5 GiB, has 900 MiB", "needs 4 GiB, has 1.1 GiB"),
        ("Line 3 of\n  the file", "line 99 of the file"),
        ("Timed  out\nafter 3.5 s", "timed out after 12.0 s"),
    ],
)
def test_what_differs_from_time_to_time_does_not_count(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("no space left", "the folder is read-only"),
        ("/home/ada/shop is gone", "/home/ada/till is gone"),
        ("hermes3:8b is not there", "nomic-embed-text is not there"),
        ("deadbeef is a word", "facade is a word"),
        ("no such file a.py", "no such file b.py"),
    ],
)
def test_what_is_something_else_stays_so(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)


def test_a_huge_message_is_cut() -> None:
    assert len(normalise("word " * 100_000)) <= 300
