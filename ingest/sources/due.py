"""Whether a source is to be read again by itself."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ...memory.sources import SourceRow
from .contract import SourceRefused
from .secrets import NoToken, is_there

FILES = ("export", "csv")
"""Options that name the one file that a source is read from."""
GONE = "gone"
FOR_A_PERSON = frozenset({SourceRefused.code, "usage"})
"""What stays as it is until a person changes something."""


def file_of(options: Mapping[str, Any]) -> str:
    """Return the file that a source is read from; empty if it is read from anything else."""
    return next((str(options[name]) for name in FILES if options.get(name)), "")


def stamp_of(options: Mapping[str, Any]) -> str:
    """Return what a source's file looks like from outside: another one has another stamp. Empty for
    a source that is read from anything else."""
    path = file_of(options)
    if not path:
        return ""
    try:
        found = os.stat(path)
    except OSError:
        return GONE
    return f"{found.st_size}:{found.st_mtime_ns}"


def why_not(row: SourceRow, stamp: str, offered: str | None, now: float) -> str:
    """Return why a source is not to be read now, in a few words; empty when it is.

    ``stamp`` is that of its file now, ``offered`` the token that a person's shell handed over.
    """
    if row.paused:
        return "paused"
    if stamp == GONE:
        return "its file is not there any more"
    if stamp and stamp == row.stamp:
        return "its file is as it was"
    if row.waits_until > now:
        return "it asked for patience"
    if row.fault is not None and not stamp:
        if row.fault.code in FOR_A_PERSON:
            return "it waits for you"
        if row.fault.code == NoToken.code and not is_there(row.options.get("token", ""), offered):
            return "its token is not there"
    return ""
