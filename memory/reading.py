"""Reads of the store, any number at once, over LanceDB's asynchronous interface.

Its synchronous one goes through an event loop of its own half a dozen times for each search, which
takes longer than the search. Here one loop in a thread runs all searches of a question together.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from .errors import StoreDamaged
from .lance import connect_async, translated

T = TypeVar("T")


class Reader:
    """LanceDB tables, open for reading. Safe to share between threads."""

    def __init__(self, uri: str, storage_options: Mapping[str, str] | None) -> None:
        """Nothing is opened before it is needed."""
        self.uri = uri
        self._folder = None if "://" in uri else Path(uri)
        self._storage_options = storage_options
        self._connection: Any = None
        self._tables: dict[str, Any] = {}

    def run(self, read: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run what ``read`` makes, and wait for it.

        Once more when it fails: the writer may just have compacted or replaced what was open.
        Raise StoreDamaged or StoreUnreachable.
        """
        try:
            return self._run(read())
        except StoreDamaged:
            self.forget()
            return self._run(read())

    def forget(self) -> None:
        """Open everything anew at the next read."""
        self._tables = {}
        self._connection = None

    async def table(self, name: str) -> Any | None:
        """Return a table, kept open; None where there is none yet. For use inside ``run``."""
        if name in self._tables:
            return self._tables[name]
        if self._folder is not None and not self._folder.is_dir():
            return None
        if self._connection is None:
            self._connection = await connect_async(self.uri, self._storage_options)
        try:
            table = await self._connection.open_table(name)
        except ValueError as error:
            if "was not found" not in str(error):
                raise
            return None
        self._tables[name] = table
        return table

    def _run(self, reading: Coroutine[Any, Any, T]) -> T:
        with translated(self.uri):
            return asyncio.run_coroutine_threadsafe(reading, _loop()).result()


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """One loop for the whole process; it sleeps while nothing is read."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="store", daemon=True).start()
    return loop
