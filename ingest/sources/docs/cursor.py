"""What was read, and what it was like: the cursor of a source of documents."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import dataclass
from typing import Any

_VERSION = 1
"""Of the readers: another one reads everything again."""


@dataclass(frozen=True, slots=True)
class Print:
    """What a file was like when it was read."""

    mtime: int
    """Nanoseconds."""
    size: int
    digest: str
    """16 hexadecimal digits of the SHA-256."""
    begun: int
    """Seconds: how old it was when it was first seen. An edited file has a new time, and is an old
    document."""
    why: str = ""
    """Why it was not taken in."""


def dump(prints: dict[str, Print]) -> str:
    """Return the cursor for what was read, by name: some 30 characters a file."""
    rows = {name: [p.mtime, p.size, p.digest, p.begun, p.why] for name, p in prints.items()}
    text = json.dumps({"v": _VERSION, "files": rows}, separators=(",", ":"), ensure_ascii=True)
    return base64.b85encode(zlib.compress(text.encode(), 6)).decode()


def load(cursor: str) -> tuple[dict[str, Print], bool]:
    """Return what was read, and whether it is still to be trusted to be unchanged."""
    if not cursor:
        return {}, True
    try:
        data: Any = json.loads(zlib.decompress(base64.b85decode(cursor)))
        files = {name: Print(*row) for name, row in data["files"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, zlib.error):
        return {}, False
    return files, data.get("v") == _VERSION
