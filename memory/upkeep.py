"""Upkeep of the vector store: compaction, version pruning, indexes. Nothing of it happens by itself."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from time import monotonic
from typing import Any

from .lance import committed, lancedb, translated
from .store import Store
from .tables import CHUNKS, parse_vector_set

MAX_VERSIONS = 50
"""Each version's manifest lists all fragments, so disk and memory grow with the square of them."""
MAX_UNINDEXED = 500
"""Rows that full text scans one by one before they are put into the index."""
INDEX_ROWS = 50_000
"""From so many chunks on an index finds ids sooner than a scan."""
INDEX_VECTORS = 10_000
"""From so many vectors of one kind on an index (made in a second) saves most of a search."""
NOTHING_KEPT = timedelta(milliseconds=1)
SHARED_KEEP = timedelta(minutes=10)
"""How long a shared store keeps versions: other machines' reads and writes begin with one."""
_RETRAIN = 4
"""A vector index is made anew when the table has grown by this factor: it has too few partitions."""


@dataclass(frozen=True, slots=True)
class MaintenanceReport:
    """What a maintenance did."""

    tables: tuple[str, ...] = ()
    """The ones that were compacted."""
    indexed: tuple[str, ...] = ()
    """The ones that got a new index."""
    bytes_before: int = 0
    bytes_after: int = 0
    """On disk, of the whole store; 0 where it is not a folder of this machine."""
    seconds: float = 0.0


def maintain(store: Store, *, force: bool) -> MaintenanceReport:
    """Compact and index the tables that need it, or all of them with ``force``."""
    start = monotonic()
    before = size(store.folder) if store.folder else 0
    compacted: list[str] = []
    indexed: list[str] = []
    for name in store.table_names():
        table = store.table(name)
        if table is None:
            continue
        with translated(store.uri):
            rows = table.count_rows()
            grown = abs(rows - store.rows_looked_at.get(name, -MAX_UNINDEXED))
            due = _versions(store, name, table) > MAX_VERSIONS
            if not force and not due and grown < MAX_UNINDEXED:
                continue  # too little has changed to be worth the look
            if _add_indexes(name, table):
                indexed.append(name)
            if force or due or _unindexed(table) > MAX_UNINDEXED:
                compact(store, table)
                compacted.append(name)
                store.rows_looked_at[name] = rows
    return MaintenanceReport(
        tuple(compacted),
        tuple(indexed),
        before,
        size(store.folder) if store.folder and (compacted or indexed) else before,
        monotonic() - start,
    )


def compact(store: Store, table: Any, *, keep: timedelta | None = None) -> None:
    """Merge small files, put new rows into the indexes, and delete what is of older versions.

    Readers see the newest version at each query, and ask again when a file went away under them.
    ``keep`` is how old a version must be to go; by default none is kept, and in a shared store those
    that another machine may still be reading.
    """
    if keep is None:
        keep = SHARED_KEEP if store.shared else NOTHING_KEPT
    committed(
        lambda: table.optimize(
            cleanup_older_than=keep,
            # Leftovers of a killed writer: in a folder of our own no other writes beside us.
            delete_unverified=store.folder is not None and not store.shared,
        )
    )


def _unindexed(table: Any) -> int:
    stats = [table.index_stats(index.name) for index in table.list_indices()]
    return max((int(each.num_unindexed_rows) for each in stats if each is not None), default=0)


def _versions(store: Store, name: str, table: Any) -> int:
    if store.folder is None:
        return len(table.list_versions())
    return len(os.listdir(store.folder / f"{name}.lance" / "_versions"))


def _add_indexes(name: str, table: Any) -> bool:
    rows = table.count_rows()
    there = {index.name for index in table.list_indices()}
    before = len(there)
    if name == CHUNKS:
        Store.index_text(table)
    if rows >= INDEX_ROWS:
        kinds = lancedb("index")
        columns = {"id": kinds.BTree} if name == CHUNKS else {}
        columns |= {"repo": kinds.Bitmap, "author": kinds.Bitmap, "email": kinds.Bitmap}
        columns |= {"path": kinds.BTree, "time": kinds.BTree}
        for column, config in columns.items():
            if f"{column}_idx" not in there:
                table.create_index(column, config=config(), name=f"{column}_idx")
    changed = len(table.list_indices()) > before
    if parse_vector_set(name) is None or rows < INDEX_VECTORS:
        return changed
    trained = [int(index.rsplit("_", 1)[1]) for index in there if index.startswith("vector_")]
    if trained and rows < _RETRAIN * max(trained):
        return changed
    config = lancedb("index").IvfSq(distance_type="cosine")
    table.create_index("vector", config=config, name=f"vector_{rows}")
    for old in trained:
        table.drop_index(f"vector_{old}")
    return True


def size(folder: Path) -> int:
    """Return how many bytes the files under ``folder`` hold."""
    total = 0
    for place, _, files in os.walk(folder):
        for file in files:
            try:
                total += os.lstat(os.path.join(place, file)).st_size
            except FileNotFoundError:  # the writer has just replaced it
                continue
    return total
