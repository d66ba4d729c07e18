"""A long text in pieces, and a piece of an item as memory holds it."""

from __future__ import annotations

from collections.abc import Iterator

from ..memory.records import Chunk, Item, Kind, chunk_id


def pieces(text: str, limit: int) -> Iterator[str]:
    """Cut a text into pieces of at most ``limit`` characters, behind a line where there is one."""
    while len(text) > limit:
        end = text.rfind("\n", 1, limit)
        piece, text = text[: end if end > 0 else limit], text[end if end > 0 else limit :]
        text = text.lstrip("\n")
        if piece.strip():
            yield piece.rstrip()
    yield text


def chunk_of(item: Item, part: int, title: str, text: str) -> Chunk:
    """Return a piece of what an item says, under the title it is shown with."""
    return Chunk(
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
