"""Memory: the one door to what hermes knows."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import FileLock, Timeout

from . import damage, forgetting, leftovers, upkeep, vectors
from .damage import Finding
from .embedders.choose import for_vectors
from .embedders.protocol import Embedder
from .errors import ReadOnly, StoreBusy, StoreDamaged
from .forgetting_rules import RuleKind, read_rule
from .index import Index
from .intents import Action, Intent
from .items import kept
from .place import Place
from .plain import Plain
from .rawlog import RawLog
from .records import Chunk, Commit, Item, Repo
from .serving import serving, serving_tables
from .sieve import Sieve
from .store import Store
from .tables import VectorSet, vector_set
from .text import storable
from .upkeep import MaintenanceReport
from .withheld import Stage


@dataclass(frozen=True, slots=True)
class MemoryStats:
    """How much is in memory."""

    repos: int
    commits: int
    chunks: int
    vectors: int
    """Chunks that have a vector of the configured embedder."""
    vectors_total: int
    """Chunks that should have one; 0 without an embedder."""
    embedder: str
    """The configured one, ``none`` without."""
    serving: str
    """The embedder whose vectors are searched now; ``none`` before there are any."""
    bytes: int
    """On disk, of the whole folder; 0 where only one repository was asked for."""


class Memory:
    """The structured index and the vector store under one folder, kept in step.

    One process writes at a time (``write=True`` holds ``writer.lock``); any number read, and see
    what the writer has committed at once.
    """

    def __init__(
        self,
        folder: Path,
        index: Index,
        store: Store,
        embedder: Embedder | None,
        lock: FileLock | None,
    ) -> None:
        self.folder = folder
        self.index = index
        self.store = store
        self.log = RawLog(folder / "raw", index.withheld.sieve)
        """What happened, for people to read."""
        self.configured = embedder
        """The embedder that new vectors are made with."""
        self._asking: tuple[VectorSet, Embedder | None] | None = None
        self._asking_lock = threading.Lock()
        self._lock = lock

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        embedder: Embedder | None,
        uri: str | None = None,
        storage_options: Mapping[str, str] | None = None,
        write: bool = False,
        wait: float = 0.0,
    ) -> Memory:
        """Open the memory in ``folder``, made if need be.

        ``uri`` places the vector store elsewhere (any LanceDB URI), where other machines may share
        it: see Store. With ``write`` this process
        becomes the writer, waiting up to ``wait`` seconds for another one to finish, and what a
        killed writer left is finished or undone. Raise StoreBusy, StoreTooNew, StoreDamaged,
        ReadOnly, NoSpace or NoMemory.
        """
        place = _place(folder, uri, storage_options)
        return cls._open(folder, place, embedder, write, wait)

    @classmethod
    def _open(
        cls,
        folder: Path,
        place: Place,
        embedder: Embedder | None,
        write: bool,
        wait: float,
    ) -> Memory:
        """Open the memory whose index is in ``folder`` and whose tables are in ``place``."""
        lock = _take_lock(folder, wait) if write else None
        try:
            index = Index(folder / "memory.db")
            store = _store(index, place)
            memory = cls(folder, index, store, embedder, lock)
            try:
                if write:
                    damage.finish_rebuild(index, store)
                    leftovers.sweep(folder, index, store)
                    damage.sweep(store)
                    damage.quarantine(store)
                    store.refuse_missing()
                    store.create()
                    vectors.drop_leftovers(index, store, embedder)
                    memory.recover()
                    index.sources.settle()
                    damage.reconcile(index, store)
            except BaseException:
                index.close()
                raise
        except BaseException:
            if lock is not None:
                lock.release()
            raise
        return memory

    def close(self) -> None:
        """Close everything and let the next writer in."""
        self.index.close()
        self.store.forget_handles()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def embedder(self) -> Embedder | None:
        """The embedder to ask with: the one whose vectors are searched now.

        That is the configured one, except while its vectors are being made beside another's. None
        where there is none configured, or the former one can't be had any more.
        """
        now = self.store.serving()
        if self.configured is None or now is None or now == vector_set(self.configured):
            return self.configured
        with self._asking_lock:
            if self._asking is None or self._asking[0] != now:
                self._asking = (now, for_vectors(now))
            return self._asking[1]

    # Writing

    def write(self, repo: str, commits: Sequence[Commit], chunks: Sequence[Chunk]) -> None:
        """Take in commits of one repository with all their chunks: all of it or nothing.

        What lives in memory already is left as it is, so a batch may be given again.
        """
        self.require_writer()
        known = self.index.known_among(repo, [commit.sha for commit in commits])
        new = {commit.sha: commit for commit in commits if commit.sha not in known}
        rows = {chunk.id: chunk for chunk in chunks if chunk.ref in new}
        strays = {chunk.ref for chunk in chunks} - new.keys() - known
        foreign = {commit.repo for commit in commits} | {chunk.repo for chunk in chunks}
        if strays or foreign - {repo}:
            raise ValueError(f"a batch is of one repository and of its own commits: {strays}")
        if not new:
            return
        if self.index.intents.pending():  # a full disk, say, cut the batch before
            self.recover()
        said = self.index.edits.applied(list(rows.values()))
        left = self.index.withheld.sieve().history(new.values(), said)
        intent = self.index.intents.begin(repo, Action.WRITE, new)
        self.store.append(left.chunks)
        counts = Counter(chunk.ref for chunk in left.chunks)
        self.index.intents.finish_write(intent, left.commits, counts, left.withheld, left.touched)

    def write_items(self, items: Sequence[Item], chunks: Sequence[Chunk]) -> int:
        """Take in items with all their chunks: all of it or nothing; return how many were news.

        An item that is there as it is given is left alone, so a batch may be given again. Of one
        that says something else than before, the chunks that are others are replaced, and the rest
        keep their vectors; where only its state, say, is another, all stay.
        """
        self.require_writer()
        given = {item.ref: item for item in map(kept, items)}
        rows = {chunk.id: chunk for chunk in chunks}
        strays = {
            chunk.ref
            for chunk in rows.values()
            if (item := given.get(chunk.ref)) is None
            or (chunk.repo, chunk.source) != (item.repo, item.source)
        }
        if strays:
            raise ValueError(f"a chunk is of an item of its batch, and where that is: {strays}")
        said = self.index.edits.applied(list(rows.values()))
        left = self.index.withheld.sieve().discussions(given.values(), said)
        kept_out = given.keys() - {item.ref for item in left.items}
        given = {item.ref: item for item in left.items}
        counts = Counter(chunk.ref for chunk in left.chunks)
        if self.index.intents.pending():  # a full disk, say, cut the batch before
            self.recover()
        # It came before the rule that keeps it out, which is not carried out yet.
        self.delete_items(self.index.items.get_all(kept_out))
        before = self.index.items.get_all(given)
        had = self.index.items.chunk_counts(given)
        said_anew = {
            ref
            for ref, item in given.items()
            if ref not in before or counts[ref] != had[ref] or _said(item) != _said(before[ref])
        }
        news = [item for ref, item in given.items() if ref in said_anew or item != before[ref]]
        if not news:
            return 0
        intent = self.index.intents.begin("", Action.WRITE_ITEMS, said_anew)
        if said_anew:
            # In a shared store another machine may have put them there already.
            stale = said_anew if self.store.shared else said_anew & before.keys()
            parted = set[str]() if self.store.shared else {r for r in stale if had[r] > 1}
            self.store.delete_refs(self._places(), stale - parted)
            stays = self._drop_others(parted, left.chunks)
            self.store.append(
                [chunk for chunk in left.chunks if chunk.ref in said_anew and chunk.id not in stays]
            )
        count_of = {ref: counts[ref] for ref in said_anew}
        self.index.intents.finish_items(intent, news, count_of, left.touched)
        return len(news)

    def _drop_others(self, refs: Collection[str], chunks: Sequence[Chunk]) -> set[str]:
        """Remove those chunks of items that are not among these as they are; return the ids of the
        others."""
        if not refs:
            return set()
        there = self.store.fetch(self.store.ids_of(self._places(), refs))
        same = {
            chunk.id
            for chunk in chunks
            if (old := there.get(chunk.id)) and _shown(old) == _shown(chunk)
        }
        self.store.delete_ids(there.keys() - same)
        return same

    def delete_items(self, refs: Collection[str]) -> None:
        """Remove items and their chunks; old versions of the store still hold them."""
        self.require_writer()
        if refs:
            self._delete_items(self.index.intents.begin("", Action.DELETE_ITEMS, refs))

    def _delete_items(self, intent: Intent) -> None:
        self.store.delete_refs(self._places(), intent.refs)
        self.index.intents.finish_delete(intent)

    def _places(self) -> set[str]:
        """Where an item's chunks may be: in any repository of this memory, and in none."""
        return {"", *(repo.id for repo in self.index.repos())}

    def orphan(self, repo: str, shas: Collection[str]) -> None:
        """Stop citing commits that no branch reaches any more; their rows stay in the index."""
        self.require_writer()
        if shas:
            self._orphan(self.index.intents.begin(repo, Action.ORPHAN, shas))

    def _orphan(self, intent: Intent) -> None:
        self.store.delete_refs(intent.repo, intent.refs)
        self.index.intents.finish_orphan(intent)

    def forget_repo(self, repo: str) -> None:
        """Remove a repository from every part, so that no file holds its text any more."""
        self.require_writer()
        self._forget(self.index.intents.begin(repo, Action.FORGET))

    def _forget(self, intent: Intent) -> None:
        forgetting.forget(self.folder, self.index, self.store, intent)

    def forget_withheld(
        self, on_progress: forgetting.Progress = lambda phase, done, total: None
    ) -> dict[int, forgetting.Counts]:
        """Remove what rules name that are not carried out yet, so that no file holds it any more,
        and take back those that are to be; return what became of each that was carried out.

        Killed or out of disk, the next call does the rest.
        """
        self.require_writer()
        pending = self.index.withheld.pending()
        for rule in pending:
            if rule.stage is Stage.LIFTING:
                forgetting.lift(self.folder, self.index, self.store, rule)
        rules = [rule for rule in pending if rule.stage is Stage.MEMORY]
        return forgetting.carry_out(self.folder, self.index, self.store, rules, on_progress)

    def look_forgetting(
        self,
        kind: RuleKind,
        rule: str,
        said: Plain,
        on_progress: forgetting.Progress = lambda phase, done, total: None,
    ) -> forgetting.Counts:
        """Return what a rule would take, and change nothing."""
        sieve = Sieve([(0, read_rule(kind, rule, self.index.withheld.salt()))])
        return forgetting.look(self.folder, self.index, self.store, sieve, said, on_progress)

    def recover(self) -> int:
        """Finish or undo what a killed writer left; return how many changes that were."""
        self.require_writer()
        left = self.index.intents.pending()
        for intent in left:
            match intent.action:
                case Action.WRITE:
                    self.store.delete_refs(intent.repo, intent.refs)
                    self.index.intents.drop(intent)
                case Action.ORPHAN:
                    self._orphan(intent)
                case Action.FORGET:
                    self._forget(intent)
                case Action.WRITE_ITEMS:
                    self.store.delete_refs(self._places(), intent.refs)
                    self.index.intents.undo_items(intent)
                case Action.DELETE_ITEMS:
                    self._delete_items(intent)
                case Action.REBUILD:
                    damage.rebuild(self.index, self.store, intent)
                    self.store.create()
        return len(left)

    def fill_vectors(
        self,
        *,
        batch: int = 256,
        should_stop: Callable[[], bool] = lambda: False,
        on_progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> int:
        """Give vectors to the chunks that have none; return how many got one.

        Newest first, messages before contexts; may be stopped, or killed, and called again. Raise
        EmbedderError when the embedder fails; what was made until then is kept.
        """
        self.require_writer()
        return vectors.fill(
            self.index, self.store, self.configured, batch, should_stop, on_progress
        )

    def maintain(self, *, force: bool = False) -> MaintenanceReport:
        """Compact the store, refresh its indexes, drop old versions; cheap when all is well."""
        self.require_writer()
        leftovers.sweep(self.folder, self.index, self.store)
        return upkeep.maintain(self.store, force=force)

    @classmethod
    def rebuild(
        cls,
        folder: Path,
        *,
        uri: str | None = None,
        storage_options: Mapping[str, str] | None = None,
        wait: float = 0.0,
    ) -> list[Repo]:
        """Drop chunks and vectors; every commit counts as unread, so the next ingest reads it.

        Works on a memory too damaged to be opened. Return the repositories to be read again: none
        when the index itself was beyond reading (it is set aside), they must be added anew then.
        """
        lock = _take_lock(folder, wait)
        try:
            try:
                return cls._rebuild(folder, uri, storage_options)
            except StoreDamaged as error:
                # Some damage shows only when a page is read, not when the file is opened.
                if error.where != str(folder / "memory.db"):
                    raise
                damage.set_aside_index(folder / "memory.db")
                return cls._rebuild(folder, uri, storage_options)
        finally:
            lock.release()

    @staticmethod
    def _rebuild(
        folder: Path, uri: str | None, storage_options: Mapping[str, str] | None
    ) -> list[Repo]:
        index = Index(folder / "memory.db")
        try:
            store = _store(index, _place(folder, uri, storage_options))
            damage.rebuild(index, store, index.intents.begin("", Action.REBUILD))
            leftovers.discard(folder, index, store)
            return index.repos()
        finally:
            index.close()

    def beside(self, folder: Path, tables: str) -> Memory:
        """Open for writing the memory that is being built beside this one, with its index in
        ``folder`` and its tables in that folder of the same place (see ``beside``)."""
        self.require_writer()
        place = Place(self.store.place.at(tables), self.store.place.storage_options)
        return self._open(folder, place, self.configured, write=True, wait=0.0)

    # Reading

    def check(self) -> list[Finding]:
        """Look for damage: return what is wrong, worst first; nothing when all is well."""
        return damage.check(self.index, self.store)

    def stats(self, repo: str | None = None) -> MemoryStats:
        """Count what is in memory, of one repository or of all."""
        commits, _ = self.index.counts(repo)
        chunks = self.store.count_mine(repo)
        target = vector_set(self.configured) if self.configured else None
        now = self.store.serving()
        return MemoryStats(
            repos=len(self.index.repos()),
            commits=commits,
            chunks=chunks,
            vectors=self.store.count_vectors(repo, target) if target else 0,
            vectors_total=chunks if target else 0,
            embedder=target.embedder if target else "none",
            serving=now.embedder if now else "none",
            bytes=0 if repo else upkeep.size(self.folder),
        )

    def require_writer(self) -> None:
        """Raise ReadOnly unless this was opened for writing."""
        if self._lock is None:
            raise ReadOnly(self.folder)


def _shown(chunk: Chunk) -> tuple[object, ...]:
    """What the store holds of an item's chunk."""
    return (
        *(chunk.repo, chunk.source, chunk.kind, chunk.ref, chunk.author, chunk.email, chunk.time),
        *(storable(text) for text in (chunk.path, chunk.title, chunk.text)),
    )


def _said(item: Item) -> tuple[object, ...]:
    """What an item's chunks are made from."""
    return (
        *(item.source, item.kind, item.repo, item.key, item.title, item.text),
        *(item.author, item.email, item.time, item.path),
    )


def _place(folder: Path, uri: str | None, storage_options: Mapping[str, str] | None) -> Place:
    return Place(uri or str(folder / "lance"), storage_options, shared=uri is not None)


def _store(index: Index, place: Place) -> Store:
    return Store(
        place,
        tables=lambda: serving_tables(index),
        serving=lambda: serving(index),
        people=index.people_like,
        expected=lambda: index.counts()[1] > 0,
        shared_as=lambda: [repo.id for repo in index.repos()],
        edited=index.edits.dates,
    )


def _take_lock(folder: Path, wait: float) -> FileLock:
    lock = FileLock(folder / "writer.lock", timeout=wait, mode=0o600, thread_local=False)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock.acquire()
    except Timeout as error:
        raise StoreBusy(folder) from error
    except OSError as error:
        raise ReadOnly(folder) from error
    return lock
