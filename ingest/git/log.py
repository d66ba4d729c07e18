"""Commits as git prints them: one streaming git process, parsed as bytes.

Records are told apart by a marker that is new for each process, so nothing a commit holds can
pass for one. Paths come from ``--raw -z``, never from the diff's headers, which quote them.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from .command import COMPARING, DIFF_OPTIONS, Git

RECORD_LIMIT = 32_000_000
"""Bytes of one commit's names and diff that are kept; the rest is read past. Names come first:
those of a commit of some 200,000 files fit."""


class Depth(Enum):
    """How much of a commit is asked of git."""

    PATCH = ("--raw", "--patch", "-C", "-l1000", *DIFF_OPTIONS)
    """Message, files, diffs."""
    NAMES = ("--raw", "--no-renames", *COMPARING)
    """Message and files; needs no blob."""
    MESSAGE = ("--no-patch",)
    """Only the message; needs neither blob nor tree."""


@dataclass(frozen=True, slots=True)
class RawFile:
    """One line of ``--raw``."""

    path: bytes
    old_path: bytes | None
    change: str
    """git's letter: A, M, D, R, C or T."""
    old_mode: bytes
    mode: bytes
    old_blob: bytes
    blob: bytes
    """All zeros when the file was deleted."""


@dataclass(frozen=True, slots=True)
class Head:
    """Who made a commit, when, and from what."""

    sha: str
    parents: tuple[str, ...]
    author: bytes
    email: bytes
    time: int
    committed: int


@dataclass(frozen=True, slots=True)
class RawCommit:
    """One commit, still in bytes."""

    head: Head
    message: bytes
    body: bytes
    """What followed the message: the ``--raw`` part and the diff; see ``split_body``."""
    cut: bool
    """Whether the body was longer than RECORD_LIMIT and lost its end."""


class Log:
    """Some commits as one git process prints them, which starts at once and works ahead.

    Iterating yields them in the given order. When git can't go on (a damaged object), its
    GitError is raised after the last commit that is known to be whole. Merges have no files.
    """

    def __init__(self, git: Git, shas: Sequence[str], depth: Depth = Depth.PATCH) -> None:
        self._marker = b"\x01" + secrets.token_hex(12).encode() + b"\x01"
        mark = self._marker.decode().replace("\x01", "%x01")
        fields = "%H%x00%P%x00%aN%x00%aE%x00%at%x00%ct%x00%B"
        self._blocks = git.stream(
            *("log", "--no-walk=unsorted", "--stdin", "-z", "--encoding=UTF-8", "--no-abbrev"),
            *("--no-show-signature", "--no-notes", "--no-decorate", "--no-diff-merges", "--root"),
            *(f"--format=tformat:{mark}{fields}{mark}", *depth.value),
            stdin="".join(f"{sha}\n" for sha in shas).encode(),
        )

    def __iter__(self) -> Iterator[RawCommit]:
        # marker, header, marker, body, marker, header, …
        parts = _split(self._blocks, self._marker, RECORD_LIMIT)
        next(parts)
        for header, _ in parts:
            body, cut = next(parts)
            sha, parents, author, email, time, committed, message = header.split(b"\0", 6)
            head = Head(
                sha=sha.decode(),
                parents=tuple(parents.decode().split()),
                author=author,
                email=email,
                time=_seconds(time),
                committed=_seconds(committed),
            )
            yield RawCommit(head, message, body, cut)

    def close(self) -> None:
        """End git if it still runs."""
        self._blocks.close()


def split_body(commit: RawCommit) -> tuple[list[RawFile], list[bytes]]:
    """Return a commit's changed files, and the diff of each in the same order.

    A diff begins with its ``diff --git`` line; it is empty where git printed none, or where it
    was cut off. Of a file that changed its type, git prints two, which are joined.
    """
    raw, _, patch = commit.body.strip(b"\0\n").partition(b"\0\0")
    files = list(_raw_files(raw))
    # No line of a diff's content starts with a letter, so this can only be a header.
    sections = patch.split(b"\ndiff --git ") if patch else []
    diffs = [b""] * len(files)
    position = 0
    for index, file in enumerate(files):
        count = 2 if file.change == "T" else 1
        diffs[index] = b"\ndiff --git ".join(sections[position : position + count])
        position += count
    if position != len(sections) and not commit.cut:
        # git printed more or fewer diffs than files: better none than a wrong one.
        return files, [b""] * len(files)
    return files, diffs


def _raw_files(raw: bytes) -> Iterator[RawFile]:
    fields = iter(raw.split(b"\0"))
    for field in fields:
        meta = field.lstrip(b"\n:").split(b" ")
        path = next(fields, b"")
        if len(meta) != 5 or not path:  # the body was cut within the names
            return
        old_mode, mode, old_blob, blob, status = meta
        change = status[:1].decode()
        old_path = None
        if change in "RC":
            old_path, path = path, next(fields, b"")
        yield RawFile(path, old_path, change, old_mode, mode, old_blob, blob)


def _split(blocks: Iterable[bytes], marker: bytes, limit: int) -> Iterator[tuple[bytes, bool]]:
    """Split a stream at a marker; yield each part, at most ``limit`` bytes of it, and whether it
    was cut. A part counts only when the next marker or the end of the stream has come."""
    rest = b""
    kept: bytes | None = None  # the beginning of a part that outgrew the limit
    for block in blocks:
        *parts, rest = (rest + block).split(marker)
        for part in parts:
            yield (part[:limit], len(part) > limit) if kept is None else (kept, True)
            kept = None
        if len(rest) > limit:
            kept = rest[:limit] if kept is None else kept
            rest = rest[-len(marker) :]
    yield (rest[:limit], len(rest) > limit) if kept is None else (kept, True)


def _seconds(text: bytes) -> int:
    """Read git's time; a commit with a broken date counts as of the epoch's start."""
    try:
        return int(text)
    except ValueError:
        return 0
