"""Which files a tree has, and what they say."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

MAX_TEXT = 2_000_000
"""Bytes of a file that are looked into; what names another file does so near its beginning."""

_SKIPPED = frozenset(
    {
        *(".git", ".hg", ".svn", "node_modules", "__pycache__", ".tox", ".nox", ".venv", "venv"),
        *(".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis", ".eggs", "site-packages"),
        *(".idea", ".vscode", ".direnv", ".cache"),
    }
)

_LEFTOVERS = (".pyc", ".pyo", ".swp", ".swx", ".swo", "~", ".orig", ".rej", ".tmp", ".log")


def walk(root: Path) -> Iterator[str]:
    """Yield the files beneath, relative to it, without what tools keep and without environments."""
    for folder, folders, names in os.walk(root):
        at = os.path.relpath(folder, root)
        folders[:] = sorted(name for name in folders if not _skipped(folder, name))
        for name in sorted(names):
            yield name if at == "." else f"{at}/{name}"


def counts(path: str) -> bool:
    """Whether a change of this file could matter to any test: not a tool's own leavings."""
    parts = path.split("/")
    return not (
        any(part in _SKIPPED for part in parts[:-1])
        or parts[-1].endswith(_LEFTOVERS)
        or parts[-1].startswith((".#", ".coverage", ".testmondata"))
        or parts[-1] in (".DS_Store", ".gitignore", ".gitattributes", ".editorconfig", "4913")
    )


def read_text(root: Path, path: str) -> str:
    """Return what a file says, odd bytes replaced; empty if it can't be read."""
    try:
        with open(root / path, "rb") as file:
            return file.read(MAX_TEXT).decode("utf-8", "replace")
    except OSError:
        return ""


def _skipped(folder: str, name: str) -> bool:
    return (
        name in _SKIPPED
        or name.endswith(".egg-info")
        or os.path.exists(os.path.join(folder, name, "pyvenv.cfg"))
    )
