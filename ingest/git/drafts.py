"""Commits parsed and classified, but not yet rid of their secrets."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...memory.records import Content
from .ignored import Rules
from .log import Head, RawCommit, RawFile, split_body
from .words import decode_path

TEXT_LIMIT = 8_000
"""Characters of a chunk's text."""

SLACK = 4_000
"""Bytes read beyond the limit, so that a secret that lies across the cut is seen whole."""


@dataclass(slots=True)
class DraftFile:
    """A file of a commit on its way to a chunk."""

    raw: RawFile
    path: str
    old_path: str | None
    content: Content
    added: int | None = None
    removed: int | None = None
    hunks: bytes = b""
    """The beginning of the diff, from its first ``@@``; empty where a stub is enough."""
    truncated: bool = False
    """Whether ``hunks`` lost their end."""
    bytes: int = 0
    """Size of the whole diff."""


@dataclass(slots=True)
class Draft:
    """A commit on its way to chunks: parsed, classified, not yet rid of its secrets."""

    head: Head
    message: bytes
    files: list[DraftFile] = field(default_factory=list[DraftFile])


def draft(commit: RawCommit, rules: Rules, max_bytes: int) -> Draft:
    """Parse and classify one commit. A diff of more than ``max_bytes`` leaves only a stub."""
    raw_files, diffs = split_body(commit)
    drafted = Draft(commit.head, commit.message[: 4 * TEXT_LIMIT + SLACK])
    for raw, diff in zip(raw_files, diffs, strict=True):
        path = decode_path(raw.path)
        old_path = None if raw.old_path is None else decode_path(raw.old_path)
        file = DraftFile(raw, path, old_path, rules.by_path(path))
        if b"160000" in (raw.mode, raw.old_mode):
            file.content = Content.SUBMODULE
        drafted.files.append(file)
        if diff:
            _read_diff(file, diff, max_bytes)
    if commit.cut:
        # Of the last diff that arrived, the end may be missing: its counts would be wrong.
        last = next((file for file in reversed(drafted.files) if file.bytes), None)
        if last is not None:
            last.added = last.removed = None
            last.truncated = True
    return drafted


def _read_diff(file: DraftFile, diff: bytes, max_bytes: int) -> None:
    start = diff.find(b"\n@@ ")
    if start < 0:  # a change of mode, a rename, an empty file, or not text
        if file.content is Content.TEXT and b"\nBinary files " in diff:
            file.content = Content.BINARY
        return
    file.bytes = len(diff) - start
    file.added = diff.count(b"\n+", start)
    file.removed = diff.count(b"\n-", start)
    if file.raw.change == "T":
        # Two diffs in one, the second with a header of its own, which counts itself.
        file.added = file.removed = None
    if file.content is not Content.TEXT and file.content is not Content.SUBMODULE:
        return
    if file.bytes > max_bytes:
        file.content = Content.LARGE
        return
    hunks = diff[start + 1 : start + 1 + TEXT_LIMIT + SLACK]
    if not hunks.isascii():
        hunks = diff[start + 1 : start + 1 + 4 * TEXT_LIMIT + SLACK]
    file.truncated = len(hunks) < file.bytes - 1
    file.hunks = hunks
