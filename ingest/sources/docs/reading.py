"""A file into an item: what it says, what it is by its conventions, who wrote it, and when."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable
from pathlib import PurePosixPath

from ....memory.records import Item, ItemKind, Link, LinkKind
from ...documents import decisions, front_matter, postmortems
from ...documents.cleaning import clean
from ...documents.dates import day_of
from ...documents.decisions import Decision
from ...documents.decoding import BINARY, NotText, decode
from ...documents.formats import Format
from ...documents.notebook import NotANotebook, as_markdown
from ...documents.sections import outline
from ...private import without_private
from .files import MAX_BYTES, MAX_NOTEBOOK, File, Listing
from .worktrees import Written

_PEEK = 8_192


class LeftOut(Exception):
    """A file that is not taken in, with why."""


class Reader:
    """Reads the files of one sync."""

    def __init__(self, listing: Listing, should_stop: Callable[[], bool]) -> None:
        self._should_stop = should_stop
        self._by_number: dict[tuple[str, int], File] = {}
        """Decision records, by their folder and number."""
        self._by_name = listing.files
        for file in listing.files.values():
            if (number := decisions.number_of(file.name)) is not None:
                self._by_number.setdefault((file.folder, number), file)

    def bytes_of(self, file: File) -> bytes:
        """Return what a file holds. Raise LeftOut."""
        limit = MAX_NOTEBOOK if file.format is Format.NOTEBOOK else MAX_BYTES
        data = _beginning(file.path, limit + 1)
        if len(data) > limit:
            raise LeftOut("too big")
        return data

    def item_of(self, file: File, data: bytes, begun: int) -> tuple[Item, str]:
        """Return the item that a file makes, and what is to be said of it, if anything. It is of
        the day that it says itself, else of its first commit, else ``begun`` then. Raise LeftOut.
        """
        try:
            text, encoding = decode(data)
            if file.format is Format.NOTEBOOK:
                text = as_markdown(text)[:MAX_BYTES]
        except (NotText, NotANotebook) as error:
            raise LeftOut(str(error)) from error
        fields, text = front_matter.split(without_private(text))
        text = clean(text, file.format).strip("\n")
        title = _one(fields.get("title", ())) or outline(text, file.format).title
        title = title[:300] or _spoken(file)
        decision = decisions.read(file.name, title, text, fields)
        told = None if decision else postmortems.read(file.name, title, text, fields)
        known = decision or told
        day = known.date if known else None
        day = day if day is not None else day_of(*fields.get("date", ()))
        written = self._written(file)
        seconds = file.mtime // 1_000_000_000
        first = written.time if written else begun
        last = seconds if written is None or self._is_altered(file) else written.last_time
        named = known.people if known else _authors(fields)
        people = _people(written, named)
        item = Item(
            source="docs",
            ref=file.ref,
            kind=ItemKind.DOCUMENT,
            repo=file.repo,
            title=decision.title if decision else title,
            text=_with_subjects(text, fields),
            author=people[0][0] if people else "",
            email=people[0][1] if people else "",
            time=day if day is not None else first,
            changed=max(last, day or 0),
            key=decision.key if decision else "",
            state=decision.state if decision else "",
            people=people,
            path=file.inside,
            links=self._links(file, decision) if decision else (),
        )
        return item, f"read as {encoding}: {file.path}" if encoding == "Latin-1" else ""

    def _written(self, file: File) -> Written | None:
        if file.worktree is None:
            return None
        return file.worktree.written(self._should_stop).get(file.worktree.inside(file.path))

    def _is_altered(self, file: File) -> bool:
        return file.worktree is not None and (
            file.worktree.inside(file.path) in file.worktree.altered
        )

    def _links(self, file: File, decision: Decision) -> tuple[Link, ...]:
        """What it takes the place of: by the file that is named, else by its number."""
        targets: list[str] = []
        for named in decision.supersedes:
            path = os.path.normpath(os.path.join(file.folder, named.path)) if named.path else ""
            other = self._by_name.get(path)
            if other is None and named.number is not None:
                other = self._by_number.get((file.folder, named.number))
            if other is not None and other is not file:
                targets.append(other.ref)
        return tuple(Link(LinkKind.SUPERSEDES, target) for target in dict.fromkeys(targets))


def begins_binary(path: str) -> bool:
    """Say whether a file begins as no text does; False where it can't be read."""
    try:
        decode(_beginning(path, _PEEK))
    except NotText as error:
        return str(error) == BINARY
    except LeftOut:
        return False
    return False


def _beginning(path: str, size: int) -> bytes:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(handle, "rb") as opened:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise LeftOut("no regular file")
            return opened.read(size)
    except OSError as error:
        raise LeftOut(f"can't be read: {error.strerror}") from error


def _one(values: tuple[str, ...]) -> str:
    return values[0].strip() if values else ""


def _with_subjects(text: str, fields: front_matter.Fields) -> str:
    """Keep of the front matter what says what a document is about."""
    said = [
        f"{name.capitalize()}: {', '.join(fields[name])}"
        for name in ("services", "service", "tags", "keywords")
        if name in fields
    ]
    return "\n\n".join(part for part in ("\n".join(said), text) if part)


def _authors(fields: front_matter.Fields) -> tuple[str, ...]:
    return tuple(name for key in ("author", "authors") for name in fields.get(key, ()))


def _people(written: Written | None, named: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Who wrote it: whom git knows, then those that it names itself."""
    found: list[tuple[str, str]] = []
    if written is not None:
        found += [(written.author, written.email), (written.last_author, written.last_email)]
    known = {name.casefold() for name, _ in found}
    for name in named:
        plain, _, email = name.partition("<")
        if plain.strip() and plain.strip().casefold() not in known:
            found.append((plain.strip(), email.rstrip("> ").strip()))
    return tuple(dict.fromkeys(found))


def _spoken(file: File) -> str:
    """Return a name for what has no title: ``disk full`` for ``disk-full.md``."""
    name = PurePosixPath(file.path)
    return re.sub(r"[-_\s]+", " ", name.stem).strip() or name.name
