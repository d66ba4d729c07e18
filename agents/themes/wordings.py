"""Titles that a model gave, kept beside the pages, which stay as rules made them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .archive import put
from .records import Wording

FILE = ".titles.json"


def read(folder: Path) -> list[Wording]:
    """Return the titles that are kept; none where the file can't be read: they can be made again."""
    try:
        found: list[dict[str, Any]] = json.loads((folder / FILE).read_text("utf-8"))
        return [Wording(str(w["digest"]), str(w["title"]), str(w["model"])) for w in found]
    except (OSError, ValueError, TypeError, KeyError):
        return []


def keep(folder: Path, wordings: Sequence[Wording]) -> None:
    """Keep these titles and no other."""
    ordered = sorted(wordings, key=lambda wording: wording.digest)
    text = json.dumps([asdict(wording) for wording in ordered], indent=1, ensure_ascii=False)
    put(folder / FILE, text.encode("utf-8", "replace") + b"\n")


def forget(folder: Path) -> None:
    """Remove all titles."""
    (folder / FILE).unlink(missing_ok=True)
