"""A time zone in which it is noon now: what a test makes today is not made yesterday, or tomorrow,
where it happens to run about midnight."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager

import pytest


@contextmanager
def noon() -> Generator[None]:
    """Have it be between 12 and 13 o'clock on this date for the time of the block, for this process
    and those that it starts."""
    east = 12 - time.gmtime().tm_hour
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", f"Etc/GMT{-east:+d}")  # named by the hours west of Greenwich
        time.tzset()
        yield
    time.tzset()
