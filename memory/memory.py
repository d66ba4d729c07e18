"""Memory: the one door to what hermes knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import FileLock, Timeout

from .embedders.protocol import Embedder
from .errors import ReadOnly, StoreBusy
from .history import State
from .index import Index, Intent
from .records import Chunk, Commit
from .store import Store


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
        self.embedder = embedder
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

        ``uri`` places the vector store elsewhere (any LanceDB URI). With ``write`` this process
        becomes the writer, waiting up to ``wait`` seconds for another one to finish, and what a
        killed writer left is finished or undone. Raise StoreBusy, StoreTooNew, StoreDamaged,
        ReadOnly, NoSpace or NoMemory.
        """
        _make_folder(folder)
        lock = _take_lock(folder, wait) if write else None
        try:
            index = Index(folder / "memory.db")
            memory = cls(
                folder, index, Store(uri or str(folder / "lance"), storage_options), embedder, lock
            )
            if write:
                try:
                    memory.store.create()
                    memory.recover()
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

    # Writing

    def write(self, repo: str, commits: Sequence[Commit], chunks: Sequence[Chunk]) -> None:
        """Take in commits of one repository with all their chunks: all of it or nothing.

        What lives in memory already is left as it is, so a batch may be given again.
        """
        self._writable()
        known = self.index.known(repo)
        new = {commit.sha: commit for commit in commits if commit.sha not in known}
        rows = {chunk.id: chunk for chunk in chunks if chunk.ref in new}
        strays = {chunk.ref for chunk in chunks} - new.keys() - known
        if strays or any(commit.repo != repo for commit in commits):
            raise ValueError(f"a batch is of one repository and of its commits only: {strays}")
        if not new:
            return
        intent = self.index.begin(repo, "write", new)
        self.store.append(list(rows.values()))
        counts = Counter(chunk.ref for chunk in rows.values())
        self.index.finish_write(intent, list(new.values()), counts)

    def orphan(self, repo: str, shas: Collection[str]) -> None:
        """Stop citing commits that no branch reaches any more; their rows stay in the index."""
        self._writable()
        if shas:
            self._remove(self.index.begin(repo, "orphan", shas))

    def recover(self) -> int:
        """Finish or undo what a killed writer left; return how many batches that were."""
        self._writable()
        left = self.index.intents()
        for intent in left:
            if intent.action == "write":
                self.store.delete_refs(intent.repo, intent.shas)
                self.index.abandon(intent)
            elif intent.action == "orphan":
                self._remove(intent)
        return len(left)

    def _remove(self, intent: Intent) -> None:
        self.store.delete_refs(intent.repo, intent.shas)
        self.index.finish_removal(intent, State.ORPHANED)

    def _writable(self) -> None:
        if self._lock is None:
            raise ReadOnly(self.folder)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ReadOnly(folder) from error


def _take_lock(folder: Path, wait: float) -> FileLock:
    lock = FileLock(folder / "writer.lock", timeout=wait, mode=0o600, thread_local=False)
    try:
        lock.acquire()
    except Timeout as error:
        raise StoreBusy(folder) from error
    except OSError as error:
        raise ReadOnly(folder) from error
    return lock
