"""What the worker can do."""

from __future__ import annotations

import logging
import time
from contextlib import closing
from dataclasses import asdict
from types import TracebackType
from typing import Self

from ..agents.council.minutes import remember
from ..agents.themes.folder import ThemesFolder
from ..ingest.git.command import Git
from ..ingest.git.ingest import Progress, ingest
from ..ingest.items import restore
from ..ingest.linking import link_commits
from ..memory.errors import HermesError, StoreDamaged
from ..memory.lance import lancedb
from ..memory.memory import Memory
from ..memory.records import Repo
from ..memory.work import Work
from .amending import amend
from .consolidating import Limits, Nights
from .forgetting_work import forget_withheld
from .opening import choose_embedder, indexed_key, open_memory
from .paths import locate
from .rebuilding import rebuild
from .settings import load
from .sources_work import discover, sync_source
from .tasks import Task
from .triggers.zone import local_zone
from .worker import Fields, Running

logger = logging.getLogger(__name__)

WRITER_SECONDS = 30.0
"""How long to wait for the worker of a daemon that was killed just now."""


class NotInMemory(HermesError):
    """A job names a repository that memory does not hold."""

    code = "not_in_memory"

    def __init__(self) -> None:
        super().__init__("this repository is not in memory", hint="add it with hermes up")


def import_store() -> None:
    """Import what every job needs first and takes longest. The memory itself stays closed: the
    daemon may be making it right now."""
    lancedb()


class Workshop:
    """The memory, opened for writing when the first job needs it."""

    def __init__(self) -> None:
        self._paths = locate()
        self._settings = load(self._paths.config_file)
        self._memory: Memory | None = None
        self._restored = False
        self._themes = ThemesFolder(self._paths.themes)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close()

    def _close(self) -> None:
        if self._memory is not None:
            self._memory.close()
            self._memory = None

    def do(self, command: Fields, running: Running) -> Fields:
        """Given a command, do it and return its report. Raise HermesError."""
        if command["do"] == Task.REBUILD:
            return self._rebuild(running)
        first = self._memory is None
        memory = self._opened(running)
        if first and command["do"] != Task.AMEND:
            amend(memory, self._settings)  # what a daemon that was killed had asked for
        match Task(command["do"]):
            case Task.READ:
                repo = _repo(memory, command)
                report = self._index(memory, repo, running)
                memory.log.append("indexed", repo=repo.id, name=repo.name, report=report)
                return report
            case Task.FORGET if command["repo"] is None:
                return forget_withheld(memory, self._themes, running)
            case Task.FORGET:
                repo = _repo(memory, command)
                self._themes.forget([repo.id])
                # Before the files are written anew: it names the repository.
                memory.index.set_setting(indexed_key(repo.id), None)
                memory.forget_repo(repo.id)
                memory.log.append("forgot a repository")
                return {}
            case Task.DISCOVER:
                return discover(memory, command)
            case Task.SYNC:
                return sync_source(memory, command, running)
            case Task.LINKS:
                linked = link_commits(
                    memory,
                    running.should_stop,
                    lambda done, total: running.progress("links", done, total),
                )
                return {"commits": linked}
            case Task.VECTORS:
                filled = memory.fill_vectors(
                    should_stop=running.should_stop,
                    on_progress=lambda done, total: running.progress("vectors", done, total),
                )
                return {"vectors": filled}
            case Task.AMEND:
                return amend(memory, self._settings)
            case Task.MINUTES:
                with closing(Work(self._paths.work)) as work:
                    return dict(remember(memory, work, running.should_stop))
            case Task.UPKEEP:
                return asdict(memory.maintain())
            case Task.CONSOLIDATE | Task.THEMES | Task.REHEARSE as task:
                return self._night(task, memory, command, running)
            case other:
                raise ValueError(f"no such work: {other}")

    def _night(self, task: Task, memory: Memory, command: Fields, running: Running) -> Fields:
        """Do a night, or the part of it that is asked for; write down what it did."""
        limits = Limits(running.should_stop, command["seconds"], running.progress)
        now = time.time()
        with closing(Work(self._paths.work)) as work:
            nights = Nights(
                memory,
                work,
                self._themes,
                self._paths.state,
                self._settings.night.size_mb * 1_000_000,
                local_zone(),
                now,
            )
            if task is Task.CONSOLIDATE:
                report = nights.run(limits)
            else:
                repo = _repo(memory, command) if command["repo"] else None
                report = nights.make_themes(limits, repo, dry_run=task is Task.REHEARSE)
        fields = report.fields()
        if task is not Task.REHEARSE:
            steps = {step.name: dict(step.counts) for step in report.steps}
            memory.log.append("consolidated", left=report.left, steps=steps)
        return fields

    def _opened(self, running: Running) -> Memory:
        if self._memory is None:
            self._memory = open_memory(
                self._paths,
                self._settings,
                choose_embedder(self._paths, self._settings).embedder,
                write=True,
                wait=WRITER_SECONDS,
            )
            self._restored = False
        if not self._restored:  # also if the job before was stopped meanwhile
            restore(self._memory, running.should_stop)
            self._restored = not running.should_stop()
        return self._memory

    def _rebuild(self, running: Running) -> Fields:
        """Make the memory anew beside the one that serves; in its place where that is too damaged
        to serve."""
        index = str(self._paths.memory / "memory.db")
        try:
            memory = self._opened(running)
        except StoreDamaged as error:
            return self._begin_anew(error)
        try:
            return rebuild(memory, self._settings, running)
        except StoreDamaged as error:
            if error.where != index:  # what is being built, say: the next try begins it again
                raise
            return self._begin_anew(error)

    def _begin_anew(self, error: StoreDamaged) -> Fields:
        logger.warning("nothing can be kept while memory is made anew: %s", error.message)
        self._close()
        repos = Memory.rebuild(
            self._paths.memory,
            uri=self._settings.store.uri or None,
            storage_options=self._settings.store.storage_options or None,
            wait=WRITER_SECONDS,
        )
        return {"beside": False, "why": error.message, "repos": [repo.id for repo in repos]}

    def _index(self, memory: Memory, repo: Repo, running: Running) -> Fields:
        def tell(progress: Progress) -> None:
            running.progress("read", progress.done, progress.total)

        report = ingest(
            Git.open(repo.path),
            memory,
            repo,
            exclude=self._settings.ingest.exclude,
            max_file_bytes=self._settings.ingest.max_file_bytes,
            on_progress=tell,
            should_stop=running.should_stop,
        )
        if not running.should_stop():
            memory.index.set_setting(indexed_key(repo.id), str(int(time.time())))
        return asdict(report)


def _repo(memory: Memory, command: Fields) -> Repo:
    repo = memory.index.repo(command["repo"])
    if repo is None:
        raise NotInMemory
    return repo
