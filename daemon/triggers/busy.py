"""Whether git is in the middle of something, told by what it leaves in its folder meanwhile."""

from __future__ import annotations

import os
from pathlib import Path

_SIGNS = (
    ("rebase-merge", "rebase"),
    ("rebase-apply/applying", "am"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("BISECT_LOG", "bisect"),
    ("index.lock", "index.lock"),
)
SIGNS = frozenset(name.partition("/")[0] for name, _ in _SIGNS)
"""Names in a git directory that come when an operation begins and go when it ends."""

LONGEST_LOCK = 30.0
LONGEST = 300.0
"""Seconds for which a lock of the index, or any other operation, may hold work back."""


def mid_operation(common_dir: Path, git_dir: Path | None = None) -> str | None:
    """Given the git directory of a worktree (by default its repository's), return what git is in
    the middle of: rebase, am, merge, cherry-pick, revert, bisect, index.lock; None if nothing.

    A few looks at the disk; other worktrees' operations are not this one's.
    """
    folder = common_dir if git_dir is None else git_dir
    return next((what for name, what in _SIGNS if os.path.lexists(folder / name)), None)


def patience(operation: str) -> float:
    """Return for how many seconds an operation may hold work back."""
    return LONGEST_LOCK if operation == "index.lock" else LONGEST
