"""What git is in the middle of, and how far, told by what it leaves in its folder meanwhile."""

from __future__ import annotations

import os
from pathlib import Path

from .look import Operation

_SIGNS = (
    ("rebase-merge", "rebase"),
    ("rebase-apply/applying", "am"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("BISECT_LOG", "bisect"),
)
_BYTES = 1_000


def operation_of(git_dir: Path) -> Operation | None:
    """Given the git directory of a worktree, return what is under way in it; None if nothing."""
    for name, kind in _SIGNS:
        try:
            since = os.lstat(git_dir / name).st_mtime
        except OSError:
            continue
        folder = git_dir / name.partition("/")[0]
        if kind == "rebase":
            branch = _first_line(folder / "head-name").removeprefix("refs/heads/")
            step, last = _first_line(folder / "msgnum"), _first_line(folder / "end")
            if not step:
                step, last = _first_line(folder / "next"), _first_line(folder / "last")
            shown = f"{step} of {last}" if step and last else ""
            return Operation(kind, since, branch, _first_line(folder / "onto"), shown)
        onto = _first_line(folder) if folder.is_file() and kind != "bisect" else ""
        start = _first_line(git_dir / "BISECT_START") if kind == "bisect" else ""
        return Operation(kind, since, start, onto)
    return None


def _first_line(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return os.fsdecode(opened.read(_BYTES).partition(b"\n")[0]).strip()
    except OSError:
        return ""
