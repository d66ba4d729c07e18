"""A document's chunks: one for each section, or several where it is long."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from ...memory.records import Chunk, Item, Kind, chunk_id
from ..pieces import pieces
from .formats import Format, format_of
from .sections import outline

_BETWEEN = " › "
_MOST = 0x7FFF_FFFF
"""A part is a number of 31 bits."""


def document_chunks(item: Item, limit: int) -> list[Chunk]:
    """Return what is searched and shown of a document: each section under the way to it, in pieces
    of at most ``limit`` characters.

    A section's number follows from what it says, so that those around an edited one stay the same.
    The first is number 0.
    """
    chunks: list[Chunk] = []
    taken: set[int] = set()
    for title, text in _pieces(item, limit):
        part = _number(text) if chunks else 0
        while part in taken:
            part = (part + 1) & _MOST
        taken.add(part)
        chunks.append(
            Chunk(
                id=chunk_id(item.repo, item.ref, item.path, part),
                repo=item.repo,
                source=item.source,
                kind=Kind.MESSAGE,
                ref=item.ref,
                path=item.path,
                part=part,
                author=item.author,
                email=item.email,
                time=item.time,
                title=title,
                text=text,
                index_text=text,
            )
        )
    return chunks


def _pieces(item: Item, limit: int) -> Iterator[tuple[str, str]]:
    found = outline(item.text, format_of(item.path or item.ref) or Format.PLAIN)
    for section in found.sections:
        title = _BETWEEN.join((item.title, *section.under))
        for piece in pieces(section.text, max(limit - len(title) - 2, limit // 2)):
            yield title, f"{title}\n\n{piece}"
    if not found.sections:
        yield item.title, item.title


def _number(text: str) -> int:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4]) & _MOST or 1
