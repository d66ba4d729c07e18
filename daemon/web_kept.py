"""What is kept of the local page from run to run, so that an open one finds the daemon again."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Kept:
    """Where the page was served, and what a browser that was let in shows."""

    port: int
    secret: str


def new_secret() -> str:
    """Return a secret that can't be guessed."""
    return secrets.token_urlsafe(32)


def read(path: Path) -> Kept | None:
    """Return what is kept; None if the page is not open, or the file can't be used."""
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="ascii"))
        kept = Kept(int(found["port"]), str(found["secret"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return kept if 0 < kept.port < 65536 and len(kept.secret) >= len(new_secret()) else None


def write(path: Path, kept: Kept) -> None:
    """Keep it, for our eyes alone. Raise OSError."""
    beside = path.with_name(f"{path.name}.new")
    beside.unlink(missing_ok=True)
    with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(asdict(kept), file)
        file.write("\n")
    os.replace(beside, path)
