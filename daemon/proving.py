"""Looks whether words are anywhere in hermes's files, whatever those are packed in.

Every file is read as it is; what is compressed is unpacked (git's objects, gzip), databases are also
read row by row, since a long text lies in them in pieces. What can't be looked into is named.

Not to be run in a process that has a database open: to close a file takes from SQLite the locks that
the process holds on it. `searching` runs it in one of its own.
"""

from __future__ import annotations

import gzip
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from .needles import AROUND, Around, Needles, Surroundings

BLOCK = 1 << 20
OVERLAP = 4_096
"""Bytes read twice, so that nothing is missed where one block ends."""
LARGEST = 64 << 20
"""Bytes that a packed file may have once it is unpacked."""
BUSY_SECONDS = 10.0
"""How long to wait for a database that somebody writes to."""
_PACKED = {b"\x28\xb5\x2f\xfd": "zstd", b"\xfd7zXZ\x00": "xz", b"BZh": "bzip2", b"PK\x03\x04": "zip",
           b"7z\xbc\xaf": "7z", b"\x04\x22\x4d\x18": "lz4"}  # fmt: skip
_DATABASE = b"SQLite format 3\0"
_LOGS = (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")
_WORDS = "_indices"
"""Where the vector store keeps single words, one against the other, for full text."""
_NEXT = 4
"""Bytes with which a page begins that goes on with a value: the number of the one after it."""

Unpack = Callable[[Path], Iterator[bytes]]


class Left(NamedTuple):
    """Something that is left."""

    place: str
    """The file, or the table of the vector store."""
    what: str
    """In what of it."""


@dataclass(slots=True)
class Proof:
    """What a search came to."""

    files: int = 0
    bytes: int = 0
    rows: int = 0
    """Of databases and of the vector store."""
    left: set[Left] = field(default_factory=set[Left])
    unsearched: dict[str, str] = field(default_factory=dict[str, str])
    """What could not be searched, and why."""


def search(
    folders: Sequence[Path],
    needles: Needles,
    *,
    unpack_git: Unpack,
    spare: Callable[[Path], bool] = lambda path: False,
    known: Mapping[str, Surroundings] | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Proof:
    """Return where any of the needles is below the folders, links not followed.

    ``unpack_git`` yields the objects of a pack; ``spare`` leaves out what goes itself afterwards.
    ``known`` says, by folder, how needles stand in what is rightly there, as parts of other words.
    """
    proof = Proof()
    paths = sorted({path for folder in folders for path in _files(folder)})
    search = _Search(needles, unpack_git, proof, dict(known or {}))
    for number, path in enumerate(paths):
        if not spare(path):
            search.look_into(path)
        on_progress(number + 1, len(paths))
    search.settle()
    return proof


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        for name in (*files, *(each for each in folders if os.path.islink(Path(place, each)))):
            yield Path(place, name)


class _Search:
    """One search. In bytes that are no text a needle counts whatever stands beside it: there values
    lie one against the other, or behind their length. What the rows that are there account for is
    taken off at the end."""

    def __init__(
        self, needles: Needles, unpack_git: Unpack, proof: Proof, known: dict[str, Surroundings]
    ) -> None:
        self._needles = needles
        self._unpack_git = unpack_git
        self._proof = proof
        self._known = known
        self._suspects: dict[Path, set[Around]] = {}

    def look_into(self, path: Path) -> None:
        """Look into one file."""
        if self._needles.are_in(os.fsencode(path.name)):
            self._note(path, "its name")
        try:
            if path.is_symlink():
                if self._needles.are_in(os.fsencode(os.readlink(path))):
                    self._note(path, "where it leads to")
                return
            if not path.is_file():  # a socket
                return
            self._proof.files += 1
            self._proof.bytes += path.stat().st_size
            self._look_at_bytes(path)
        except FileNotFoundError:  # it went meanwhile
            return
        except OSError as error:
            self._proof.unsearched[str(path)] = error.strerror or str(error)

    def settle(self) -> None:
        """Note what is left of what was found in bytes."""
        for path, suspects in self._suspects.items():
            name = str(path).removesuffix("-wal").removesuffix("-journal")
            accounted = [
                known
                for place, known in self._known.items()
                if name == place or name.startswith(place + os.sep)
            ]
            if not all(any(known.hold(each) for known in accounted) for each in suspects):
                self._note(path, "its bytes")

    def _note(self, path: Path, what: str) -> None:
        self._proof.left.add(Left(str(path), what))

    def _look_at_bytes(self, path: Path) -> None:
        with path.open("rb") as file:
            head = file.read(8_000)
        if b"\0" not in head or _WORDS in path.parts:
            if any(self._needles.are_in(block) for _, block in _blocks(path)):
                self._note(path, "its text")
        elif suspects := self._in_bytes(path, head):
            self._suspects[path] = suspects
        self._look_deeper(path, head)

    def _in_bytes(self, path: Path, head: bytes) -> set[Around]:
        """Return what stands around each needle in a file that is no text."""
        found: set[Around] = set()
        pages = _pages(head)
        with path.open("rb") as file:
            for start, block in _blocks(path):
                for begin, end in self._needles.places(block):
                    low, high = max(start + begin - AROUND, 0), start + end + AROUND
                    if pages is not None:
                        first, last = pages(start + begin)
                        low, high = max(low, first), min(high, last)
                    file.seek(low)
                    some = file.read(max(high - low, end - begin))
                    place = start + begin - low
                    around = Around.of(some, place, place + end - begin)
                    # A value of a database ends where it goes on elsewhere; no text has a zero.
                    cut = around.after if pages is None else around.after.split(b"\0")[0]
                    found.add(around._replace(after=cut))
        return found

    def _look_deeper(self, path: Path, head: bytes) -> None:
        if head.startswith(_DATABASE):
            self._look_into_rows(path)
        elif head.startswith(b"\x1f\x8b"):
            try:
                with gzip.open(path) as file:
                    if self._needles.are_in(file.read(LARGEST)):
                        self._note(path, "its text, unpacked")
            except (EOFError, zlib.error, gzip.BadGzipFile):
                self._proof.unsearched[str(path)] = "it is no whole gzip file"
        elif head.startswith(b"PACK") and path.suffix == ".pack":
            if any(self._needles.are_in(block) for block in self._unpack_git(path)):
                self._note(path, "an object of git")
        elif head[:1] == b"\x78" and head[1:2] in (b"\x01", b"\x5e", b"\x9c", b"\xda"):
            if self._needles.are_in(_inflated(path)):
                self._note(path, "its text, inflated")
        else:
            for magic, name in _PACKED.items():
                if head.startswith(magic):
                    self._proof.unsearched[str(path)] = f"it is packed with {name}"

    def _look_into_rows(self, path: Path) -> None:
        known = self._known.setdefault(str(path), Surroundings())
        uri = f"file:{quote(str(path))}?mode=ro"
        try:
            with closing(sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)) as db:
                tables = db.execute("SELECT name, sql FROM sqlite_master").fetchall()
                for _, made in tables:
                    self._needles.note(made or "", known)
                for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'"):
                    for row in db.execute(f'SELECT * FROM "{table}"'):
                        self._proof.rows += 1
                        for cell in row:
                            if self._is_in_cell(cell, known):
                                self._note(path, f"table {table}")
        except sqlite3.DatabaseError as error:
            self._proof.unsearched[str(path)] = str(error)

    def _is_in_cell(self, cell: object, known: Surroundings) -> bool:
        if isinstance(cell, str):
            self._needles.note(cell, known)
            return self._needles.are_in_text(cell)
        return isinstance(cell, bytes) and self._needles.are_in(cell)


def _pages(head: bytes) -> Callable[[int], tuple[int, int]] | None:
    """Given how a database or its write-ahead log begins, return what says where the page of a place
    begins and ends: a long value goes on in another. None for any other file."""
    if head.startswith(_DATABASE):
        size, first, frame = int.from_bytes(head[16:18]), 0, 0
        size = 65_536 if size == 1 else size
    elif head[:4] in _LOGS:
        size, first, frame = int.from_bytes(head[8:12]), 32, 24
    else:
        return None

    def around(place: int) -> tuple[int, int]:
        page = first + max(place - first, 0) // (size + frame) * (size + frame) + frame
        return min(page + _NEXT, place), page + size

    return around


def _blocks(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield what is in a file, each with where it begins."""
    with path.open("rb") as file:
        tail, start = b"", 0
        while block := file.read(BLOCK):
            yield start - len(tail), tail + block
            start += len(block)
            tail = block[-OVERLAP:]


def _inflated(path: Path) -> bytes:
    try:
        return zlib.decompressobj().decompress(path.read_bytes(), LARGEST)
    except zlib.error:
        return b""  # it only begins like one, and was read as it is
