"""Tools over memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from pydantic import Field

from ..asking import Asked, Kind
from ..fence import fenced
from .registry import CallRefused, tool
from .workshop import Workshop

_FOUND = 4


@tool
def search_memory(
    shop: Workshop,
    query: Annotated[str, Field(description="words to look for", min_length=1, max_length=400)],
    path: Annotated[str, Field(description="only this file or folder")] = "",
    author: Annotated[str, Field(description="only this person")] = "",
) -> str:
    """Search all commits, messages and diffs, by meaning and words."""
    filters = replace(
        shop.filters,
        path=path.strip("/") or shop.filters.path,
        author=author or shop.filters.author,
    )
    found = shop.recall(shop.memory, query, filters, _FOUND)
    if not found.passages:
        return "Nothing was found."
    each = shop.response_tokens // len(found.passages)
    shown = [fenced(shop.evidence.add_chunk(p.chunk), each) for p in found.passages]
    if not found.relevant:
        shown.insert(0, "Nothing relevant was found. The nearest:")
    return "\n".join(shown)


@tool
def who_knows(
    shop: Workshop,
    topic: Annotated[
        str, Field(description="a file, a folder or a subject", min_length=1, max_length=200)
    ],
) -> str:
    """List who worked most and last on a file, a folder or a subject."""
    found = shop.recall(shop.memory, topic, shop.filters, _FOUND)
    told = shop.people.tell(Asked(Kind.KNOWS, topic), lambda: found)
    if told is None:
        raise CallRefused(f"nobody is known to have worked on {topic!r}")
    return "\n".join(text.text for text in told)
