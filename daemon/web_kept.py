"""What is kept of the local page from run to run, so that an open one finds the daemon again."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..memory.errors import HermesError
from .private_file import new_secret, write_private


class Damaged(HermesError):
    """What is kept can't be read."""

    code = "no_page"

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is damaged", hint="`hermes web` makes it anew")


@dataclass(frozen=True, slots=True)
class Kept:
    """Where the page was served, and what a browser that was let in shows."""

    port: int
    secret: str


def read(path: Path) -> Kept | None:
    """Return what is kept; None if the page is not open. Raise Damaged, OSError."""
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="ascii"))
        kept = Kept(int(found["port"]), str(found["secret"]))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise Damaged(path) from error
    if not 0 < kept.port < 65_536 or len(kept.secret) < len(new_secret()):
        raise Damaged(path)
    return kept


def write(path: Path, kept: Kept) -> None:
    """Keep it, for our eyes alone. Raise OSError."""
    write_private(path, asdict(kept))
