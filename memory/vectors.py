"""Vectors fill in behind the text: what has none is found by difference, so no state can be lost."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from .embedders.protocol import Embedder
from .filters import one_of
from .index import Index
from .lance import pyarrow, translated
from .records import INDEX_TEXT_LIMIT, Kind
from .serving import serve, serving
from .store import Store
from .tables import CHUNKS, LIGHT, VectorSet, vector_rows, vector_set


def fill(
    index: Index,
    store: Store,
    embedder: Embedder | None,
    batch: int,
    should_stop: Callable[[], bool],
    on_progress: Callable[[int, int], None],
) -> int:
    """Give vectors to the chunks that have none; see Memory.fill_vectors."""
    if embedder is None:
        return 0
    target = vector_set(embedder)
    store.create_vectors(target)
    if serving(index) is None:
        serve(index, target)  # there is nothing better to search meanwhile
    total, made = store.count_mine(), 0
    done = store.count_vectors(vectors=target)
    on_progress(done, total)
    if done != total:
        missing = _missing(store, target)
        done = total - len(missing)
        for start in range(0, len(missing), batch):
            if should_stop():
                return made
            size = _add(store, target, embedder, missing[start : start + batch])
            made += size
            done += size
            on_progress(done, total)
    if serving(index) != target:
        serve(index, target)
    for other in store.vector_sets() - {target}:
        store.drop_vectors(other)
    return made


def drop_leftovers(index: Index, store: Store, embedder: Embedder | None) -> None:
    """Drop vectors that are neither searched nor being made: a change of embedder left them."""
    wanted = {serving(index), vector_set(embedder) if embedder else None}
    for other in store.vector_sets() - wanted:
        store.drop_vectors(other)


def _missing(store: Store, target: VectorSet) -> list[int] | list[str]:
    """Return the row ids of chunks without a vector: messages before contexts, newest first.

    They hold until the table is compacted, which only the writer does, and it is filling now. Of a
    shared store, which others compact too, return the chunks' ids, which take longer to find.
    """
    compute: Any = importlib.import_module("pyarrow.compute")
    table: Any = store.table(CHUNKS)
    with translated(store.uri):
        query = table.search().with_row_id(True).select(["id", "kind", "time"])
        if mine := store.mine():
            query = query.where(mine)
        rows: Any = query.to_arrow()
    ids: list[Any] = []
    for kind in Kind:
        ids += store.column(target.table(kind), "id").chunks
    have = pyarrow().chunked_array(ids, type=pyarrow().string())
    rows = rows.filter(compute.invert(compute.is_in(rows["id"], value_set=have)))
    order = [("kind", "descending"), ("time", "descending")]  # "message" comes after "context"
    found: list[Any] = rows.sort_by(order)["id" if store.shared else "_rowid"].to_pylist()
    return found


def _add(store: Store, target: VectorSet, embedder: Embedder, wanted: list[int] | list[str]) -> int:
    table: Any = store.table(CHUNKS)
    with translated(store.uri):
        query: Any = (
            table.search().where(one_of("id", [str(each) for each in wanted]))
            if store.shared
            else table.take_row_ids(wanted)
        )
        rows: Any = query.select([*LIGHT, "text", "gist"]).to_arrow()
    compute: Any = importlib.import_module("pyarrow.compute")
    for kind in Kind:
        some = rows.filter(compute.equal(rows["kind"], kind.value))
        if some.num_rows:
            texts = [
                (text if gist is None else gist)[:INDEX_TEXT_LIMIT]
                for text, gist in zip(
                    some["text"].to_pylist(), some["gist"].to_pylist(), strict=True
                )
            ]
            vectors = embedder.embed(texts)
            store.append_vectors(target.table(kind), vector_rows(some, vectors))
    return int(rows.num_rows)
