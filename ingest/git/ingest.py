"""A repository's history into memory: newest first, in batches, from where the last run ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ...memory.records import Chunk, Commit, Content, Repo
from .blobs import size_lookup
from .chunks import Batch, build
from .command import Git
from .drafts import Draft, draft
from .history import plan
from .ignored import Rules, rules_of
from .log import RawCommit
from .reading import FIRST_SLICE, Reader

BATCH_COMMITS = 500
BATCH_CHUNKS = 2_000
"""A write to memory holds no more commits, and hardly more chunks."""

SCAN_BYTES = 256_000
GROUP = 200
"""Text, and commits, that are looked through for secrets at once."""


class _Index(Protocol):
    def known(self, repo: str) -> set[str]: ...
    def tips(self, repo: str) -> dict[str, str]: ...
    def set_tips(self, repo: str, tips: Mapping[str, str]) -> None: ...


class Memory(Protocol):
    """What ingest needs of memory."""

    @property
    def index(self) -> _Index: ...
    def write(self, repo: str, commits: Sequence[Commit], chunks: Sequence[Chunk]) -> None: ...
    def orphan(self, repo: str, shas: Collection[str]) -> None: ...


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an ingest is."""

    done: int
    total: int
    """Commits to read in this run."""
    reached: int | None
    """When the last commit that was written was authored."""


@dataclass(slots=True)
class IngestReport:
    """What one ingest did and learnt."""

    new_commits: int = 0
    chunks: int = 0
    orphaned: int = 0
    """Commits that no branch reaches any more; they are not cited from now on."""
    redacted: int = 0
    """Secrets taken out."""
    stubs: dict[Content, int] = field(default_factory=dict[Content, int])
    """Files of which only the name and the size of the change are kept, by what they hold; text is
    one without changed lines: empty, renamed, or of another mode."""
    authors: int = 0
    files: int = 0
    """Distinct paths among the new commits."""
    oldest: int | None = None
    newest: int | None = None
    branches: int = 0
    stopped: bool = False
    """Asked to stop before the end; the next run carries on."""
    notes: tuple[str, ...] = ()
    """What could not be read, and why."""
    seconds: float = 0.0


@dataclass(slots=True)
class _Seen:
    authors: set[str] = field(default_factory=set[str])
    paths: set[str] = field(default_factory=set[str])


def ingest(
    git: Git,
    memory: Memory,
    repo: Repo,
    *,
    exclude: Sequence[str] = (),
    max_file_bytes: int = 1_000_000,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> IngestReport:
    """Bring memory up to date with a repository.

    What is in memory is the truth: a run that was stopped or killed is carried on by the next.
    ``should_stop`` is asked between batches. Raise a GitError if the repository can't be read
    (what was written until then stays), BadPattern if a pattern to exclude is wrong.
    """
    started = time.monotonic()
    report = IngestReport()
    seen = _Seen()
    rules = rules_of(git, exclude)
    todo = plan(git, memory.index.known(repo.id), memory.index.tips(repo.id))
    report.branches = len(todo.heads)
    if todo.damage:
        report.notes = (f"part of the history can't be walked: {todo.damage}",)
    if todo.orphaned:
        memory.orphan(repo.id, todo.orphaned)
        report.orphaned = len(todo.orphaned)
    if todo.unread:
        # Until the end is reached, no tip may claim that what it reaches is known.
        if todo.complete_walk:
            memory.index.set_tips(repo.id, {})
        reader = Reader(git)
        total = len(todo.unread)
        on_progress(Progress(0, total, None))
        for batch in _batches(git, reader, repo.id, todo.unread, rules, max_file_bytes):
            memory.write(repo.id, batch.commits, batch.chunks)
            _count(report, seen, batch)
            on_progress(Progress(report.new_commits, total, batch.commits[-1].time))
            if report.new_commits < total and should_stop():
                report.stopped = True
                break
        report.notes += reader.notes()
    if not report.stopped and not todo.damage:
        memory.index.set_tips(repo.id, todo.heads)
    report.authors, report.files = len(seen.authors), len(seen.paths)
    report.seconds = time.monotonic() - started
    return report


def read_again(
    git: Git, repo: str, sha: str, *, exclude: Sequence[str] = (), max_file_bytes: int = 1_000_000
) -> list[Chunk]:
    """Return the chunks that reading a commit comes to, and write nothing. Raise a GitError."""
    batches = _batches(git, Reader(git), repo, [sha], rules_of(git, exclude), max_file_bytes)
    return [chunk for batch in batches for chunk in batch.chunks]


def _batches(
    git: Git, reader: Reader, repo: str, shas: Sequence[str], rules: Rules, max_bytes: int
) -> Iterator[Batch]:
    """Make batches, of which the first is small, so that the newest commits are found at once."""
    batch, limit = Batch(), FIRST_SLICE
    with size_lookup(git) as sizes_of:
        for group in _groups(reader.read(shas), rules, max_bytes):
            batch.add(build(repo, group, sizes_of(_binaries(group))))
            if len(batch.commits) >= limit or len(batch.chunks) >= BATCH_CHUNKS:
                yield batch
                batch, limit = Batch(), BATCH_COMMITS
    if batch.commits:
        yield batch


def _groups(commits: Iterable[RawCommit], rules: Rules, max_bytes: int) -> Iterator[list[Draft]]:
    """Draft commits in groups of a size that is good to scan, and soon done: git does not wait."""
    group: list[Draft] = []
    size = 0
    for number, commit in enumerate(commits, start=1):
        drafted = draft(commit, rules, max_bytes)
        group.append(drafted)
        size += len(drafted.message) + sum(len(file.hunks) for file in drafted.files)
        if size >= SCAN_BYTES or len(group) >= GROUP or number == FIRST_SLICE:
            yield group
            group, size = [], 0
    if group:
        yield group


def _binaries(drafts: Iterable[Draft]) -> set[bytes]:
    return {
        file.raw.blob
        for drafted in drafts
        for file in drafted.files
        if file.content is Content.BINARY and file.raw.blob.strip(b"0")
    }


def _count(report: IngestReport, seen: _Seen, batch: Batch) -> None:
    report.new_commits += len(batch.commits)
    report.chunks += len(batch.chunks)
    report.redacted += batch.redacted
    for content, number in batch.stubs.items():
        report.stubs[content] = report.stubs.get(content, 0) + number
    for commit in batch.commits:
        seen.authors.add(commit.email)
        seen.paths.update(file.path for file in commit.files)
        report.oldest = commit.time if report.oldest is None else min(report.oldest, commit.time)
        report.newest = commit.time if report.newest is None else max(report.newest, commit.time)
