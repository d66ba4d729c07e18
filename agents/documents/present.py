"""The parts of a document that speak of what is now, and the text of its lines."""

from __future__ import annotations

from collections.abc import Iterator

from .records import Document, Mention


def live(document: Document) -> Iterator[Mention]:
    """Yield the mentions that speak of the present."""
    for mention in document.mentions:
        if mention.line not in document.ignored and mention.line not in document.past:
            yield mention


def live_links(document: Document) -> Iterator[Mention]:
    """Yield the links that are not marked as ignored; a link of the past must lead somewhere too."""
    for link in document.links:
        if link.line not in document.ignored:
            yield link


def sample_lines(document: Document) -> frozenset[int]:
    """Return the lines of a document that stand in blocks of code."""
    return frozenset(
        line
        for sample in document.samples
        for line in range(sample.line, sample.line + sample.text.rstrip("\n").count("\n") + 1)
    )


def line_of(document: Document, line: int) -> str:
    """Return a line of a document."""
    lines = document.text.split("\n")
    return lines[line - 1] if 0 < line <= len(lines) else ""
