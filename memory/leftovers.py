"""What rebuilds leave: tables that served before, and what was being built when nobody went on."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from .index import Index
from .place import Place, folder_of, made_in
from .serving import serving_tables
from .store import Store

FOLDER = "rebuilding"
"""Where the index lies of what is being built, in memory's folder."""
BUILDING = "store.building"
"""The setting that names the folder of the tables that are being built."""
BEFORE = "store.before"
"""The setting that names the folder of the tables that served before, until they are gone."""
KEPT_SECONDS = 3 * 86_400
"""How long what was being built is kept for somebody to go on with it."""


def sweep(folder: Path, index: Index, store: Store) -> None:
    """Remove tables that served before a rebuild, tables that nothing names, and what was being
    built days ago. For the writer."""
    before = index.setting(BEFORE)
    if before is not None:
        _drop(index, store, before)
        index.set_setting(BEFORE, None)
    building = index.setting(BUILDING)
    # In a shared place they may be another machine's.
    for tables in () if store.place.shared else made_in(store.place):
        if tables not in (serving_tables(index), building):
            _drop(index, store, tables)
    if building is None or _touched(folder / FOLDER) < time.time() - KEPT_SECONDS:
        _give_up(folder, index, store)


def discard(folder: Path, index: Index, store: Store) -> None:
    """Remove what is being built, and the tables that served before: no file of them is left. For
    the writer."""
    sweep(folder, index, store)
    _give_up(folder, index, store)


def _give_up(folder: Path, index: Index, store: Store) -> None:
    building = index.setting(BUILDING)
    shutil.rmtree(folder / FOLDER, ignore_errors=True)
    if building is not None:
        _drop(index, store, building)
        index.set_setting(BUILDING, None)


def _touched(folder: Path) -> float:
    """Return when something was last written there; now, where there is nothing yet."""
    times = [path.stat().st_mtime for path in folder.glob("memory.db*")]
    return max(times, default=time.time())


def _drop(index: Index, store: Store, tables: str) -> None:
    """Remove the tables of one folder of the store's place; of a shared place what is ours there."""
    place = store.place
    folder = folder_of(place.at(tables))
    if tables and folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
        return
    there = Store(
        Place(place.at(tables), place.storage_options),
        serving=lambda: None,
        people=index.people_like,
        expected=lambda: False,
    )
    if place.shared and not tables:
        for repo in index.repos():
            there.delete_repo(repo.id)
    else:
        there.drop_all()
