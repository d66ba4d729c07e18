"""Reads a source into memory, page by page, from where it was left."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from ...memory.errors import HermesError
from ...memory.forgetting_rules import OfSource
from ...memory.memory import Memory
from ...memory.records import Item
from ...memory.sources import Fault, SourceRow
from ..items import take_in
from ..redaction import redact
from .contract import Page, Source, SourceAway, SourceBroken, SourceRefused
from .due import stamp_of
from .secrets import kept_in

MOST_NOTES = 20
"""Notes of what was left out that are kept; of more it is said how many."""
OF_FILE = frozenset({SourceRefused.code, SourceBroken.code, "usage"})
"""Failures that reading the same file again does not mend."""
NOT_OF_SOURCE = frozenset(
    {
        *("store_busy", "store_damaged", "store_too_new", "store_unreachable"),
        *("no_space", "read_only", "no_such_source"),
    }
)
"""Failures of memory, which say nothing of the source."""

OnProgress = Callable[[str, int, int], None]


@dataclass(slots=True)
class SyncReport:
    """What a sync brought."""

    source: str
    items: int = 0
    """That were given."""
    news: int = 0
    """Of them those that were not there, or not like this."""
    older: int = 0
    """Of them those that another source has brought in a newer state."""
    gone: int = 0
    """Items that are not there any more."""
    redacted: int = 0
    """Secrets that were in them."""
    read: int = 0
    unit: str = ""
    """How much was read, of what: ``messages``."""
    notes: list[str] = field(default_factory=list[str])
    more_notes: int = 0
    """Further ones that are not told."""
    finished: bool = False
    """Whether it was read to the end."""

    def note(self, texts: Iterable[str]) -> None:
        """Keep what was left out, each once, secrets taken out."""
        for text in texts:
            if text in self.notes:
                continue
            if len(self.notes) < MOST_NOTES:
                self.notes.append(redact(text)[0])
            else:
                self.more_notes += 1


def sync(
    memory: Memory,
    row: SourceRow,
    source: Source,
    should_stop: Callable[[], bool],
    on_progress: OnProgress = lambda phase, done, total: None,
    *,
    secret: str | None = None,
) -> SyncReport:
    """Take in what is new in a source since it was last read, and drop what is gone.

    Stopped or killed, the next call goes on behind the last page that was whole. How it ended is
    kept with the source. ``secret``, its token, is taken out of what an error says. Raise
    SourceRefused, SourceAway, SourceBroken, or what memory refuses with.
    """
    sources = memory.index.sources
    stamp = stamp_of(row.options)
    try:
        _refuse_forgotten(memory, row)
        row = sources.begin(row.name, int(time.time()))
        with kept_in(secret):
            report = _read(memory, row, source, should_stop, on_progress)
    except HermesError as error:
        if error.code not in NOT_OF_SOURCE:
            note_fault(memory, row, error)
        raise
    if report.finished:
        sources.succeed(row.name, int(time.time()), stamp, report.notes)
    return report


def note_fault(memory: Memory, row: SourceRow, error: HermesError) -> None:
    """Keep with a source why it could not be read."""
    stamp = stamp_of(row.options) if error.code in OF_FILE else row.stamp
    fault = Fault(error.code, redact(error.message)[0], redact(error.hint)[0])
    memory.index.sources.fail(row.name, fault, stamp, _until(error))


def _read(
    memory: Memory,
    row: SourceRow,
    source: Source,
    should_stop: Callable[[], bool],
    on_progress: OnProgress,
) -> SyncReport:
    report = SyncReport(row.name)
    lives = bool(source.contacts())
    for page in source.fetch(row.cursor, should_stop):
        _take(memory, row, page, report, lives=lives)
        report.read, report.unit = max(report.read, page.done), page.unit or report.unit
        on_progress(f"{row.name} {report.unit}".strip(), page.done, page.total or 0)
        if should_stop():
            break
    report.finished = not should_stop()
    return report


def _take(memory: Memory, row: SourceRow, page: Page, report: SyncReport, *, lives: bool) -> None:
    """Take in a page: first what it is about to bring, then its items, then that it is over."""
    sources = memory.index.sources
    given = {item.ref: item for item in page.items}
    gone = [ref for ref in _gone(memory, row, page) if ref not in given]
    sources.begin_page(row.name, given)
    newer = _newer(memory, row.name, list(given.values()))
    taken = take_in(memory, newer)
    _drop(memory, row.name, gone, lives=lives)
    sources.finish_page(row.name, gone, page.cursor)
    report.items += len(given)
    report.news += taken.news
    report.redacted += taken.redacted
    report.older += len(given) - len(newer)
    report.gone += len(gone)
    report.note(page.notes)


def _gone(memory: Memory, row: SourceRow, page: Page) -> list[str]:
    if page.is_gone is None:
        return list(page.gone)
    brought = memory.index.sources.brought(row.name)
    return [*page.gone, *(ref for _, ref in brought if page.is_gone(ref))]


def _newer(memory: Memory, name: str, items: Sequence[Item]) -> list[Item]:
    """Leave out what another source has brought and is as new there: an export is older than what
    the same place tells directly, and neither may undo the other."""
    elsewhere = memory.index.sources.brought_by_others(name, [item.ref for item in items])
    there = memory.index.items.get_all(elsewhere)
    return [
        item for item in items if item.ref not in there or item.changed > there[item.ref].changed
    ]


def _drop(memory: Memory, name: str, gone: Sequence[str], *, lives: bool) -> None:
    """Delete what is gone. A place that is asked directly knows; a file knows only of itself, so
    what another source brought as well stays."""
    kept = set[str]() if lives else memory.index.sources.brought_by_others(name, gone)
    memory.delete_items([ref for ref in gone if ref not in kept])


def _refuse_forgotten(memory: Memory, row: SourceRow) -> None:
    for number, rule in memory.index.withheld.sieve().rules:
        if isinstance(rule, OfSource) and rule.is_of(row.kind, 0):
            raise SourceRefused(
                f"what comes from {row.kind} is forgotten, so nothing of it is read",
                hint=f"`hermes forget --undo {number}` lets it in again",
            )


def _until(error: HermesError) -> int:
    """Return before which second not to ask again; 0 where nothing was said of that."""
    wait = error.after if isinstance(error, SourceAway) else None
    return 0 if wait is None else int(time.time() + wait) + 1
