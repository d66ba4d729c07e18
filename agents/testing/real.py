"""The real parts of the test runner."""

from __future__ import annotations

from . import process, snapshot
from .frameworks import detect
from .parts import Parts


def real_parts() -> Parts:
    """Return snapshots, frameworks and processes as they are used on a person's machine."""
    return Parts(snapshot.take, snapshot.in_place, detect, process.run)
