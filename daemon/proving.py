"""Looks whether words are anywhere in hermes's files, whatever those are packed in.

Every file is read as it is; what is compressed is unpacked (git's objects, gzip), databases are also
read row by row, since a long text lies in them in pieces. What can't be looked into is named.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from ..memory.sieve import words

BLOCK = 1 << 20
OVERLAP = 4_096
"""Bytes read twice, so that nothing is missed where one block ends."""
LARGEST = 64 << 20
"""Bytes that a packed file may have once it is unpacked."""
_PACKED = {b"\x28\xb5\x2f\xfd": "zstd", b"\xfd7zXZ\x00": "xz", b"BZh": "bzip2", b"PK\x03\x04": "zip",
           b"7z\xbc\xaf": "7z", b"\x04\x22\x4d\x18": "lz4"}  # fmt: skip

Unpack = Callable[[Path], Iterator[bytes]]


@dataclass(slots=True)
class Proof:
    """What a search came to."""

    files: int = 0
    bytes: int = 0
    rows: int = 0
    """Of databases and of the vector store."""
    left: dict[str, str] = field(default_factory=dict[str, str])
    """Where something is left, and in what of it."""
    unsearched: dict[str, str] = field(default_factory=dict[str, str])
    """What could not be searched, and why."""


class Needles:
    """What is sought, in the forms in which a file may have it. Case does not matter."""

    def __init__(self, sought: Iterable[str]) -> None:
        sought = list(sought)
        forms: set[bytes] = set()
        patterns: set[str] = set()
        for text in sought:
            for form in (text, text.replace("@", "%40"), json.dumps(text)[1:-1], quote(text)):
                forms |= {form.encode(), form.casefold().encode(), form.upper().encode()}
                forms.add(form.encode("utf-16-le"))
            parts = words(text)
            if len(parts) > 1 and "/" not in text and "@" not in text:
                patterns.add(r"[\s\xa0]+".join(map(re.escape, parts)))
        escaped = sorted({re.escape(form) for form in forms}, key=lambda form: (-len(form), form))
        told = b"|".join(escaped)
        # A longer word that holds it is another word: Jo Roe is not Jo Roebuck.
        self._raw = re.compile(rb"(?<![0-9A-Za-z])(?:" + told + rb")(?![0-9A-Za-z])", re.IGNORECASE)
        self._escaped = re.compile(rb"\\[nrt](?:" + told + rb")(?![0-9A-Za-z])", re.IGNORECASE)
        self._text = re.compile("|".join(patterns), re.IGNORECASE) if patterns else None
        self._lower = {form.lower() for form in forms}
        self.pattern = "|".join(
            r"\s+".join(map(re.escape, text.split())) for text in sorted(set(sought))
        )
        """Finds, whatever its case, all that may hold one; for Python and RE2."""
        self.any = bool(forms)

    def are_in(self, data: bytes) -> bool:
        """Say whether any is in these bytes."""
        lower = data.lower()  # much faster than the patterns, which settle the rest
        if not any(form in lower for form in self._lower):
            return False
        return bool(self._raw.search(data) or self._escaped.search(data))

    def are_in_text(self, text: str) -> bool:
        """Say whether any is in this text, also where its words are set apart otherwise."""
        if self._text is not None and self._text.search(text):
            return True
        return self.are_in(text.encode("utf-8", "surrogatepass"))


def search(
    folders: Sequence[Path],
    needles: Needles,
    *,
    unpack_git: Unpack,
    spare: Callable[[Path], bool] = lambda path: False,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Proof:
    """Return where any of the needles is below the folders, links not followed. ``unpack_git``
    yields the objects of a pack; ``spare`` leaves out what goes itself afterwards."""
    proof = Proof()
    paths = sorted({path for folder in folders for path in _files(folder)})
    for number, path in enumerate(paths):
        if not spare(path):
            _look_into(path, needles, proof, unpack_git)
        on_progress(number + 1, len(paths))
    return proof


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        for name in (*files, *(each for each in folders if os.path.islink(Path(place, each)))):
            yield Path(place, name)


def _look_into(path: Path, needles: Needles, proof: Proof, unpack_git: Unpack) -> None:
    if needles.are_in(os.fsencode(path.name)):
        proof.left[str(path)] = "its name"
    try:
        if path.is_symlink():
            if needles.are_in(os.fsencode(os.readlink(path))):
                proof.left[str(path)] = "where it leads to"
            return
        if not path.is_file():  # a socket
            return
        with path.open("rb") as file:
            head = file.read(16)
        proof.files += 1
        proof.bytes += path.stat().st_size
        if any(needles.are_in(block) for block in _blocks(path)):
            proof.left[str(path)] = "its text"
        _look_deeper(path, head, needles, proof, unpack_git)
    except FileNotFoundError:  # it went meanwhile
        return
    except OSError as error:
        proof.unsearched[str(path)] = error.strerror or str(error)


def _look_deeper(
    path: Path, head: bytes, needles: Needles, proof: Proof, unpack_git: Unpack
) -> None:
    if head.startswith(b"SQLite format 3\0"):
        _look_into_rows(path, needles, proof)
    elif head.startswith(b"\x1f\x8b"):
        try:
            with gzip.open(path) as file:
                if needles.are_in(file.read(LARGEST)):
                    proof.left[str(path)] = "its text, unpacked"
        except (EOFError, zlib.error, gzip.BadGzipFile):
            proof.unsearched[str(path)] = "it is no whole gzip file"
    elif head.startswith(b"PACK") and path.suffix == ".pack":
        if any(needles.are_in(block) for block in unpack_git(path)):
            proof.left[str(path)] = "an object of git"
    elif head[:1] == b"\x78" and head[:2] in (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda"):
        if needles.are_in(_inflated(path)):
            proof.left[str(path)] = "its text, inflated"
    else:
        for magic, name in _PACKED.items():
            if head.startswith(magic):
                proof.unsearched[str(path)] = f"it is packed with {name}"


def _blocks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        tail = b""
        while block := file.read(BLOCK):
            yield tail + block
            tail = block[-OVERLAP:]


def _inflated(path: Path) -> bytes:
    try:
        return zlib.decompressobj().decompress(path.read_bytes(), LARGEST)
    except zlib.error:
        return b""  # it only begins like one, and was read as it is


def _look_into_rows(path: Path, needles: Needles, proof: Proof) -> None:
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as db:
            for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'"):
                for row in db.execute(f'SELECT * FROM "{table}"'):
                    proof.rows += 1
                    for cell in row:
                        if (isinstance(cell, str) and needles.are_in_text(cell)) or (
                            isinstance(cell, bytes) and needles.are_in(cell)
                        ):
                            proof.left[str(path)] = f"table {table}"
    except sqlite3.DatabaseError as error:
        proof.unsearched[str(path)] = str(error)
