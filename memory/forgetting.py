"""Forgetting a repository: afterwards no file of the memory holds its text any more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .index import Index
from .intents import Intent
from .lance import translated
from .rawlog import RawLog
from .store import Store
from .tables import CHUNKS
from .upkeep import NOTHING_KEPT, compact


def forget(folder: Path, index: Index, store: Store, intent: Intent) -> None:
    """Remove the intent's repository from every part; a killed one is done again."""
    store.delete_repo(intent.repo)
    for name in store.table_names():
        _rewrite(store, name)
    RawLog(folder / "raw").forget(intent.repo)
    index.delete_repo(intent.repo)  # with the intent
    index.vacuum()


def _rewrite(store: Store, name: str) -> None:
    """Write a table anew from the rows it has left.

    Compaction alone keeps a file as it is while few of its rows are deleted, and an index keeps the
    terms of deleted rows.
    """
    table: Any = store.table(name)
    with translated(store.uri):
        rows = table.search().to_batches()
        store.connection.create_table(name, data=rows, schema=table.schema, mode="overwrite")
        if name == CHUNKS:
            store.index_text(table)
        compact(store, table, keep=NOTHING_KEPT)
    store.forget_handles()
