"""A long text in pieces."""

from __future__ import annotations

from collections.abc import Iterator


def pieces(text: str, limit: int) -> Iterator[str]:
    """Cut a text into pieces of at most ``limit`` characters, behind a line where there is one."""
    while len(text) > limit:
        end = text.rfind("\n", 1, limit)
        piece, text = text[: end if end > 0 else limit], text[end if end > 0 else limit :]
        text = text.lstrip("\n")
        if piece.strip():
            yield piece.rstrip()
    yield text
