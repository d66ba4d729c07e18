"""TODO and FIXME lines that are new in work that is not committed."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ...ingest.git.command import Git
from ...ingest.git.errors import GitError
from .commits import SECONDS
from .look import Tree

MOST_FILES = 8
MOST_BYTES = 500_000
_NOTE = re.compile(r"\b(?P<word>TODO|FIXME|XXX|HACK)\b[:\s(]*(?P<what>.{0,80})")


def notes_of(git: Git, tree: Tree) -> dict[str, tuple[str, ...]]:
    """Return, by path, the notes that changed files have and that HEAD has not. What can't be read
    is left out: they are only an extra."""
    found: dict[str, tuple[str, ...]] = {}
    wanted = [one for one in tree.changed if one.at is not None and "conflict" not in one.edits]
    for one in sorted(wanted, key=lambda one: -(one.at or 0))[:MOST_FILES]:
        text = _text(tree.path / one.path)
        if not _NOTE.search(text):
            continue
        before = _before(git, tree.head, one.path)
        known = {line.strip() for line in before.splitlines()}
        notes = [
            f"{number}: {match['word']} {match['what'].strip()}".strip()
            for number, line in enumerate(text.splitlines(), 1)
            if (match := _NOTE.search(line)) and line.strip() not in known
        ]
        if notes:
            found[one.path] = tuple(notes[:3])
    return found


def _text(file: Path) -> str:
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(handle, "rb") as opened:
            content = opened.read(MOST_BYTES)
    except OSError:
        return ""
    return "" if b"\0" in content else content.decode("utf-8", "replace")


def _before(git: Git, head: str, path: str) -> str:
    if not head:
        return ""
    try:
        said = git.run("cat-file", "blob", f"{head}:{path}", timeout=SECONDS)
    except GitError:  # it is new
        return ""
    return said[:MOST_BYTES].decode("utf-8", "replace")
