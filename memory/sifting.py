"""The vector store without what rules forget: every table written anew, old versions gone."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from .lance import pyarrow, translated
from .records import Chunk, Kind
from .sieve import Sieve, Sifted
from .store import Store
from .tables import CHUNKS, SHOWN
from .upkeep import NOTHING_KEPT, compact

_TEXTS = ("title", "text", "gist", "message", "context", "path")
_SEARCHED = tuple(kind.value for kind in Kind)
_ROWS = 2_048


@dataclass(slots=True)
class StoreLeft:
    """What sifting the store came to."""

    sifted: dict[str, Sifted] = field(default_factory=dict[str, Sifted])
    """By repository, under an empty id of items: what rules took something from."""
    repos: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """By repository, the commits that have fewer chunks than before."""
    dropped: list[str] = field(default_factory=list[str])
    """Ids of the chunks that are gone."""
    cleaned: list[str] = field(default_factory=list[str])
    """Ids of the chunks that say less than before."""

    def of(self, repo: str) -> Sifted:
        """Return what rules took something from in a repository."""
        return self.sifted.setdefault(repo, Sifted())


def look(
    store: Store,
    sieve: Sieve,
    pattern: str | None,
    gone: Collection[str],
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> StoreLeft:
    """Return what sifting would come to, and change nothing (see `sift`)."""
    left = StoreLeft()
    if store.table(CHUNKS) is not None:
        for _ in _left_of(store, sieve, pattern, gone, left, on_progress):
            pass
    return left


def sift(
    store: Store,
    sieve: Sieve,
    pattern: str | None,
    gone: Collection[str],
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> StoreLeft:
    """Write the chunks anew without what ``sieve`` takes out and without those of ``gone``, which
    are references of items. Vectors of what changed go too, and are made again.

    ``pattern`` finds texts that need a look; None has a look at all of them.
    """
    left = StoreLeft()
    if store.table(CHUNKS) is None:
        return left
    rewrite(store, CHUNKS, _left_of(store, sieve, pattern, gone, left, on_progress))
    pa, compute = pyarrow(), pyarrow_compute()
    there, cleaned = store.column(CHUNKS, "id"), pa.array(left.cleaned, pa.string())
    for name in store.table_names():
        if name == CHUNKS:
            continue

        def kept(name: str = name) -> Iterator[Any]:
            for batch in _batches(store, name):
                same = compute.and_not(
                    compute.is_in(batch["id"], value_set=there.combine_chunks()),
                    compute.is_in(batch["id"], value_set=cleaned),
                )
                yield batch.filter(same)

        rewrite(store, name, kept())
    return left


def rewrite(store: Store, name: str, batches: Iterator[Any] | None = None) -> None:
    """Write a table anew, by default from the rows it has left.

    Compaction alone keeps a file as it is while few of its rows are deleted, and an index keeps the
    terms of deleted rows.
    """
    table: Any = store.table(name)
    with translated(store.uri):
        rows = pyarrow().RecordBatchReader.from_batches(
            table.schema, _batches(store, name) if batches is None else batches
        )
        store.connection.create_table(name, data=rows, schema=table.schema, mode="overwrite")
        if name == CHUNKS:
            store.index_text(table)
        compact(store, table, keep=NOTHING_KEPT)
    store.forget_handles()


def pyarrow_compute() -> Any:
    """Import what computes on columns."""
    pyarrow()
    return importlib.import_module("pyarrow.compute")


def _batches(store: Store, name: str) -> Iterator[Any]:
    table: Any = store.table(name)
    for batch in table.search().to_batches(_ROWS):
        yield batch.select(table.schema.names)


def _left_of(
    store: Store,
    sieve: Sieve,
    pattern: str | None,
    gone: Collection[str],
    left: StoreLeft,
    on_progress: Callable[[int, int], None],
) -> Iterator[Any]:
    """Yield what is left of the chunks, and note in ``left`` what is not."""
    pa, total, done = pyarrow(), store.count_chunks(), 0
    judge = _Judge(sieve, gone, store.ours)
    for batch in _batches(store, CHUNKS):
        some = _to_look_at(batch, judge, pattern)
        if not some:
            yield batch
        else:
            looked_at = set(some)
            others = [n for n in range(batch.num_rows) if n not in looked_at]
            yield batch.take(pa.array(others, pa.int64()))
            rows = batch.take(pa.array(some, pa.int64())).to_pylist()
            kept = [row for row in rows if judge.keeps(row, left)]
            if kept:
                yield pa.RecordBatch.from_pylist(kept, schema=batch.schema)
        done += batch.num_rows
        on_progress(done, total)


def _to_look_at(batch: Any, judge: _Judge, pattern: str | None) -> list[int]:
    """Return the numbers of the rows that may not stay as they are."""
    if pattern is None:
        return list(range(batch.num_rows))
    compute = pyarrow_compute()
    mask: Any = None
    for name in _TEXTS:
        found = compute.fill_null(
            compute.match_substring_regex(batch[name], pattern, ignore_case=True), False
        )
        mask = found if mask is None else compute.or_(mask, found)
    some = {number for number, hit in enumerate(mask.to_pylist()) if hit}
    light = batch.select(list(_LIGHT)).to_pylist()
    some |= {number for number, row in enumerate(light) if judge.goes(row)}
    return sorted(some)


_LIGHT = ("id", "repo", "source", "ref", "path", "author", "email", "time")


class _Judge:
    """Decides on rows; what many rows have in common is asked once."""

    def __init__(self, sieve: Sieve, gone: Collection[str], ours: Collection[str] | None) -> None:
        """``ours`` are the repositories whose rows may be touched in a shared store."""
        self._sieve = sieve
        self._gone = frozenset(gone)
        self._ours = None if ours is None else frozenset(("", *ours))
        self._people: dict[tuple[str, str], bool] = {}
        self._paths: dict[str, bool] = {}

    def goes(self, row: dict[str, Any]) -> bool:
        """Say whether a row goes for where it comes from."""
        who, path = (row["author"], row["email"]), row["path"]
        if who not in self._people:
            self._people[who] = self._sieve.is_person(*who)
        if path not in self._paths:
            self._paths[path] = bool(path) and self._sieve.is_path(path)
        return (
            self._people[who]
            or self._paths[path]
            or row["ref"] in self._gone
            or any(
                rule.is_of(row["source"], row["time"])
                or rule.is_chunk(row["id"])
                or rule.is_ref(row["repo"], row["ref"])
                for _, rule in self._sieve.rules
            )
        )

    def keeps(self, row: dict[str, Any], left: StoreLeft) -> bool:
        """Clean a row; say whether it stays. What became of it is noted in ``left``."""
        if self._ours is not None and row["repo"] not in self._ours:
            return True
        if row["ref"] in self._gone:
            left.dropped.append(row["id"])
            return False
        columns = {name: row[name] for name in SHOWN if name != "gist"}
        columns["kind"] = Kind(columns["kind"])
        gist = row["gist"]
        before = Chunk(**columns, index_text=columns["text"] if gist is None else gist)
        of = row["repo"] if row["source"] == "git" else ""
        chunk = self._sieve.chunk(before, left.of(of))
        if chunk is None:
            left.dropped.append(row["id"])
            left.repos.setdefault(row["repo"], set()).add(row["ref"])
            return False
        searched = {name: row[name] and self._sieve.clean(row[name]) for name in _SEARCHED}
        if chunk == before and all(searched[name] == row[name] for name in _SEARCHED):
            return True
        row |= searched
        row |= {"title": chunk.title, "text": chunk.text}
        row["gist"] = None if gist is None else chunk.index_text
        left.cleaned.append(row["id"])
        return True


def chunk_counts(store: Store, refs: Collection[str]) -> Counter[tuple[str, str]]:
    """Return how many chunks some commits have now, by repository and sha."""
    wanted = set(refs)
    return Counter(pair for pair in store.refs() if pair[1] in wanted)


def find(
    store: Store,
    pattern: str,
    matches: Callable[[str], bool],
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[int, dict[str, str]]:
    """Look through every text of every table, of all its versions: files of the store are packed,
    so that reading them as they are proves little.

    ``pattern`` finds what is worth a look. Return how many rows were looked at, and where
    ``matches`` says yes.
    """
    compute = pyarrow_compute()
    looked, left = 0, dict[str, str]()
    total = store.count_chunks()
    for name in store.table_names():
        table: Any = store.table(name)
        if table is None:
            continue
        with translated(store.uri):
            table = store.connection.open_table(name)  # one of its own: it goes back in time
            for version in table.list_versions():
                table.checkout(version["version"])
                texts = [field.name for field in table.schema if str(field.type) == "string"]
                for batch in table.search().select(texts).to_batches(_ROWS):
                    looked += batch.num_rows
                    for column in texts:
                        hits = compute.match_substring_regex(
                            batch[column], pattern, ignore_case=True
                        )
                        for text in batch[column].filter(compute.fill_null(hits, False)):
                            if matches(text.as_py()):
                                left[f"{store.uri}: {name}"] = f"column {column}"
                    on_progress(min(looked, total), total)
    return looked, left
