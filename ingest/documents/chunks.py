"""A document's chunks: one for each section, or several where it is long."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator

from ...memory.records import Chunk, Item
from ..pieces import chunk_of, pieces
from .cleaning import without_addresses
from .formats import Format, format_of
from .sections import Section, outline

LITTLE = 200
"""Characters up to which a section says little."""
_BETWEEN = " › "
_MOST = 0x7FFF_FFFF
"""A part is a number of 31 bits."""


def document_chunks(item: Item, limit: int) -> list[Chunk]:
    """Return what is searched and shown of a document: each section under the way to it, in pieces
    of at most ``limit`` characters, and those that say little together.

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
        chunks.append(chunk_of(item, part, title, text))
    return chunks


def _pieces(item: Item, limit: int) -> Iterator[tuple[str, str]]:
    form = format_of(item.path or item.ref) or Format.PLAIN
    found = outline(item.text, form)
    for sections in _together(found.sections):
        under, text = _joined(sections)
        text = without_addresses(text, form)
        title = _BETWEEN.join((item.title, *under))
        for piece in pieces(text, max(limit - len(title) - 2, limit // 2)):
            yield title, f"{title}\n\n{piece}"
    if not found.sections:
        yield item.title, item.title


def _together(sections: Iterable[Section]) -> Iterator[list[Section]]:
    """Yield sections, with those that say little together: a date, a state, a list of two names. One
    that is short is found by each of its few words before those that say something."""
    run: list[Section] = []
    for section in sections:
        size = sum(len(each.text) for each in run)
        if run and (size > LITTLE or len(section.text) > LITTLE):
            yield run
            run = []
        run.append(section)
    if run:
        yield run


def _joined(sections: list[Section]) -> tuple[tuple[str, ...], str]:
    """Return what some sections stand under, and their texts, each under the rest of its way."""
    if len(sections) == 1:
        return sections[0].under, sections[0].text
    under = tuple(os.path.commonprefix([section.under for section in sections]))
    texts = [
        f"{_BETWEEN.join(section.under[len(under) :])}\n\n{section.text}".strip()
        for section in sections
    ]
    return under, "\n\n".join(texts)


def _number(text: str) -> int:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4]) & _MOST or 1
