"""The source of documents: what is new, changed or gone, page by page."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ....memory.records import Item, Repo
from ..contract import Contact, Offered, Options, Page
from . import cursor as cursors
from .cursor import Print, Prints
from .files import File, look
from .reading import LeftOut, Reader, begins_binary

PAGE_FILES = 200
PAGE_BYTES = 2_000_000
"""Of files that are read for one page."""
NAMED = 5
"""Files that are named as left out, of each reason."""


def open_source(options: Options, secret: str | None, repos: Sequence[Repo]) -> Documents:
    """Return the source for what ``options`` made. There is no secret to it."""
    del secret
    return Documents(tuple(options["patterns"]), tuple(repos))


def is_current(options: Options, cursor: str, repos: Sequence[Repo]) -> bool:
    """Say whether files are as they were when ``cursor`` was made; none is opened. Raise
    SourceAway."""
    files = look(tuple(options["patterns"]), tuple(repos)).files
    prints, same_readers = cursors.load(cursor)
    return (
        same_readers
        and not prints.others(files)
        and all(
            (before := prints.get(name)) is not None
            and (before.mtime, before.size) == (file.mtime, file.size)
            for name, file in files.items()
        )
    )


@dataclass(frozen=True, slots=True)
class Documents:
    """Files, folders and globs of documents; those in a repository as its working tree has them."""

    patterns: tuple[str, ...]
    repos: tuple[Repo, ...]

    def contacts(self) -> tuple[Contact, ...]:
        """Nobody: documents are read from disk."""
        return ()

    def discover(self) -> tuple[Offered, ...]:
        """List the files, those that are left out too. Raise SourceAway."""
        listing = look(self.patterns, self.repos)
        why = dict(listing.left_out)
        for file in listing.files.values():
            if begins_binary(file.path):
                why[file.path] = "binary"
        paths = sorted({file.path for file in listing.files.values()} | why.keys())
        return tuple(Offered(path, path not in why, why.get(path, "")) for path in paths)

    def fetch(self, cursor: str, should_stop: Callable[[], bool]) -> Iterator[Page]:
        """Yield what is new, changed or gone since ``cursor``. Raise SourceAway.

        A file whose size and time are as they were is not read again; of one that was only touched
        no item comes.
        """
        listing = look(self.patterns, self.repos, should_stop)
        if should_stop():
            return
        prints, same_readers = cursors.load(cursor)
        page = _Building(prints, total=len(listing.files), notes=[*listing.notes])
        page.notes += _notes(listing.left_out)
        for key in prints.others(listing.files):
            page.drop(key)
        reader = Reader(listing, should_stop)
        for done, file in enumerate(listing.files.values(), 1):
            if should_stop():
                return
            before = prints.get(file.name)
            as_before = before is not None and (before.mtime, before.size) == (
                file.mtime,
                file.size,
            )
            if not (as_before and same_readers):
                page.take(reader, file, before, again=not same_readers)
            if page.is_full and done < len(listing.files):
                yield page.finished(done)
                page = _Building(prints, total=page.total)
        yield page.finished(len(listing.files))


@dataclass(slots=True)
class _Building:
    """A page that is being made."""

    prints: Prints
    """What was read so far; the pages of one sync share it."""
    total: int
    notes: list[str] = field(default_factory=list[str])
    items: list[Item] = field(default_factory=list[Item])
    gone: set[str] = field(default_factory=set[str])
    """Keys of what is not to be in memory any more."""
    read: int = 0
    """Files."""
    bytes: int = 0

    @property
    def is_full(self) -> bool:
        return self.read >= PAGE_FILES or self.bytes >= PAGE_BYTES

    def drop(self, key: str) -> None:
        """Say that what was read of a file is in memory no more."""
        before = self.prints.pop(key)
        if not before.why:
            self.gone.add(key)

    def take(self, reader: Reader, file: File, before: Print | None, *, again: bool) -> None:
        """Read a file, ``again`` though it says what it said. What of it can't be taken in is not
        left in memory as it once was."""
        begun = before.begun if before is not None else file.mtime // 1_000_000_000
        why = ""
        data = b""
        try:
            data = reader.bytes_of(file)
            digest = hashlib.sha256(data).hexdigest()[:16]
            if again or before is None or before.digest != digest:
                item, note = reader.item_of(file, data, begun)
                self.items.append(item)
                self.notes += [note] if note else []
            else:
                why = before.why
        except LeftOut as error:
            why = str(error)
            digest = hashlib.sha256(data).hexdigest()[:16]
            self.notes.append(f"left out, {why}: {file.path}")
        if why and before is not None:
            self.drop(self.prints.key(file.name))
        self.prints.put(file.name, Print(file.mtime, file.size, digest, begun, why))
        self.read += 1
        self.bytes += len(data)

    def finished(self, done: int) -> Page:
        gone, prints = self.gone, self.prints
        return Page(
            items=tuple(self.items),
            is_gone=(lambda ref: prints.key(ref.removeprefix("docs:")) in gone) if gone else None,
            cursor=self.prints.dump(),
            done=done,
            total=self.total,
            unit="files",
            notes=tuple(self.notes),
        )


def _notes(left_out: Mapping[str, str]) -> list[str]:
    """Say what was left out, a line for each reason; of many files the first ones by name."""
    by_reason: dict[str, list[str]] = {}
    for path, why in sorted(left_out.items()):
        by_reason.setdefault(why, []).append(path)
    notes: list[str] = []
    for why, paths in sorted(by_reason.items()):
        more = f", and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
        notes.append(f"left out, {why}: {', '.join(paths[:NAMED])}{more}")
    return notes
