"""The raw log: what happened, one JSON object a line, one file a day; append-only and readable."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, cast

from filelock import FileLock

from .errors import NoSpace, ReadOnly
from .plain import deep
from .sieve import Sieve
from .text import storable

_NO_SPACE = {28, 122, 27}  # ENOSPC, EDQUOT, EFBIG


class RawLog:
    """Files ``YYYY-MM-DD.jsonl`` (UTC) in one folder. Safe to append to from several processes."""

    def __init__(self, folder: Path, sieve: Callable[[], Sieve] = Sieve) -> None:
        """``sieve`` returns what may not be written down any more."""
        self.folder = folder
        self._sieve = sieve

    def append(self, kind: str, **fields: Any) -> None:
        """Write down that something of this ``kind`` happened. Raise NoSpace or ReadOnly.

        ``fields`` is what JSON can hold. The line goes out in one write, so lines never mix.
        """
        now = datetime.now(UTC)
        if sieve := self._sieve():
            fields = deep(fields, sieve.clean)
        entry = {"at": now.isoformat(timespec="milliseconds"), "kind": kind, **fields}
        line = storable(json.dumps(entry, ensure_ascii=False, separators=(",", ":"))) + "\n"
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._lock():
                self._write(self._file(now.date()), line.encode())
        except OSError as error:
            raise _translated(error, self.folder) from error

    @staticmethod
    def _write(path: Path, line: bytes) -> None:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            end = os.fstat(handle).st_size
            if end and os.pread(handle, 1, end - 1) != b"\n":
                line = b"\n" + line  # a torn last line stays alone
            if os.write(handle, line) != len(line):
                os.ftruncate(handle, end)
                raise OSError(28, os.strerror(28))
        finally:
            os.close(handle)

    def read(self, day: date) -> Iterator[dict[str, Any]]:
        """Return that day's entries in order; a line torn by a crash is left out."""
        with suppress(FileNotFoundError), self._file(day).open("rb") as file:
            for line in file:
                with suppress(ValueError):
                    entry: Any = json.loads(line)
                    if isinstance(entry, dict):
                        yield entry

    def days(self) -> list[date]:
        """Return the days that have a file, oldest first."""
        found: list[date] = []
        for path in sorted(self.folder.glob("*.jsonl")):
            with suppress(ValueError):
                found.append(date.fromisoformat(path.stem))
        return found

    def forget(self, repo: str) -> None:
        """Remove the entries whose ``repo`` is this one, or whose ``repos`` name it."""
        if not self.folder.is_dir():
            return
        with self._lock():
            for day in self.days():
                path = self._file(day)
                lines = path.read_bytes().splitlines(keepends=True)
                kept = [line for line in lines if not _is_of(line, repo)]
                if len(kept) != len(lines):
                    self._replace(path, b"".join(kept))

    def sift(
        self,
        sieve: Sieve,
        gone: Collection[str] = (),
        *,
        clean: Callable[[str], str] | None = None,
        dry_run: bool = False,
    ) -> int:
        """Take out what rules forget: entries that rest on a commit or an item of ``gone`` or are
        too old go, from others what is forgotten, and what ``clean`` takes out too. Return how many
        entries that were."""
        if not self.folder.is_dir():
            return 0
        count, refs = 0, frozenset(gone)
        with self._lock():
            for day in self.days():
                path = self._file(day)
                lines = path.read_bytes().splitlines(keepends=True)
                kept = [_sifted(line, sieve, refs, clean) for line in lines]
                changed = sum(one != other for one, other in zip(lines, kept, strict=True))
                count += changed
                if changed and not dry_run:
                    self._replace(path, b"".join(kept))
            if not dry_run:
                for left in self.folder.glob("*.new"):  # by one that was killed
                    left.unlink()
        return count

    @staticmethod
    def _replace(path: Path, content: bytes) -> None:
        fresh = path.with_suffix(".new")
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        fresh.replace(path)

    def _file(self, day: date) -> Path:
        return self.folder / f"{day.isoformat()}.jsonl"

    def _lock(self) -> FileLock:
        return FileLock(self.folder / ".lock", mode=0o600)


def _is_of(line: bytes, repo: str) -> bool:
    try:
        entry: Any = json.loads(line)
    except ValueError:
        return repo.encode() in line
    if not isinstance(entry, dict):
        return False
    fields = cast(dict[str, Any], entry)
    return fields.get("repo") == repo or repo in fields.get("repos", ())


def _sifted(
    line: bytes, sieve: Sieve, gone: frozenset[str], clean: Callable[[str], str] | None
) -> bytes:
    """Return what is left of an entry; nothing of one that can't be read."""
    try:
        entry: Any = json.loads(line)
        at = int(datetime.fromisoformat(entry["at"]).timestamp())
    except (ValueError, KeyError, TypeError):
        return b""
    if any(rule.is_of("", at) for _, rule in sieve.rules):
        return b""
    for source in (str(each) for each in entry.get("sources", ())):
        repo, _, rest = source.partition(":")
        ref, _, path = rest.rpartition(":")
        if {rest, ref, source, repo} & gone or (path and sieve.is_path(path)):
            return b""

    def cleaned(text: str) -> str:
        text = sieve.clean(text)
        return clean(text) if clean is not None else text

    left = deep(entry, cleaned)
    if left == entry:
        return line
    return storable(json.dumps(left, ensure_ascii=False, separators=(",", ":"))).encode() + b"\n"


def _translated(error: OSError, folder: Path) -> Exception:
    return NoSpace(folder) if error.errno in _NO_SPACE else ReadOnly(folder)
