"""A memory built anew beside the one that serves, and put in its place in one step.

The new one is an ordinary memory: an index of its own in the folder ``rebuilding`` and tables in a
fresh folder of the store's place. So whatever writes a memory builds it, what a kill leaves is mended
as always, and it is taken up where it was. Its index begins as a copy of the one that serves, with
all of history marked as unread: repositories keep their ids, commits that no branch reaches any more
are still known, and hand edits and what was forgotten for good hold while it is read.

Memory's index stays the same file, since the daemon has it open and writes to it. In the end one
transaction puts the new history in the place of the old and names the new tables; readers look up
that name for each search (see ``place``), so they ask the old ones until then and the new ones from
then on. What is no history (repositories, items, marks, facts, edits, rules, settings) is not touched
at all, so nothing that was written to it meanwhile is lost.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator
from contextlib import closing
from pathlib import Path

from .errors import HermesError, StoreDamaged
from .filters import one_of, quoted
from .index import Index
from .intents import Action
from .leftovers import BEFORE, BUILDING, FOLDER, discard, sweep
from .memory import Memory
from .place import new_tables
from .serving import serving, serving_settings, serving_tables
from .succession import copy, follow, take_over
from .tables import chunk_schema
from .upkeep import size
from .withheld import Stage

MARGIN = 200_000_000
"""Bytes that are to be left on the disk."""
AT_ONCE = 500
"""Commits that are carried over in one write."""

_MAKER = "rebuilding.maker"


class NoRoom(HermesError):
    """The disk can't hold a second memory beside the one that serves."""

    code = "no_space"

    def __init__(self, folder: Path, needed: int, free: int) -> None:
        super().__init__(
            f"a second memory beside this one takes some {needed / 1e6:,.0f} MB, and"
            f" {free / 1e6:,.0f} MB are free at {folder}",
            hint="Free some space and run the same again; memory is as it was.",
        )


class Build:
    """A memory that is being built beside another one, which is open for writing meanwhile."""

    def __init__(self, served: Memory, memory: Memory, tables: str) -> None:
        self.served = served
        self.memory = memory
        self._tables = tables
        self._finished = False

    @classmethod
    def begin(cls, served: Memory, maker: str) -> Build:
        """Begin one, or take up the one that was begun by the same ``maker`` (a version of the
        program) under the same rules of forgetting. Raise NoRoom."""
        sweep(served.folder, served.index, served.store)
        folder = served.folder / FOLDER
        tables = served.index.setting(BUILDING)
        if tables is not None and not _same(served.index, folder, maker):
            discard(served.folder, served.index, served.store)
            tables = None
        if tables is None:
            _refuse_without_room(served)
            tables = new_tables()
            served.index.set_setting(BUILDING, tables)
            _copy(served.index, folder, maker)
        try:
            memory = served.beside(folder, tables)
        except StoreDamaged:  # a power cut: there is nothing in it that is not to be had again
            discard(served.folder, served.index, served.store)
            raise
        build = cls(served, memory, tables)
        try:
            build._follow()
        except BaseException:
            memory.close()
            raise
        return build

    def close(self) -> None:
        """Leave it to be taken up later, unless it is finished."""
        if not self._finished:
            self.memory.close()

    def carry_over(self, repo: str, shas: Collection[str]) -> int:
        """Take over commits that can't be read again as they are; return how many those were."""
        source, target = self.served, self.memory
        there = source.index.known_among(repo, shas) - target.index.known_among(repo, shas)
        done = 0
        for some in _slices(sorted(there)):
            commits = source.index.commits_for(repo, some)
            counts = source.index.chunk_counts(repo)
            rows = source.store.select(
                chunk_schema().names, f"repo = {quoted(repo)} AND {one_of('ref', some)}"
            )
            intent = target.index.intents.begin(repo, Action.WRITE, some)
            if rows is not None and rows.num_rows:
                target.store.append_rows(rows)
            target.index.intents.finish_write(
                intent, commits, {sha: counts.get(sha, 0) for sha in some}
            )
            done += len(commits)
        return done

    def finish(self) -> None:
        """Put it in the place of the one that serves, in one step."""
        index = self.memory.index
        settings = serving_settings(self._tables, serving(index))
        settings |= {BUILDING: None, BEFORE: serving_tables(self.served.index)}
        self.memory.close()
        self._finished = True
        take_over(self.served.index, self.memory.folder / "memory.db", settings)
        shutil.rmtree(self.memory.folder)

    def _follow(self) -> None:
        """Know of the repositories, items and edits that the other one got or lost meanwhile."""
        index, store = self.memory.index, self.memory.store
        news = follow(index, self.served.folder / "memory.db")
        for repo, shas in news.commits.items():
            index.mark_unread(repo, shas)
            store.delete_refs(repo, shas)
        if news.items:
            store.delete_refs({"", *(repo.id for repo in index.repos())}, news.items)


def needed(memory: Memory) -> int:
    """Return how many bytes a second memory takes beside this one on the disk of its folder."""
    store = memory.store.folder
    tables = size(store) if store is not None else 0
    return tables + 3 * (memory.folder / "memory.db").stat().st_size


def _refuse_without_room(memory: Memory) -> None:
    wanted = needed(memory)
    free = shutil.disk_usage(memory.folder).free
    if free < wanted + MARGIN:
        raise NoRoom(memory.folder, wanted, free)


def _copy(index: Index, folder: Path, maker: str) -> None:
    """Make the new memory's index from the one that serves. It is there when it is whole."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True)
    unfinished = folder / "copy.db"
    copy(index, unfinished)
    with closing(Index(unfinished)) as new:
        new.mark_all_unread()
        for intent in new.intents.pending():
            new.intents.drop(intent)
        for key, value in serving_settings("", None).items():
            new.set_setting(key, value)
        new.set_setting(BUILDING, None)
        new.set_setting(BEFORE, None)
        new.set_setting(_MAKER, maker)
    unfinished.rename(folder / "memory.db")


def _same(index: Index, folder: Path, maker: str) -> bool:
    """Say whether what was begun is whole, of the same maker, and about what there is now."""
    path = folder / "memory.db"
    if not path.exists():
        return False
    with closing(Index(path)) as begun:
        gone = {repo.id for repo in begun.repos()} - {repo.id for repo in index.repos()}
        return not gone and begun.setting(_MAKER) == maker and _rules(begun) == _rules(index)


def _rules(index: Index) -> list[tuple[str, str, bool]]:
    rules = index.withheld.rules()
    return [(rule.kind.value, rule.rule, rule.stage is Stage.LIFTING) for rule in rules]


def _slices(shas: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(shas), AT_ONCE):
        yield shas[start : start + AT_ONCE]
