"""The files of an export: a zip archive as Slack gives it, or a folder that it was unpacked to.

Nothing is ever unpacked to disk, and only names that an export has are opened, so an archive can't
write anywhere or lead out of itself. Sizes are looked at before anything is read.
"""

from __future__ import annotations

import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Protocol

from ..contract import SourceBroken

SMALL = 256 * 1024 * 1024
"""Bytes that may come out of any archive."""
RATIO = 100
"""Times its own size that a larger archive may hold; chat shrinks to a tenth, rarely a thirtieth."""
MOST = 64 * 1024**3
"""Bytes that may come out of an archive at all."""
DIRECTORY = 128 * 1024 * 1024
"""Bytes of an archive's table of contents: some million files."""
FAULTS = (OSError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
"""What reading one file of an archive may fail with: damaged, encrypted, packed in an odd way."""
_AGAIN = "download it again, or export anew"


class Archive(Protocol):
    """The files of an export by name: ``channels.json``, ``eng-platform/2026-03-12.json``."""

    names: tuple[str, ...]
    notes: list[str]
    """What is left out of it."""

    def open(self, name: str) -> IO[bytes]:
        """Return a file's bytes. Raise one of FAULTS, now or while they are read."""
        ...


@contextmanager
def open_archive(path: Path) -> Generator[Archive]:
    """Give the files of the export at a path. Raise SourceBroken where it is none."""
    if path.is_dir():
        yield _Folder.read(path)
        return
    try:
        size = _directory_size(path)
        if size > DIRECTORY:
            raise SourceBroken(f"{path} lists more files than an export has", hint=_AGAIN)
        packed = zipfile.ZipFile(path)
    except FileNotFoundError:
        raise SourceBroken(
            f"{path} is not there any more",
            hint="put it back, or `hermes sources remove` it: what it brought stays",
        ) from None
    except (OSError, zipfile.BadZipFile, struct.error, NotImplementedError) as error:
        raise SourceBroken(f"{path} {_whats_wrong(path, error)}", hint=_AGAIN) from None
    with packed:
        yield _Zip.read(path, packed)


def _whats_wrong(path: Path, error: Exception) -> str:
    if isinstance(error, OSError):
        return f"can't be read: {error.strerror or error}"
    with path.open("rb") as file:
        begins = file.read(4)
    if begins == b"PK\x03\x04":
        return "is not whole: its end is missing, as of a download that broke off"
    return "is empty" if not begins else "is no zip archive, which a Slack export is"


def _directory_size(path: Path) -> int:
    """Return how long an archive's table of contents says it is: all of it is read into memory
    when the archive is opened. 0 where its end is missing."""
    with path.open("rb") as file:
        length = file.seek(0, os.SEEK_END)
        file.seek(max(0, length - 65_557))
        tail = file.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < 22:
        return 0
    size: int = struct.unpack_from("<I", tail, at + 12)[0]
    if size == 0xFFFFFFFF:  # zip64: the figure is in a record of its own
        record = tail.rfind(b"PK\x06\x06", 0, at)
        size = struct.unpack_from("<Q", tail, record + 40)[0] if record >= 0 else size
    return size


@dataclass
class _Zip:
    packed: zipfile.ZipFile
    entries: dict[str, zipfile.ZipInfo]
    notes: list[str] = field(default_factory=list[str])
    names: tuple[str, ...] = ()

    @classmethod
    def read(cls, path: Path, packed: zipfile.ZipFile) -> _Zip:
        found: dict[str, zipfile.ZipInfo] = {}
        odd = 0
        for entry in packed.infolist():
            name = entry.orig_filename
            if entry.is_dir() or not name.endswith(".json") or name.startswith("__MACOSX/"):
                continue
            if not _is_plain(name) or stat.S_ISLNK(entry.external_attr >> 16) or name in found:
                odd += 1
                continue
            found[name] = entry
        total = sum(entry.file_size for entry in found.values())
        size = path.stat().st_size
        if total > MOST or (total > SMALL and total > RATIO * size):
            raise SourceBroken(
                f"{path} would unpack to {total >> 20:,} MB from {size >> 20:,} MB:"
                " that is no export",
                hint="nothing of it was read",
            )
        base = _base(found)
        entries = {name[len(base) :]: found[name] for name in found if name.startswith(base)}
        notes = [_left_out(odd)] if odd else []
        return cls(packed, entries, notes, tuple(sorted(entries)))

    def open(self, name: str) -> IO[bytes]:
        return self.packed.open(self.entries[name])


@dataclass
class _Folder:
    root: Path
    notes: list[str]
    names: tuple[str, ...]

    @classmethod
    def read(cls, root: Path) -> _Folder:
        found: list[str] = []
        odd = 0
        try:
            for entry in os.scandir(root):
                if entry.is_symlink():
                    odd += 1
                elif entry.is_dir():
                    for inner in os.scandir(entry.path):
                        if inner.is_symlink():
                            odd += 1
                        elif inner.name.endswith(".json"):
                            found.append(f"{entry.name}/{inner.name}")
                elif entry.name.endswith(".json"):
                    found.append(entry.name)
        except OSError as error:
            raise SourceBroken(
                f"{error.filename or root} can't be read: {error.strerror}"
            ) from None
        return cls(root, [_left_out(odd)] if odd else [], tuple(sorted(found)))

    def open(self, name: str) -> IO[bytes]:
        return (self.root / name).open("rb")


def _is_plain(name: str) -> bool:
    """Whether a name stays below where it is put: no ``..``, no root, no drive, no backslash."""
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and not set("\\:\0") & set(name)


def _left_out(odd: int) -> str:
    names = "a file" if odd == 1 else f"{odd} files"
    return f"{names} of the export with a name or a link that leads elsewhere, or listed twice"


def _base(names: dict[str, zipfile.ZipInfo]) -> str:
    """Return the folder of the archive that holds the export: some tools put one around it."""
    homes = [name.removesuffix("channels.json") for name in names if name.endswith("channels.json")]
    homes += [name.removesuffix("users.json") for name in names if name.endswith("users.json")]
    whole = [home for home in homes if not home or home.endswith("/")]
    return min(whole, key=lambda home: (home.count("/"), home), default="")
