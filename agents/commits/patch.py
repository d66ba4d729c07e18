"""What git prints of a change, taken apart: names, counts and diffs of its files.

One call prints them in this order: ``--raw -z``, ``--numstat -z``, an empty field, the patch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...ingest.git import classify
from ...ingest.git.command import Git
from ...ingest.git.ignored import Rules
from ...ingest.git.words import decode_path, decode_text
from ...memory.records import Content
from .records import FileChange, Hunk, Kind

FILE_LIMIT = 500_000
"""Bytes of one file's diff that are taken apart."""

LINE_LIMIT = 4_000
"""Characters of a line that are kept: what compares lines takes time by the square of it."""

_AGAIN_LINES = 2_000
_AGAIN_FILES = 200
_AGAIN_TOTAL = 20_000
"""Of a change that was cut: the lines of a file, the files and the lines in all that are read in
a second look at its small files."""

_SUBMODULE = "160000"
_KINDS: dict[str, Kind] = {
    "A": "added",
    "M": "changed",
    "D": "removed",
    "R": "renamed",
    "C": "copied",
    "T": "type",
}
_NEW_LINE = re.compile(r"\r?\n")


@dataclass(frozen=True, slots=True)
class Listed:
    """A file as ``--raw`` and ``--numstat`` name it."""

    raw_path: bytes
    raw_old_path: bytes | None
    letter: str
    similarity: int | None
    old_mode: str
    mode: str
    old_id: str
    new_id: str
    added: int = 0
    removed: int = 0
    binary: bool = False

    @property
    def path(self) -> str:
        """Decoded; a byte that is no UTF-8 shows as ``\\xe9``."""
        return decode_path(self.raw_path)

    @property
    def unmerged(self) -> bool:
        """Whether a merge left it in conflict."""
        return self.letter == "U"


@dataclass(frozen=True, slots=True)
class Printed:
    """All that git printed of a change."""

    listed: tuple[Listed, ...]
    diffs: tuple[bytes, ...]
    """One for each file, in order; empty where it did not come."""
    cut: bool
    """Whether the patch was longer than what was read of it."""


def read_printed(git: Git, limit: int, *args: str) -> Printed:
    """Run git and take what it prints apart; of the patch, ``limit`` bytes are read."""
    names = b""
    blocks: list[bytes] = []
    size = 0
    cut = False
    with git.stream(*args) as stream:
        for block in stream:
            if not size:
                names += block
                names, separator, block = names.partition(b"\0\0")
                if not separator:
                    continue
            blocks.append(block)
            size += len(block)
            if size > limit:
                cut = True
                break
    return _parse(names, b"".join(blocks)[:limit], cut=cut)


def _parse(names: bytes, patch: bytes, *, cut: bool) -> Printed:
    listed = _listed(names)
    return Printed(tuple(listed), tuple(_diffs(listed, patch, cut=cut)), cut)


def _listed(names: bytes) -> list[Listed]:
    fields = iter(names.rstrip(b"\0").split(b"\0") if names else [])
    found: dict[bytes, Listed] = {}
    for field in fields:
        if field.startswith(b":"):
            listed = _raw(field, fields)
            # A conflict is listed once more, as what it was before.
            if listed.raw_path not in found or listed.unmerged:
                found[listed.raw_path] = listed
            continue
        added, removed, path = field.split(b"\t", 2)
        if not path:
            next(fields)
            path = next(fields)
        known = found.get(path)
        if known is not None:
            found[path] = _counted(known, added, removed)
    return list(found.values())


def _raw(field: bytes, fields: Iterator[bytes]) -> Listed:
    old_mode, mode, old_id, new_id, status = field[1:].decode("ascii").split(" ")
    path = next(fields)
    old_path = None
    if status[0] in "RC":
        old_path, path = path, next(fields)
    return Listed(
        raw_path=path,
        raw_old_path=old_path,
        letter=status[0],
        similarity=int(status[1:]) if status[0] in "RC" and status[1:] else None,
        old_mode="" if not old_mode.strip("0") else old_mode,
        mode="" if not mode.strip("0") else mode,
        old_id="" if not old_id.strip("0") else old_id,
        new_id="" if not new_id.strip("0") else new_id,
    )


def _counted(listed: Listed, added: bytes, removed: bytes) -> Listed:
    binary = added == b"-"
    return Listed(
        raw_path=listed.raw_path,
        raw_old_path=listed.raw_old_path,
        letter=listed.letter,
        similarity=listed.similarity,
        old_mode=listed.old_mode,
        mode=listed.mode,
        old_id=listed.old_id,
        new_id=listed.new_id,
        # A file that changes its type is counted twice, as what it was and as what it is.
        added=listed.added + (0 if binary else int(added)),
        removed=listed.removed + (0 if binary else int(removed)),
        binary=listed.binary or binary,
    )


def _diffs(listed: Sequence[Listed], patch: bytes, *, cut: bool) -> list[bytes]:
    # No line of a diff's content starts with a letter, so this can only be a header.
    sections = patch.split(b"\ndiff --git ") if patch else []
    if cut and sections:
        sections.pop()
    diffs: list[bytes] = []
    position = 0
    for file in listed:
        count = 2 if file.letter == "T" else 1
        diffs.append(b"\ndiff --git ".join(sections[position : position + count]))
        position += count
    if position != len(sections) and not cut:
        return [b""] * len(listed)  # better no diff than another file's
    return diffs


def files_of(printed: Printed, rules: Rules) -> tuple[FileChange, ...]:
    """Make the records of the files, classified, without their symbols."""
    return tuple(
        _file(listed, diff, rules)
        for listed, diff in zip(printed.listed, printed.diffs, strict=True)
    )


def _file(listed: Listed, diff: bytes, rules: Rules) -> FileChange:
    path = listed.path
    content = rules.by_path(path)
    kind = _KINDS.get(listed.letter, "changed")
    hunks: tuple[Hunk, ...] = ()
    if _SUBMODULE in (listed.mode, listed.old_mode):
        content, kind = Content.SUBMODULE, "submodule"
    elif listed.binary:
        content = Content.BINARY if content is Content.TEXT else content
    elif content is Content.TEXT:
        if len(diff) > FILE_LIMIT:
            content = Content.LARGE
        elif (start := diff.find(b"\n@@ ")) >= 0:
            text = decode_text(diff[start + 1 :] + b"\n")
            content = classify.by_diff(path, text[:12_000])
            hunks = _hunks(text) if content is Content.TEXT else ()
    if kind == "changed" and listed.old_mode != listed.mode and listed.old_id == listed.new_id:
        kind = "mode"
    return FileChange(
        path=path,
        kind=kind,
        old_path=None if listed.raw_old_path is None else decode_path(listed.raw_old_path),
        content=content,
        binary=listed.binary,
        added=listed.added,
        removed=listed.removed,
        hunks=hunks,
        similarity=listed.similarity,
        old_mode=listed.old_mode,
        mode=listed.mode,
        old_id=listed.old_id,
        new_id=listed.new_id,
    )


def _hunks(text: str) -> tuple[Hunk, ...]:
    found: list[Hunk] = []
    header, lines = "", list[str]()
    for line in _NEW_LINE.split(text):
        if line.startswith("@@ "):
            if header:
                found.append(Hunk(header, tuple(lines)))
            header, lines = line, []
        elif header and line[:1] in ("+", "-", " "):
            lines.append(line[:LINE_LIMIT])
        elif line.startswith("diff --git ") and header:  # of a file that changes its type
            found.append(Hunk(header, tuple(lines)))
            header, lines = "", []
    if header:
        found.append(Hunk(header, tuple(lines)))
    return tuple(found)


def wanted_again(files: Sequence[FileChange], printed: Printed) -> tuple[str, ...]:
    """Return pathspecs of the files of a cut change that are small enough to be read after all."""
    chosen: list[str] = []
    total = 0
    for file, listed in zip(files, printed.listed, strict=True):
        lines = file.added + file.removed
        if file.hunks or file.content is not Content.TEXT or not 0 < lines <= _AGAIN_LINES:
            continue
        if len(chosen) >= _AGAIN_FILES or total + lines > _AGAIN_TOTAL:
            break
        total += lines
        for path in (listed.raw_old_path, listed.raw_path):
            if path is not None:
                chosen.append(":(top,literal)" + path.decode("utf-8", "surrogateescape"))
    return tuple(chosen)
