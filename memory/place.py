"""Where the vector store lies, and in it the tables that serve.

They lie in the place itself, or in a folder of it that a rebuild made. The index says which, so that
every process changes over at once: see ``beside``.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_MADE = "rebuilt-"


@dataclass(frozen=True, slots=True)
class Place:
    """A folder or any LanceDB URI."""

    base: str
    storage_options: Mapping[str, str] | None = None
    shared: bool = False
    """Whether other machines may write there too."""

    def at(self, tables: str) -> str:
        """Given the name of a folder in it, return where that is; empty means the place itself."""
        return f"{self.base.rstrip('/')}/{tables}" if tables else self.base


def new_tables() -> str:
    """Return a name for a folder of tables; machines that share a place never make the same."""
    return _MADE + secrets.token_hex(4)


def made_in(place: Place) -> list[str]:
    """Return the names of the folders of tables that rebuilds made; none where they can't be listed."""
    folder = folder_of(place.base)
    if folder is None or not folder.is_dir():
        return []
    return sorted(path.name for path in folder.glob(f"{_MADE}*") if path.is_dir())


def folder_of(uri: str) -> Path | None:
    """Return the folder of this machine that a URI is, if it is one."""
    return None if "://" in uri else Path(uri)
