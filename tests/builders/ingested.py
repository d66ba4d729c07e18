"""A real memory that real repositories are taken into, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from hermes.ingest.git.command import Git
from hermes.ingest.git.history import root_commit
from hermes.ingest.git.ingest import IngestReport, Progress, ingest
from hermes.memory.embedders.protocol import Embedder
from hermes.memory.memory import Memory
from hermes.memory.records import Chunk, Commit, FileChange, Repo, chunk_id


class Ingested:
    """A memory, by default without an embedder, in a folder, and one repository in it."""

    def __init__(self, folder: Path, repository: Path, embedder: Embedder | None = None) -> None:
        self.memory = Memory.open(folder, embedder=embedder, write=True)
        git = Git.open(repository)
        self.repo: Repo = self.memory.index.add_repo(
            repository.name,
            str(git.common_dir),
            None if git.worktree is None else str(git.worktree),
            root_commit(git),
        )
        self.repository = repository
        self.progress: list[Progress] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.memory.close()

    def run(
        self,
        *,
        exclude: Sequence[str] = (),
        max_file_bytes: int = 1_000_000,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> IngestReport:
        """Ingest once and return the report; memory's own check must find nothing wrong."""
        report = ingest(
            Git.open(self.repository),
            self.memory,
            self.repo,
            exclude=exclude,
            max_file_bytes=max_file_bytes,
            on_progress=self.progress.append,
            should_stop=should_stop,
        )
        assert self.memory.check() == []
        return report

    @property
    def known(self) -> set[str]:
        """The shas that live in memory."""
        return self.memory.index.known(self.repo.id)

    def commit(self, sha: str) -> Commit:
        """Return a commit that must be there."""
        found = self.memory.index.commit(self.repo.id, sha)
        assert found is not None, f"{sha} is not in memory"
        return found

    def file(self, sha: str, path: str) -> FileChange:
        """Return the one change of a path in a commit."""
        (found,) = [file for file in self.commit(sha).files if file.path == path]
        return found

    def message(self, sha: str) -> Chunk:
        """Return a commit's message chunk."""
        return self._chunk(sha, "", 0)

    def context(self, sha: str, path: str) -> Chunk:
        """Return the chunk of a file's change."""
        return self._chunk(sha, path, 0)

    def chunks(self, sha: str) -> list[Chunk]:
        """Return every chunk of a commit, the message first."""
        commit = self.commit(sha)
        ids = [chunk_id(self.repo.id, sha, "", part) for part in (0, 1)]
        ids += [chunk_id(self.repo.id, sha, file.path, 0) for file in commit.files]
        found = self.memory.store.fetch(ids)
        return [found[key] for key in dict.fromkeys(ids) if key in found]

    def _chunk(self, sha: str, path: str, part: int) -> Chunk:
        key = chunk_id(self.repo.id, sha, path, part)
        found = self.memory.store.fetch([key])
        assert key in found, f"no chunk of {path!r} in {sha}"
        return found[key]
