"""The zone of this machine's wall clock, read anew each time: a laptop travels."""

from __future__ import annotations

import os
import sys
from datetime import datetime, timedelta, timezone, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

LOCALTIME = Path("/etc/localtime")
FOLDER = "zoneinfo/"
"""Behind it stands the zone's name, on Linux as on macOS."""


def local_zone(localtime: Path = LOCALTIME) -> tzinfo:
    """Return the machine's zone; its offset of today where the zone has no name we know."""
    told = os.environ.get("TZ", "").removeprefix(":")
    if told:
        return named(told.partition(FOLDER)[2] or told) or fixed()
    if sys.platform == "win32":
        return _of_windows() or fixed()
    target = os.path.realpath(localtime)
    if FOLDER in target and (zone := named(target.rpartition(FOLDER)[2])):
        return zone
    try:
        with localtime.open("rb") as file:
            return ZoneInfo.from_file(file, key="local")
    except (OSError, ValueError):
        return fixed()


def named(name: str) -> ZoneInfo | None:
    """Given a zone's name, return it if there is such a zone."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # a folder's name, an absolute path
        return None


def fixed() -> tzinfo:
    """Return the offset that the process's own clock has now."""
    return timezone(datetime.now().astimezone().utcoffset() or timedelta())


def _of_windows() -> tzinfo | None:
    from tzlocal import get_localzone_name  # comes with APScheduler

    try:
        name = get_localzone_name()
    except ZoneInfoNotFoundError:
        return None
    return named(name) if name else None
