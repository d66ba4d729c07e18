"""A document's file in the worktree: read and written without following a link, or leaving it."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from ...memory.errors import HermesError

LARGEST = 4_000_000
"""Bytes of a document that is changed."""


class NotWritable(HermesError):
    """A document's file is not one that hermes writes to."""

    code = "not_writable"


def read_file(worktree: Path, path: str) -> bytes:
    """Return what a file of the worktree holds. Raise NotWritable for what is no plain file there:
    a link, a folder, something in another repository, something too large."""
    with (
        _folder(worktree, path) as (folder, name),
        os.fdopen(_opened(folder, name, path), "rb") as file,
    ):
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise NotWritable(f"{path} is larger than {LARGEST:,} bytes")
    return data


def replace_file(worktree: Path, path: str, data: bytes) -> None:
    """Put other content in a file's place, whole or not at all; its mode stays.

    Raise NotWritable as `read_file` does, and where the disk refuses.
    """
    with _folder(worktree, path) as (folder, name):
        file = _opened(folder, name, path)
        mode = stat.S_IMODE(os.fstat(file).st_mode)
        os.close(file)
        # Not named like a document: what watches the folder is to take no notice.
        beside = f".{name[:100]}.{secrets.token_hex(4)}.swp"
        try:
            made = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=folder)
            with os.fdopen(made, "wb") as new:
                new.write(data)
                new.flush()
                os.fchmod(new.fileno(), mode)
                os.fsync(new.fileno())
            os.rename(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
        except OSError as error:
            with suppress(OSError):
                os.unlink(beside, dir_fd=folder)
            raise NotWritable(f"{path} can't be written: {error.strerror}") from error


@contextmanager
def _folder(worktree: Path, path: str) -> Generator[tuple[int, str]]:
    """Open the folder that a file is in, step by step: no step may be a link, so that nobody can
    lead us elsewhere, not even by changing a folder meanwhile."""
    *folders, name = path.split("/")
    if not name or any(part in ("", ".", "..", ".git") for part in (*folders, name)):
        raise NotWritable(f"{path} is no path of a document in the worktree")
    opened = _step(None, str(worktree), path)
    try:
        for part in folders:
            inner = _step(opened, part, path)
            os.close(opened)
            opened = inner
            if _is_there(".git", opened):
                raise NotWritable(f"{path} lies in another repository ({part})")
        yield opened, name
    finally:
        os.close(opened)


def _is_there(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return True


def _step(folder: int | None, name: str, path: str) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY | (os.O_NOFOLLOW if folder is not None else 0)
    try:
        return os.open(name, flags, dir_fd=folder)
    except OSError as error:
        raise NotWritable(_said(path, error)) from error


def _opened(folder: int, name: str, path: str) -> int:
    try:
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except OSError as error:
        raise NotWritable(_said(path, error)) from error
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise NotWritable(f"{path} is no plain file")
    return file


def _said(path: str, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return f"{path} is not in the worktree any more"
    if error.errno in (errno.ELOOP, errno.ENOTDIR):  # what O_NOFOLLOW says of links
        return f"{path} is, or lies behind, a symbolic link; hermes does not follow it"
    return f"{path} can't be opened: {error.strerror}"
