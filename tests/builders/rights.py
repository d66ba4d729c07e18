"""Has files kept from a test that runs as root, as they are from anybody else."""

from __future__ import annotations

import ctypes
from collections.abc import Generator
from contextlib import contextmanager

_VERSION_3 = 0x20080522
_MAY_READ_ALL = 1 << 1 | 1 << 2
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH of capabilities(7)."""


class _Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


class _Sets(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("effective", "permitted", "inheritable")]


@contextmanager
def bound_by_permissions() -> Generator[None]:
    """Within this, permissions of files count in this thread, whoever it runs as."""
    libc = ctypes.CDLL(None, use_errno=True)
    header, sets = _Header(_VERSION_3, 0), (_Sets * 2)()
    if libc.capget(ctypes.byref(header), sets):
        raise OSError(ctypes.get_errno(), "capget")
    before = sets[0].effective

    def put(effective: int) -> None:
        sets[0].effective = effective
        if libc.capset(ctypes.byref(header), sets):
            raise OSError(ctypes.get_errno(), "capset")

    put(before & ~_MAY_READ_ALL)
    try:
        yield
    finally:
        put(before)
