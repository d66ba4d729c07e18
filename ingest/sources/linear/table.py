"""Tickets from a CSV export, as Linear writes it or as a spreadsheet has saved it again.

Columns are found by their names, whatever their order, case and language of the dates. A field that
a spreadsheet could take for a formula has an apostrophe before it.
"""

from __future__ import annotations

import base64
import codecs
import csv
import json
import os
import re
import zlib
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from ....memory.records import Item, ItemChange, Link, LinkKind
from ..contract import Contact, Offered, Page, SourceAway, SourceBroken
from ..github.fields import seconds
from ..ticket import NOBODY, Person, Ticket, item_of
from .tickets import ref_of

PAGE = 200
"""Rows."""
LARGEST_FIELD = 4_000_000
"""Characters of one field."""
SAMPLE = 65_536
NEEDED = ("id", "title", "created")
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9]*-[1-9]\d*", re.ASCII)
_FORMULA = re.compile(r"'(?=[+\-=@∑√∏<>＜＞≤≥＝≠±÷×])")
_SPELT = re.compile(
    r"\w{3} (\w{3}) (\d{1,2}) (\d{4}) (\d\d:\d\d:\d\d) GMT([+-]\d\d)(\d\d)", re.ASCII
)
"""``Wed May 13 2026 11:21:41 GMT+0000 (GMT+00:00)``, as browsers write it."""
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

Row = Mapping[str, str]


@dataclass
class Cursor:
    """Where reading is."""

    stamp: str = ""
    """What the file looked like whose rows were read."""
    rows: int = 0
    """How many of them."""
    keys: list[str] = field(default_factory=list[str])
    """The tickets in them."""
    before: list[str] = field(default_factory=list[str])
    """Those of the file that was read before it."""

    @classmethod
    def load(cls, text: str) -> Cursor:
        """Return what `dump` wrote; a new one for anything else."""
        try:
            return cls(**json.loads(zlib.decompress(base64.b85decode(text)))) if text else cls()
        except (ValueError, TypeError, zlib.error):
            return cls()

    def dump(self) -> str:
        """Return it as text."""
        fields = [("stamp", self.stamp), ("rows", self.rows), ("keys", self.keys)]
        text = json.dumps(dict(fields) | {"before": self.before})
        return base64.b85encode(zlib.compress(text.encode())).decode()


class CsvExport:
    """One file."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)

    def contacts(self) -> tuple[Contact, ...]:
        """Nobody: it is read from disk."""
        return ()

    def discover(self) -> tuple[Offered, ...]:
        """Look whether it is such a table. Raise SourceAway or SourceBroken."""
        with self._opened() as (file, _, _):
            next(_rows(file), None)
        return (Offered(str(self._path), True),)

    def fetch(self, cursor: str, should_stop: Callable[[], bool]) -> Iterator[Page]:
        """Yield its tickets, and what an earlier file had that it does not have any more. Raise
        SourceAway, or SourceBroken at the row that is damaged."""
        place = Cursor.load(cursor)
        with self._opened() as (file, stamp, note):
            if place.stamp != stamp or not place.rows:
                known = dict.fromkeys((*place.before, *place.keys))
                place = Cursor(stamp, 0, [], list(known))
            notes = [note] if note else []
            items: list[Item] = []
            done = 0
            for number, row in enumerate(_rows(file), start=1):
                if number <= place.rows:
                    continue
                item = _read(row)
                if item is None:
                    notes.append(f"row {number} has no key or no date")
                else:
                    items.append(item)
                    place.keys.append(item.key)
                done = number
                if len(items) + len(notes) >= PAGE:
                    place.rows = number
                    yield Page(
                        tuple(items),
                        cursor=place.dump(),
                        done=number,
                        unit="tickets",
                        notes=tuple(notes),
                    )
                    items, notes = [], []
                    if should_stop():
                        return
        kept = set(place.keys)
        gone = [ref_of(key) for key in place.before if key not in kept]
        last = Cursor(stamp, 0, place.keys, [])
        yield Page(
            tuple(items),
            tuple(gone),
            last.dump(),
            done=max(done, place.rows),
            unit="tickets",
            notes=tuple(notes),
        )

    @contextmanager
    def _opened(self) -> Generator[tuple[TextIO, str, str]]:
        """Open the file; hand out what it says, what it looks like from outside, and a note on how
        it is written where that had to be guessed."""
        try:
            encoding, note = _encoding(self._path)
            with self._path.open(encoding=encoding, newline="") as file:
                found = os.fstat(file.fileno())
                yield file, f"{found.st_size}:{found.st_mtime_ns}", note
        except UnicodeDecodeError as error:
            raise SourceBroken(
                f"{self._path.name} is no text from byte {error.start:,} on",
                hint="export it again as CSV",
            ) from error
        except OSError as error:
            raise SourceAway(f"{self._path} can't be read: {error.strerror}") from error
        except csv.Error as error:
            raise SourceBroken(
                f"{self._path.name} ends or breaks in the middle of a field: {error}",
                hint="export it again; what was read until there stays",
            ) from error


def _encoding(path: Path) -> tuple[str, str]:
    """Return how a file is encoded, and a note where it does not say so itself."""
    with path.open("rb") as file:
        start = file.read(4)
        if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return "utf-16", ""
        decoder = codecs.getincrementaldecoder("utf-8")()
        try:
            decoder.decode(start)
            while piece := file.read(1 << 20):
                decoder.decode(piece)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return "cp1252", "it is not in UTF-8: it was read as Windows-1252"
    return "utf-8-sig", ""


def _rows(file: TextIO) -> Iterator[Row]:
    """Yield rows by the names of their columns. Raise SourceBroken, csv.Error."""
    csv.field_size_limit(LARGEST_FIELD)
    sample = file.read(SAMPLE)
    file.seek(0)
    reader = csv.reader(file, delimiter=_delimiter(sample), strict=True)
    header = [name.strip().casefold() for name in next(reader, list[str]())]
    missing = [name for name in NEEDED if name not in header]
    if missing:
        raise SourceBroken(
            f"this is no export of Linear: it has no column {missing[0].title()}",
            hint="in Linear: Settings, Import / Export, Export CSV",
        )
    for row in reader:
        if row:
            yield {
                name: _FORMULA.sub("", value, 1) for name, value in zip(header, row, strict=False)
            }


def _delimiter(sample: str) -> str:
    """Return what stands between the names of the columns."""
    first = re.sub(r'"[^"]*"', "", sample.partition("\n")[0])
    return max(",;\t", key=first.count)


def _read(row: Row) -> Item | None:
    """Return the item of a row; None where it says too little to be one."""
    key, begun = row.get("id", "").strip(), moment(row.get("created", ""))
    if not _KEY.fullmatch(key) or begun is None:
        return None
    state = row.get("status", "").strip()
    closed = moment(row.get("completed", "")) or moment(row.get("canceled", ""))
    others = (
        row.get(name, "") for name in ("parent issue", "related to", "blocked by", "duplicate of")
    )
    keys = dict.fromkeys(found for text in others for found in _KEY.findall(text))
    return item_of(
        Ticket(
            source="linear",
            ref=ref_of(key),
            key=key,
            title=row.get("title", ""),
            author=_person(row.get("creator", "")),
            time=begun,
            changed=moment(row.get("updated", "")) or begun,
            description=row.get("description", ""),
            labels=tuple(part.strip() for part in row.get("labels", "").split(",") if part.strip()),
            changes=(ItemChange(closed or begun, "state", state),) if state else (),
            state=state,
            closed=closed,
            assignee=_person(row.get("assignee", "")),
            links=tuple(Link(LinkKind.ITEM, ref_of(other)) for other in keys),
        )
    )


def _person(said: str) -> Person:
    """Return a name, or the person behind an address: the table has the one or the other."""
    said = said.strip()
    if not said:
        return NOBODY
    return (said.partition("@")[0], said) if "@" in said else (said, "")


def moment(said: str) -> int | None:
    """Return a time of the table in seconds; None if it is empty or none."""
    said = said.strip()
    if (found := _SPELT.match(said)) and found[1] in _MONTHS:
        month = _MONTHS.index(found[1]) + 1
        said = f"{found[3]}-{month:02}-{int(found[2]):02}T{found[4]}{found[5]}:{found[6]}"
    return seconds(said) if said else None
