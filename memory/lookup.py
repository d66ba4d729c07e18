"""What a person means by an id: a piece of text, a commit, or an item."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

from .filters import one_of, quoted
from .memory import Memory
from .records import Chunk

SHORTEST_ID = 8
"""Hexadecimal digits of a chunk's id that are enough to look for it."""
SHORTEST_SHA = 7
MOST = 20
"""What an id may mean at most, as it is told."""


@dataclass(frozen=True, slots=True)
class Named:
    """Something an id may mean."""

    kind: Literal["chunk", "commit", "item"]
    repo: str
    ref: str
    chunk: str
    """The chunk's id; empty for a commit or an item as a whole."""
    title: str
    path: str
    time: int


def look_up(memory: Memory, text: str, repos: Collection[str] = ()) -> list[Named]:
    """Return what ``text`` may mean, exact names first: the start of a chunk's id or of a sha, an
    item's reference or its key."""
    text = text.strip()
    items = memory.index.items
    exact = [item for item in (items.get(text),) if item is not None]
    found = [
        Named("item", item.repo, item.ref, "", item.title, "", item.time)
        for item in exact or items.by_key(text, repos)
        if not repos or not item.repo or item.repo in repos
    ]
    if found or not re.fullmatch(r"[0-9a-fA-F]{7,64}", text):
        return found
    text = text.lower()
    if len(text) >= SHORTEST_SHA:
        found += [
            Named("commit", commit.repo, commit.sha, "", commit.subject, "", commit.time)
            for commit in memory.index.resolve_sha(text, repos)
        ]
    if SHORTEST_ID <= len(text) <= 32:
        found += _chunks(memory, text, repos)
    return found[: MOST + 1]


def _chunks(memory: Memory, prefix: str, repos: Collection[str]) -> list[Named]:
    where = f"id >= {quoted(prefix)} AND id < {quoted(prefix + 'g')}"
    if repos:
        where += f" AND {one_of('repo', ('', *repos))}"
    mine = memory.store.mine()
    rows = memory.store.select(
        ("id", "repo", "ref", "title", "path", "time"), f"{where} AND {mine}" if mine else where
    )
    listed: list[dict[str, Any]] = [] if rows is None else rows.to_pylist()
    listed.sort(key=lambda row: (row["time"], row["id"]))
    return [
        Named("chunk", row["repo"], row["ref"], row["id"], row["title"], row["path"], row["time"])
        for row in listed
    ]


def parts_of(memory: Memory, named: Named) -> list[Chunk]:
    """Return all chunks of what is named, and of the commit or item that a chunk is part of: the
    message first, then by path."""
    where = f"repo = {quoted(named.repo)} AND ref = {quoted(named.ref)}"
    rows = memory.store.select(("id",), where)
    ids: list[str] = [] if rows is None else rows["id"].to_pylist()
    chunks = memory.store.fetch(ids).values()
    return sorted(chunks, key=lambda chunk: (chunk.path, chunk.part))


def vectors_of(memory: Memory, chunk: Chunk) -> list[str]:
    """Return the embedders that have a vector of a chunk."""
    found: list[str] = []
    for vectors in memory.store.vector_sets():
        rows = memory.store.select(("id",), f"id = {quoted(chunk.id)}", vectors.table(chunk.kind))
        if rows is not None and rows.num_rows:
            found.append(vectors.embedder)
    return sorted(found)
