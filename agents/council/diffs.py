"""A diff as text, taken apart for the packet: files, counts, dependencies.

Lines are counted by what the hunks announce, so that a line of a file that looks like a header is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ...ingest.git.classify import by_path
from ...memory.records import Content
from ..commits.dependencies import dependencies_of
from ..commits.records import FileChange, Hunk, Kind
from .records import DependencyChange, Touched

_HUNK = re.compile(r"^@@ -\d+(?:,(?P<old>\d+))? \+\d+(?:,(?P<new>\d+))? @@")
_GIT = re.compile(
    r"^diff --git (?P<old>\"(?:[^\"\\]|\\.)*\"|a/.*?) (?P<new>\"(?:[^\"\\]|\\.)*\"|b/.*)$"
)
_OCTAL = re.compile(r"\\([0-7]{3})|\\(.)")
_KINDS = {"added": "added", "removed": "removed", "renamed": "renamed"}


@dataclass(slots=True)
class _File:
    """A file while its part of the diff is being read."""

    old: str = ""
    new: str = ""
    kind: Kind = "changed"
    binary: bool = False
    hunks: list[Hunk] = field(default_factory=list[Hunk])

    def finished(self) -> FileChange:
        path = self.old if self.kind == "removed" else self.new or self.old
        lines = [line for hunk in self.hunks for line in hunk.lines]
        content = by_path(path)
        if self.binary and content is Content.TEXT:
            content = Content.BINARY
        return FileChange(
            path=path,
            kind=self.kind,
            old_path=self.old if self.kind == "renamed" else None,
            content=content,
            binary=self.binary,
            added=sum(line.startswith("+") for line in lines),
            removed=sum(line.startswith("-") for line in lines),
            hunks=tuple(self.hunks),
        )


def read_diff(text: str) -> tuple[FileChange, ...]:
    """Given a unified diff, git's or another, return what it does to each file."""
    return tuple(file.finished() for file in _files(text.split("\n")))


def touched_of(files: tuple[FileChange, ...]) -> tuple[Touched, ...]:
    """Return files as a packet lists them."""
    return tuple(
        Touched(
            path=file.path,
            kind=_KINDS.get(file.kind, "changed"),
            added=file.added,
            removed=file.removed,
            old_path=file.old_path or "",
            aside=file.content is not Content.TEXT and file.content is not Content.LARGE,
        )
        for file in files
    )


def dependency_changes(files: tuple[FileChange, ...]) -> tuple[DependencyChange, ...]:
    """Return the dependencies that manifests declare otherwise."""
    changes: list[DependencyChange] = []
    for one in dependencies_of(files):
        kind = "added" if one.before is None else "removed" if one.after is None else "changed"
        changes.append(
            DependencyChange(one.name, one.before or "", one.after or "", one.path, kind)
        )
    return tuple(changes)


def _files(lines: list[str]) -> Iterator[_File]:
    file: _File | None = None
    place = 0
    while place < len(lines):
        line = lines[place].removesuffix("\r")
        place += 1
        if found := _GIT.match(line):
            if file is not None:
                yield file
            file = _File(_path(found["old"]), _path(found["new"]))
        elif line.startswith("--- ") and place < len(lines) and lines[place].startswith("+++ "):
            old = _path(line[4:].partition("\t")[0])
            new = _path(lines[place][4:].removesuffix("\r").partition("\t")[0])
            place += 1
            if file is None or file.hunks:  # a diff that git did not make
                if file is not None:
                    yield file
                file = _File()
            file.old, file.new = old or file.old, new or file.new
            file.kind = "added" if not old else "removed" if not new else file.kind
        elif file is None:
            continue
        elif line.startswith("new file mode"):
            file.kind = "added"
        elif line.startswith("deleted file mode"):
            file.kind = "removed"
        elif line.startswith("rename from "):
            file.kind, file.old = "renamed", _path(line.removeprefix("rename from "))
        elif line.startswith("rename to "):
            file.new = _path(line.removeprefix("rename to "))
        elif line.startswith(("Binary files ", "GIT binary patch")):
            file.binary = True
        elif found := _HUNK.match(line):
            hunk, place = _hunk(line, int(found["old"] or 1), int(found["new"] or 1), lines, place)
            file.hunks.append(hunk)
    if file is not None:
        yield file


def _hunk(header: str, old: int, new: int, lines: list[str], place: int) -> tuple[Hunk, int]:
    kept: list[str] = []
    while (old > 0 or new > 0) and place < len(lines):
        line = lines[place]
        sign = line[:1]
        if sign not in ("+", "-", " ", "\\", ""):
            break  # cut short
        place += 1
        if sign == "\\":
            continue
        old -= sign in ("-", " ", "")
        new -= sign in ("+", " ", "")
        kept.append(line or " ")
    return Hunk(header, tuple(kept)), place


def _path(name: str) -> str:
    """Return a path as git writes it, without its prefix; empty for /dev/null."""
    if name.startswith('"') and name.endswith('"') and len(name) > 1:
        name = _unquoted(name[1:-1])
    if name == "/dev/null":
        return ""
    return name[2:] if name.startswith(("a/", "b/")) else name


def _unquoted(text: str) -> str:
    raw = bytearray()
    end = 0
    for found in _OCTAL.finditer(text):
        raw += text[end : found.start()].encode("utf-8", "surrogatepass")
        octal, plain = found.groups()
        raw += (
            bytes([int(octal, 8) & 0xFF])
            if octal
            else {"n": b"\n", "t": b"\t"}.get(plain, plain.encode("utf-8", "surrogatepass"))
        )
        end = found.end()
    raw += text[end:].encode("utf-8", "surrogatepass")
    return raw.decode("utf-8", "replace")
