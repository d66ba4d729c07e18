"""Small files for our eyes alone, put in place whole."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path


def new_secret() -> str:
    """Return a secret that can't be guessed."""
    return secrets.token_urlsafe(32)


def write_private(path: Path, fields: Mapping[str, object]) -> None:
    """Keep fields as JSON, in place of what was there, if anything. Raise OSError."""
    beside = path.with_name(f"{path.name}.new")
    beside.unlink(missing_ok=True)
    with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(fields, file)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)
