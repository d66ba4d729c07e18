"""The name that a worktree has among the files of hermes' state: the git hooks make it too, in
shell (surfaces/hooks/script.py)."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

KEY_BYTES = 150
"""Most bytes of a worktree's path that go into a file's name."""
KEY_STEP = 10
"""Bytes that are taken off the front of a longer one at a time."""


def key_of(worktree: Path | str) -> str:
    """Return the name that the hooks give to a worktree: its path in one word, the end of it
    where it is long. ``worktree`` has to be free of symbolic links."""
    key = os.fsencode(worktree).rstrip(b"/").replace(b"/", b":")
    while len(key) > KEY_BYTES:
        key = key[KEY_STEP:]
    return os.fsdecode(key)
