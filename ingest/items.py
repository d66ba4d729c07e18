"""Discussions, tickets, pull requests and documents into what memory holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..memory.memory import Memory
from ..memory.records import Chunk, Item, ItemKind
from .documents.chunks import document_chunks
from .linking import linked
from .naming import named
from .pieces import chunk_of, pieces
from .private import without_private
from .redaction import redact_all

TEXT_LIMIT = 8_000
"""Characters of a chunk's text; a longer discussion has several."""
BATCH_CHARACTERS = 256_000
"""Text that is rid of its secrets, and written, at once."""
BATCH_ITEMS = 500


@dataclass(slots=True)
class Report:
    """What taking items in brought."""

    news: int = 0
    """Items that were not there, or not like this."""
    redacted: int = 0
    """Secrets that were still in them."""


def take_in(
    memory: Memory, items: Sequence[Item], should_stop: Callable[[], bool] = lambda: False
) -> Report:
    """Write items with their chunks, without what their writers keep private and without the
    secrets that whoever brought them has left in.

    Stopped, or killed, what was written by then is whole; giving them all again does the rest.
    """
    report = Report()
    for batch in _batches(items):
        if should_stop():
            break
        clean, redacted = without_secrets([_open_parts(item) for item in batch])
        clean = linked(memory.index, named(memory.index, clean))
        chunks = [chunk for item in clean for chunk in chunks_of(item)]
        report.news += memory.write_items(clean, chunks)
        report.redacted += redacted
    return report


def restore(memory: Memory, should_stop: Callable[[], bool] = lambda: False) -> int:
    """Make the chunks again that a rebuild, a repair or a kill has taken from items, and note what
    those name that an older version took in.

    Git can't bring those back, the items can. Return of how many items.
    """
    done = 0
    while not should_stop() and (some := memory.index.items.unread(BATCH_ITEMS)):
        some = linked(memory.index, some)
        done += memory.write_items(some, [chunk for item in some for chunk in chunks_of(item)])
    return done


def _open_parts(item: Item) -> Item:
    return replace(item, title=without_private(item.title), text=without_private(item.text))


def without_secrets(items: Sequence[Item]) -> tuple[list[Item], int]:
    """Return the items without the secrets in their titles and texts, and how many there were."""
    pieces = [text.encode("utf-8", "surrogatepass") for i in items for text in (i.title, i.text)]
    clean, counts = redact_all(pieces)
    texts = iter([piece.decode("utf-8", "surrogatepass") for piece in clean])
    return [replace(item, title=next(texts), text=next(texts)) for item in items], sum(counts)


def chunks_of(item: Item) -> list[Chunk]:
    """Return what is searched and shown of an item: its text in parts, under its title.

    Each part ends with a line, so a message of a discussion is cut only where it is longer than a
    part. An item that says nothing has one chunk, of its title. A document is parted by its
    headings.
    """
    if item.kind is ItemKind.DOCUMENT:
        return document_chunks(item, TEXT_LIMIT)
    title = item.title.strip()
    if item.key and item.key.casefold() not in title.casefold().split():
        title = f"{item.key} {title}".strip()
    text = item.text.replace("\r\n", "\n").strip()
    whole = text if text.startswith(title) else f"{title}\n\n{text}".strip()
    return [
        chunk_of(item, part, title, piece) for part, piece in enumerate(pieces(whole, TEXT_LIMIT))
    ]


def _batches(items: Sequence[Item]) -> Iterator[list[Item]]:
    batch: list[Item] = []
    size = 0
    for item in items:
        if batch and (len(batch) == BATCH_ITEMS or size + len(item.text) > BATCH_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += len(item.text)
    if batch:
        yield batch
