"""All that memory holds, in order, a window at a time: what a stranger can read without hermes."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .filters import quoted
from .memory import Memory
from .records import Chunk, Repo
from .tables import SHOWN, as_chunk

WINDOW = 1_000
"""Chunks that are read, put in order and written at once; more where as many are of one second."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be written out; what is left empty confines nothing."""

    repos: tuple[str, ...] = ()
    """Ids."""
    source: str | None = None
    since: int | None = None
    """From this second on."""
    until: int | None = None
    """Before this second."""


@dataclass(frozen=True, slots=True)
class Window:
    """Chunks of one repository, or of none, between two seconds, both of them included."""

    repo: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Outline:
    """What there is to write out, and in which order."""

    chunks: int
    by_source: dict[str, int]
    windows: tuple[Window, ...]


def outline(memory: Memory, wanted: Wanted) -> Outline:
    """Look at what is wanted: some thirty bytes for each chunk are read, and no text."""
    rows = memory.store.select(("repo", "source", "time"), _where(memory, wanted))
    if rows is None or not rows.num_rows:
        return Outline(0, {}, ())
    compute: Any = importlib.import_module("pyarrow.compute")
    by_source = {
        str(pair["values"]): int(pair["counts"])
        for pair in compute.value_counts(rows["source"]).to_pylist()
    }
    names = {repo.id: repo.name for repo in memory.index.repos()}
    windows: list[Window] = []
    there: list[str] = compute.unique(rows["repo"]).to_pylist()
    for repo in sorted(there, key=lambda repo: (names.get(repo, ""), repo)):
        times = rows["time"].filter(compute.equal(rows["repo"], repo)).to_numpy().copy()
        times.sort()
        windows += _windows(repo, times)
    return Outline(rows.num_rows, dict(sorted(by_source.items())), tuple(windows))


def _windows(repo: str, times: Any) -> Iterator[Window]:
    start = 0
    while start < len(times):
        last = int(times[min(start + WINDOW, len(times)) - 1])
        yield Window(repo, int(times[start]), last)
        start = int(times.searchsorted(last, side="right"))


def read(memory: Memory, wanted: Wanted, window: Window) -> list[Chunk]:
    """Return a window's chunks by time, reference, path and part."""
    where = f"repo = {quoted(window.repo)} AND time >= {window.first:d} AND time <= {window.last:d}"
    if wanted.source is not None:
        where += f" AND source = {quoted(wanted.source)}"
    rows = memory.store.select(SHOWN, where)
    listed: list[dict[str, Any]] = [] if rows is None else rows.to_pylist()
    edited = memory.index.edits.dates(row["id"] for row in listed)
    chunks = [as_chunk(row, edited.get(row["id"])) for row in listed]
    return sorted(chunks, key=lambda chunk: (chunk.time, chunk.ref, chunk.path, chunk.part))


def describe(memory: Memory, chunks: list[Chunk], repos: dict[str, Repo]) -> list[dict[str, Any]]:
    """Return chunks as objects that say all there is to know of each."""
    marks = memory.index.marks.of({chunk.ref for chunk in chunks})
    items = memory.index.items.get_all({chunk.ref for chunk in chunks if chunk.source != "git"})
    found: list[dict[str, Any]] = []
    for chunk in chunks:
        repo, mark = repos.get(chunk.repo), marks.get((chunk.repo, chunk.ref))
        fields: dict[str, Any] = {
            "type": "chunk",
            "id": chunk.id,
            "repo": "" if repo is None else repo.name,
            "repo_id": chunk.repo,
            "source": chunk.source,
            "kind": chunk.kind.value,
            "ref": chunk.ref,
            "path": chunk.path,
            "part": chunk.part,
            "author": chunk.author,
            "email": chunk.email,
            "time": chunk.time,
            "title": chunk.title,
            "text": chunk.text,
        }
        if (item := items.get(chunk.ref)) is not None:
            fields["item"] = {
                "kind": item.kind.value,
                "key": item.key,
                "state": item.state,
                "assignee": item.assignee,
                "changed": item.changed,
                "closed": item.closed,
                "url": item.url,
                "tickets": list(item.tickets),
                "links": [{"kind": link.kind.value, "target": link.target} for link in item.links],
            }
        if chunk.edited is not None:
            fields["edited"] = chunk.edited
        if mark is not None:
            fields["mark"] = {
                "weight": mark.weight,
                "folded_into": mark.folded_into,
                "ended": mark.ended,
                "ended_by": mark.ended_by,
                "why": mark.why,
            }
        found.append(fields)
    return found


def _where(memory: Memory, wanted: Wanted) -> str:
    parts = [memory.store.mine()] if not wanted.repos else []
    if wanted.repos:
        listed = ", ".join(quoted(repo) for repo in sorted(wanted.repos))
        parts.append(f"repo IN ({listed})")
    if wanted.source is not None:
        parts.append(f"source = {quoted(wanted.source)}")
    if wanted.since is not None:
        parts.append(f"time >= {wanted.since:d}")
    if wanted.until is not None:
        parts.append(f"time < {wanted.until:d}")
    return " AND ".join(part for part in parts if part)
