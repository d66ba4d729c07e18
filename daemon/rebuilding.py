"""Rebuilds the memory, on the worker's side: reads everything again beside what serves, then lets the
new one take its place."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from .. import __version__
from ..ingest.git.command import Git
from ..ingest.git.errors import GitError
from ..ingest.git.ingest import Progress, ingest
from ..ingest.items import restore
from ..memory.beside import Build
from ..memory.memory import Memory
from ..memory.records import Repo
from .opening import indexed_key
from .settings import Settings
from .worker import Running

PHASE = "rebuild"

Fields = dict[str, Any]

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Reading:
    """All repositories' histories, read again."""

    build: Build
    settings: Settings
    running: Running
    carried: dict[str, int] = field(default_factory=dict[str, int])
    """By repository, commits that could not be read again and are as they were."""
    notes: list[str] = field(default_factory=list[str])

    def read(self, repo: Repo) -> int:
        """Read what is unread of a repository; return how many commits that was."""
        new = self.build.memory
        before, _ = new.index.counts()
        total = max(self.build.served.index.counts()[0], before)

        def tell(progress: Progress) -> None:
            self.running.progress(PHASE, min(before + progress.done, total), total)

        tips: dict[str, str] = {}
        try:
            report = ingest(
                Git.open(repo.path),
                new,
                repo,
                exclude=self.settings.ingest.exclude,
                max_file_bytes=self.settings.ingest.max_file_bytes,
                on_progress=tell,
                should_stop=self.running.should_stop,
            )
        except GitError as error:
            logger.warning("%s can't be read again: %s", repo.name, error.message)
            self.notes.append(f"{repo.name}: {error.message}")
            tips = self.build.served.index.tips(repo.id)
            read, damaged = 0, True
        else:
            self.notes += [f"{repo.name}: {note}" for note in report.notes]
            read, damaged = report.new_commits, not new.index.tips(repo.id)
        if damaged and not self.running.should_stop():
            unread = self.build.served.index.known(repo.id) - new.index.known(repo.id)
            if carried := self.build.carry_over(repo.id, unread):
                self.carried[repo.name] = self.carried.get(repo.name, 0) + carried
            new.index.set_tips(repo.id, tips)
        return read


def rebuild(memory: Memory, settings: Settings, running: Running) -> Fields:
    """Build a memory beside the one that is open for writing, and put it in its place; return a
    report. Told to stop, it leaves what it has made to the next call. Raise HermesError."""
    started = time.monotonic()
    with closing(Build.begin(memory, __version__)) as build:
        reading = _Reading(build, settings, running)
        _fill(reading, running)
        if running.should_stop():
            return {}
        stats = build.memory.stats()
        build.finish()
    now = str(int(time.time()))
    for repo in memory.index.repos():
        memory.index.set_setting(indexed_key(repo.id), now)
    return {
        "beside": True,
        "repos": [],
        "commits": stats.commits,
        "chunks": stats.chunks,
        "carried": reading.carried,
        "notes": list(dict.fromkeys(reading.notes)),
        "seconds": round(time.monotonic() - started, 1),
    }


def _fill(reading: _Reading, running: Running) -> None:
    """Read, make vectors and tidy up until nothing is left to do: commits may have come meanwhile."""
    new = reading.build.memory
    stop: Callable[[], bool] = running.should_stop
    while not stop():
        read = 0
        for repo in new.index.repos():
            if not stop():
                read += reading.read(repo)
        if not stop():
            restore(new, stop)
        vectors = 0
        if not stop():
            vectors = new.fill_vectors(
                should_stop=stop,
                on_progress=lambda done, total: running.progress("vectors", done, total),
            )
        if not stop() and (read or vectors or not new.store.rows_looked_at):
            new.maintain(force=True)
        if not read and not vectors:
            break
