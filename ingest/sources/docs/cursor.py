"""What was read, and what it was like: the cursor of a source of documents."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

_VERSION = 2
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


class Prints:
    """What was read, by the names of files, of which only salted hashes are kept: a path that is
    forgotten is not to be read out of here."""

    def __init__(self, salt: bytes, rows: dict[str, Print]) -> None:
        self._salt = salt
        self._rows = rows
        self._keys: dict[str, str] = {}

    def get(self, name: str) -> Print | None:
        """Return what a file was like; None if it was not read."""
        return self._rows.get(self.key(name))

    def put(self, name: str, file: Print) -> None:
        """Note what a file is like."""
        self._rows[self.key(name)] = file

    def pop(self, key: str) -> Print:
        """Take out what was read under a key."""
        return self._rows.pop(key)

    def others(self, names: Iterable[str]) -> list[str]:
        """Return the keys of what was read but for the files of these names."""
        known = {self.key(name) for name in names}
        return [key for key in self._rows if key not in known]

    def key(self, name: str) -> str:
        """Return what a name is kept as: 20 hexadecimal digits."""
        if name not in self._keys:
            data = name.encode("utf-8", "surrogatepass")
            self._keys[name] = hashlib.blake2b(data, key=self._salt, digest_size=10).hexdigest()
        return self._keys[name]

    def dump(self) -> str:
        """Return the cursor: some 40 characters a file."""
        rows = {key: [p.mtime, p.size, p.digest, p.begun, p.why] for key, p in self._rows.items()}
        said = {"v": _VERSION, "salt": self._salt.hex(), "files": rows}
        text = json.dumps(said, separators=(",", ":"), ensure_ascii=True)
        return base64.b85encode(zlib.compress(text.encode(), 6)).decode()


def load(cursor: str) -> tuple[Prints, bool]:
    """Return what was read, and whether it is still to be trusted to be unchanged."""
    if not cursor:
        return Prints(os.urandom(16), {}), True
    try:
        data: Any = json.loads(zlib.decompress(base64.b85decode(cursor)))
        files = {key: Print(*row) for key, row in data["files"].items()}
        salt = bytes.fromhex(data["salt"])
    except (ValueError, KeyError, TypeError, AttributeError, zlib.error):
        return Prints(os.urandom(16), {}), False
    return Prints(salt, files), data.get("v") == _VERSION
