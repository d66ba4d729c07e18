"""Which file systems are polled."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes.daemon.triggers.mounts import must_poll

TABLE = r"""22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:28 / /mnt/c rw,noatime - 9p C:\134 rw,dirsync
31 22 0:29 / /mnt/my\040share rw - cifs //host/share rw
32 22 0:30 / /home rw shared:5 - nfs4 host:/home rw
33 32 8:2 / /home/sam/fast rw - xfs /dev/sdb1 rw
34 22 8:3 / /twice rw - nfs host:/a rw
35 22 8:4 / /twice rw - ext4 /dev/sdc1 rw
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/work/shop", None),
        ("/mnt/c/shop", "9p"),
        ("/mnt/cc/shop", None),
        ("/mnt/my share/shop", "cifs"),
        ("/home/sam/shop", "nfs4"),
        ("/home/sam/fast/shop", None),
        ("/twice/shop", None),
    ],
)
def test_only_file_systems_without_events_are_polled(folder: str, kind: str | None) -> None:
    assert must_poll(Path(folder), TABLE) == kind


def test_this_machines_own_table_is_read(tmp_path: Path) -> None:
    assert must_poll(tmp_path) is None
