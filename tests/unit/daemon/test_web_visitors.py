"""Whose program is at the other end of a connection, by the tables of Linux."""

from __future__ import annotations

import sys

import pytest

from hermes.daemon.web_visitors import owner_of

pytestmark = pytest.mark.skipif(sys.byteorder != "little", reason="the lines are of such a machine")

HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode"
LISTENING = (
    "   1: 0100007F:4E20 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1"
)
OURS = (
    "   2: 0100007F:4E20 0100007F:A83C 01 00000000:00000000 00:00000000 00000000  1000        0 2 1"
)
THEIRS = (
    "   3: 0100007F:A83C 0100007F:4E20 {} 00000000:00000000 00:00000000 00000000  1001        0 3 2"
)
MAPPED = (
    "   0: 0000000000000000FFFF00000100007F:A83C 0000000000000000FFFF00000100007F:4E20 01 "
    "00000000:00000000 00:00000000 00000000  1002        0 4 1"
)


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ((HEAD, LISTENING, OURS, THEIRS.format("01")), (True, 1001)),
        ((HEAD, LISTENING, OURS, HEAD, MAPPED), (True, 1002)),
        # It has closed its end: the system no longer says whose it was.
        ((HEAD, LISTENING, OURS, THEIRS.format("05")), (True, None)),
        ((HEAD, LISTENING, THEIRS.format("06")), (True, None)),
        ((HEAD, LISTENING), (True, None)),
        # A table that does not even have us tells nothing.
        ((HEAD,), (False, None)),
        ((), (False, None)),
        (("nonsense", "1: 2 3"), (False, None)),
    ],
)
def test_the_other_end_s_user_is_found(
    lines: tuple[str, ...], found: tuple[bool, int | None]
) -> None:
    assert owner_of("\n".join(lines), 0xA83C, 0x4E20) == found


def test_another_port_is_another_connection() -> None:
    table = "\n".join((HEAD, LISTENING, THEIRS.format("01")))
    assert owner_of(table, 0xA83D, 0x4E20) == (True, None)
    assert owner_of(table, 0xA83C, 0x4E21) == (False, None)
