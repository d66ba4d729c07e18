"""The vector store: chunks with their full text, and vectors, in LanceDB."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from .errors import StoreDamaged
from .filters import People, one_of, quoted, where
from .hits import NOTHING, Hit, Search, TextSearch, find
from .lance import committed, connect, translated
from .place import Place, folder_of
from .reading import Reader
from .records import Chunk, Filters, Kind
from .tables import (
    CHUNKS,
    SHOWN,
    VectorSet,
    as_chunk,
    chunk_rows,
    chunk_schema,
    full_text_index,
    is_ours,
    parse_vector_set,
    vector_schema,
)

T = TypeVar("T")

_AT_ONCE = 1_000
"""Ids or refs named in one statement."""


class Store:
    """LanceDB tables. Safe to share between threads; one process writes, any number reads.

    A store that was given a place of its own may be shared: another machine's process may write there
    as well. Then rows of repositories that are not ours stay out of sight, and are left alone.
    """

    def __init__(
        self,
        place: Place,
        *,
        tables: Callable[[], str] = lambda: "",
        serving: Callable[[], VectorSet | None],
        people: People,
        expected: Callable[[], bool],
        shared_as: Callable[[], Collection[str]] = tuple,
        edited: Callable[[Collection[str]], Mapping[str, int]] = lambda ids: {},
    ) -> None:
        """Nothing is opened before it is needed. ``tables`` says each time which folder in its
        place holds the tables that serve, ``serving`` which vectors are searched, ``expected``
        whether there must be chunks, ``edited`` when a person changed which of some chunks. Where
        other machines may write too, ``shared_as`` says whose rows are ours: those of these
        repositories, and of none."""
        self.place = place
        self._now = tables
        self._shared_as = shared_as
        self._edited = edited
        self.serving = serving
        self._people = people
        self._expected = expected
        self.rows_looked_at: dict[str, int] = {}
        """How many rows each table had when upkeep last left it in order."""
        self._tables: dict[str, Any] = {}
        self._connection: Any = None
        self._connected = ""
        self._lock = threading.Lock()
        self._reader = Reader(lambda: self.uri, place.storage_options)

    # Where it lies

    @property
    def uri(self) -> str:
        """Where the tables lie that serve now."""
        return self.place.at(self._now())

    @property
    def folder(self) -> Path | None:
        """The same, when that is a folder of this machine."""
        return folder_of(self.uri)

    @property
    def shared(self) -> bool:
        """Whether other machines may write here too, each with an index of its own."""
        return self.place.shared and not self._now()

    # Tables

    @property
    def connection(self) -> Any:
        """The LanceDB connection."""
        uri = self.uri
        with self._lock:
            if self._connection is None or self._connected != uri:
                self._tables.clear()
                self.rows_looked_at.clear()
                self._connection = connect(uri, self.place.storage_options)
                self._connected = uri
            return self._connection

    def table_names(self) -> list[str]:
        """Return the names of memory's tables that are there."""
        if self.folder is not None and not self.folder.is_dir():
            if self.folder.exists():
                raise StoreDamaged(self.uri, "it is a file and no folder; move it away first")
            return []
        with translated(self.uri):
            names: list[str] = []
            token: str | None = None
            while True:
                page = self.connection.list_tables(page_token=token)
                names += page.tables
                token = page.page_token
                if not token:
                    return [name for name in names if is_ours(name)]

    def table(self, name: str) -> Any | None:
        """Open a table, kept open; None where there is none yet."""
        if name not in self._tables or self._connected != self.uri:
            if name not in self.table_names():
                return None
            try:
                with translated(self.uri):
                    self._tables[name] = self.connection.open_table(name)
            except ValueError as error:
                if "was not found" not in str(error):
                    raise
                return None  # its folder is there and nothing in it: half made, or half dropped
        return self._tables[name]

    def create(self) -> None:
        """Make the chunks table with its two full-text indexes, if it isn't there."""
        if self.table(CHUNKS) is not None:
            return
        if self.folder is not None:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with translated(self.uri):
            table = self.connection.create_table(CHUNKS, schema=chunk_schema(), exist_ok=True)
            self.index_text(table)
            self._tables[CHUNKS] = table

    @staticmethod
    def index_text(table: Any) -> None:
        """Make the full-text indexes that the chunks table lacks."""
        there = {column for index in table.list_indices() for column in index.columns}
        for kind in Kind:
            if kind.value not in there:
                table.create_index(kind.value, config=full_text_index())

    def create_vectors(self, vectors: VectorSet) -> None:
        """Make the tables of ``vectors``, if they aren't there."""
        for kind in Kind:
            name = vectors.table(kind)
            if self.table(name) is None:
                with translated(self.uri):
                    schema = vector_schema(vectors.dimension)
                    self._tables[name] = self.connection.create_table(
                        name, schema=schema, exist_ok=True
                    )

    def vector_sets(self) -> set[VectorSet]:
        """Return the sets of vectors that are there, complete or not."""
        found = (parse_vector_set(name) for name in self.table_names())
        return {vectors for vectors in found if vectors is not None}

    def drop_vectors(self, vectors: VectorSet) -> None:
        """Remove the tables of ``vectors``; of shared ones the rows of our repositories."""
        names = self.table_names()
        if self.shared:
            of_ours = one_of("repo", self._shared_as())
            for name in sorted({vectors.table(kind) for kind in Kind} & set(names)):
                if self._count(name, of_ours):
                    self._change(name, lambda table: table.delete(of_ours))
            return
        for kind in Kind:
            name = vectors.table(kind)
            self._tables.pop(name, None)
            if name in names:
                with translated(self.uri):
                    self.connection.drop_table(name)

    def drop_all(self) -> None:
        """Remove every table, also those that are damaged."""
        if self.folder is not None:
            for place in self.folder.glob("*.lance"):
                if is_ours(place.stem):
                    shutil.rmtree(place)
        else:
            for name in self.table_names():
                with translated(self.uri):
                    self.connection.drop_table(name)
        self.forget_handles()

    def forget_handles(self) -> None:
        """Open everything anew at the next use."""
        with self._lock:
            self._tables.clear()
            self._connection = None
        self._reader.forget()

    # Writing

    def append(self, chunks: Sequence[Chunk]) -> None:
        """Add chunks in one commit; they are found at once."""
        if chunks:
            self._change(CHUNKS, lambda table: table.add(chunk_rows(chunks)))

    def append_rows(self, rows: Any) -> None:
        """Add rows as another store's chunks table has them, in one commit."""
        self._change(CHUNKS, lambda table: table.add(rows))

    def replace(self, chunk: Chunk) -> None:
        """Put a chunk in the place of the one with its id, which loses its vector."""
        self._delete(one_of("id", (chunk.id,)), spared=CHUNKS)
        rows = chunk_rows([chunk])

        def put(table: Any) -> None:
            merge = table.merge_insert("id").when_matched_update_all()
            merge.when_not_matched_insert_all().execute(rows)

        self._change(CHUNKS, put)

    def delete_ids(self, ids: Collection[str]) -> None:
        """Remove chunks, and their vectors."""
        listed = sorted(ids)
        for start in range(0, len(listed), _AT_ONCE):
            self._delete(one_of("id", listed[start : start + _AT_ONCE]))

    def append_vectors(self, name: str, rows: Any) -> None:
        """Add rows to a vector table in one commit."""
        self._change(name, lambda table: table.add(rows))

    def delete_refs(self, repo: str | Collection[str], refs: Collection[str]) -> None:
        """Remove what was made from these commits, or items of any of several repositories."""
        of = one_of("repo", (repo,) if isinstance(repo, str) else repo)
        listed = sorted(refs)
        for start in range(0, len(listed), _AT_ONCE):
            some = one_of("ref", listed[start : start + _AT_ONCE])
            self._delete(f"{of} AND {some}")

    @property
    def ours(self) -> Collection[str] | None:
        """The repositories whose rows are ours in a shared store; None where all rows are."""
        return self._shared_as() if self.shared else None

    def delete_repo(self, repo: str) -> None:
        """Remove a repository's rows from every table; old versions still hold them."""
        self._delete(f"repo = {quoted(repo)}")

    def _delete(self, condition: str, spared: str = "") -> None:
        # Chunks last: as long as there are too many of them, the index knows that it isn't done.
        for name in sorted(self.table_names(), key=lambda name: name == CHUNKS):
            if name != spared and self.table(name) is not None:
                self._change(name, lambda table: table.delete(condition))

    def _change(self, name: str, change: Callable[[Any], object]) -> None:
        table = self.table(name)
        if table is None:
            raise LookupError(f"no table {name} in {self.uri}")
        with translated(self.uri):
            committed(lambda: change(table))

    # Reading

    def search(self, *searches: Search) -> list[list[Hit]]:
        """Run searches together; return the hits of each, best first.

        A message has no path, so a path filter leaves none of them. Vectors find nothing where
        there are none yet, or none of that dimension.
        """
        if not searches:
            return []
        serving = self.serving()

        async def one(search: Search) -> list[Hit]:
            name = _table_of(search, serving)
            table = await self._open(name) if name else None
            if table is None:
                return []
            return await find(table, search, self._where(search.filters))

        async def all_of_them() -> list[list[Hit]]:
            return await asyncio.gather(*(one(search) for search in searches))

        return self._reader.run(all_of_them)

    def fetch(self, ids: Collection[str]) -> dict[str, Chunk]:
        """Return the chunks with these ids; the ones that are gone meanwhile are left out."""
        listed = list(ids)
        some = [listed[start : start + _AT_ONCE] for start in range(0, len(listed), _AT_ONCE)]

        async def read() -> dict[str, Chunk]:
            table = await self._open(CHUNKS)
            found: dict[str, Chunk] = {}
            if table is None:
                return found
            edited = self._edited(listed)
            for part in some:
                query = table.query().where(one_of("id", part)).select(list(SHOWN))
                rows: list[dict[str, Any]] = (await query.to_arrow()).to_pylist()
                found.update((row["id"], as_chunk(row, edited.get(row["id"]))) for row in rows)
            return found

        return self._reader.run(read) if listed else {}

    def texts(self, ids: Collection[str]) -> dict[str, str]:
        """Return only what the chunks with these ids say, in half the time of fetching them."""
        listed = list(ids)
        said: dict[str, str] = {}
        for start in range(0, len(listed), _AT_ONCE):
            rows = self.select(("id", "text"), one_of("id", listed[start : start + _AT_ONCE]))
            if rows is not None:
                said.update(zip(rows["id"].to_pylist(), rows["text"].to_pylist(), strict=True))
        return said

    def ids_of(self, repos: Collection[str], refs: Collection[str]) -> list[str]:
        """Return the ids of the chunks that were made from items of any of several repositories."""
        ids: list[str] = []
        listed = sorted(refs)
        for start in range(0, len(listed), _AT_ONCE):
            some = one_of("ref", listed[start : start + _AT_ONCE])
            rows = self.select(("id",), f"{one_of('repo', repos)} AND {some}")
            ids += rows["id"].to_pylist() if rows is not None else []
        return ids

    def select(self, columns: Sequence[str], condition: str = "", name: str = CHUNKS) -> Any:
        """Return some columns of a table's rows, as Arrow; None where there is no such table."""

        async def read() -> Any:
            table = await self._open(name)
            if table is None:
                return None
            query = table.query().select(list(columns))
            return await (query.where(condition) if condition else query).to_arrow()

        return self._reader.run(read)

    def count_chunks(self, filters: Filters = NOTHING) -> int:
        """Return how many chunks the filters leave."""
        return self._count(CHUNKS, self._where(filters))

    def count_mine(self, repo: str | None = None) -> int:
        """Return how many chunks this memory has written, all in all or of one repository."""
        return self._count(CHUNKS, self.mine(repo))

    def count_vectors(self, repo: str | None = None, vectors: VectorSet | None = None) -> int:
        """Return how many chunks have a vector in ``vectors``, by default in those that serve."""
        vectors = vectors or self.serving()
        if vectors is None:
            return 0
        return sum(self._count(vectors.table(kind), self.mine(repo)) for kind in Kind)

    def mine(self, repo: str | None = None) -> str:
        """Return the condition that a row is this memory's, or a repository's; empty when all are.

        Items of no repository are everybody's: machines that share a store bring the same ones.
        """
        if repo is not None:
            return f"repo = {quoted(repo)}"
        return "" if not self.shared else one_of("repo", ("", *self._shared_as()))

    def _where(self, filters: Filters) -> str:
        mine = "" if filters.repos else self.mine()
        return " AND ".join(part for part in (mine, where(filters, self._people)) if part)

    def _count(self, name: str, condition: str) -> int:
        async def read() -> int:
            table = await self._open(name)
            return 0 if table is None else int(await table.count_rows(condition or None))

        return self._reader.run(read)

    async def _open(self, name: str) -> Any | None:
        table = await self._reader.table(name)
        if table is None and name == CHUNKS:
            self.refuse_missing()
        return table

    def refuse_missing(self) -> None:
        """Raise StoreDamaged where there must be chunks and the table for them is gone."""
        if self.table(CHUNKS) is None and self._expected():
            raise StoreDamaged(self.uri, "the vector store is gone, the index is still there")

    def column(self, name: str, column: str) -> Any:
        """Return one column of a table, as Arrow."""
        table: Any = self.table(name)
        with translated(self.uri):
            return table.search().select([column]).to_arrow()[column]

    def refs(self) -> Iterator[tuple[str, str]]:
        """Return the repository and the commit, or the item, of each chunk."""
        table: Any = self.table(CHUNKS)
        with translated(self.uri):
            for batch in table.search().select(["repo", "ref"]).to_batches():
                columns = batch.to_pydict()
                yield from zip(columns["repo"], columns["ref"], strict=True)


def _table_of(search: Search, serving: VectorSet | None) -> str | None:
    """Return the table that a search is of; None where it can find nothing."""
    if isinstance(search, TextSearch):
        return CHUNKS if search.terms.strip() else None
    if serving is None or search.vector.shape != (serving.dimension,):
        return None
    return serving.table(search.kind)
