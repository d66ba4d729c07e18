"""Reads of the store, any number at once, over LanceDB's asynchronous interface.

Its synchronous one goes through an event loop of its own half a dozen times for each search, which
takes longer than the search. Here one loop in a thread runs all searches of a question together.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from .errors import StoreDamaged
from .lance import connect_async, translated
from .place import folder_of

T = TypeVar("T")


@dataclass(slots=True)
class _Opened:
    """What is open of one place; what begins to read there goes on there."""

    uri: str
    connection: Any = None
    tables: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def folder(self) -> Path | None:
        """Where it is, when that is a folder of this machine."""
        return folder_of(self.uri)


class Reader:
    """LanceDB tables, open for reading. Safe to share between threads."""

    def __init__(self, place: Callable[[], str], storage_options: Mapping[str, str] | None) -> None:
        """Nothing is opened before it is needed. ``place`` says each time where the tables lie."""
        self._place = place
        self._storage_options = storage_options
        self._opened = _Opened("")

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
        self._opened = _Opened("")

    async def table(self, name: str) -> Any | None:
        """Return a table, kept open; None where there is none yet. For use inside ``run``."""
        opened = self._opened
        if name in opened.tables:
            return opened.tables[name]
        if opened.folder is not None and not opened.folder.is_dir():
            return None
        if opened.connection is None:
            opened.connection = await connect_async(opened.uri, self._storage_options)
        try:
            table = await opened.connection.open_table(name)
        except ValueError as error:
            if "was not found" not in str(error):
                raise
            return None
        opened.tables[name] = table
        return table

    def _run(self, reading: Coroutine[Any, Any, T]) -> T:
        uri = self._place()
        if self._opened.uri != uri:
            self._opened = _Opened(uri)
        with translated(uri):
            return asyncio.run_coroutine_threadsafe(reading, _loop()).result()


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """One loop for the whole process; it sleeps while nothing is read."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="store", daemon=True).start()
    return loop
