"""The composition root: from paths and settings everything that answers is built here, once.

Imports all that is heavy (LanceDB alone takes more than a second), so the daemon imports this in
the background, after it has begun to answer.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import asdict
from pathlib import Path

from ..agents.answer_events import to_object
from ..agents.models.protocol import ChatModel
from ..agents.qa import MAX_QUESTION, Limits, answer
from ..ingest.git.command import Git
from ..ingest.git.errors import GitError
from ..ingest.git.history import heads, root_commit
from ..ingest.redaction import redact
from ..memory.errors import HermesError
from ..memory.memory import Memory
from ..memory.recall import recall
from ..memory.records import Filters, Repo
from ..memory.work import Work
from .foresight import Answer, Foresight
from .opening import choose_embedder, indexed_key, open_memory
from .paths import Paths
from .requests import AskIn, SearchIn
from .scope import find_repo, to_filters
from .settings import Settings
from .wire import Fields, of_recollection

logger = logging.getLogger(__name__)


class NoCommits(HermesError):
    """A repository has nothing to remember yet."""

    code = "no_commits"


class Services:
    """What answers: memory, model, and the repositories' git. Methods that are not coroutines may
    take milliseconds and belong in a thread."""

    def __init__(
        self,
        memory: Memory,
        model: ChatModel | None,
        settings: Settings,
        paths: Paths,
        work: Work | None,
        note: str,
    ) -> None:
        self.memory = memory
        self.model = model
        self.note = note
        """What is missing for a better embedder; empty when nothing is."""
        self._settings = settings
        self._gits: dict[str, Git] = {}
        self.foresight = Foresight(memory, work, settings, paths, self._gits_of)

    @classmethod
    def build(
        cls, paths: Paths, settings: Settings, model: ChatModel | None, work: Work | None = None
    ) -> Services:
        """Build everything around ``model``, as people's questions see it, and ``work``, what agents
        found out. Raise HermesError if the memory can't be opened."""
        chosen = choose_embedder(paths, settings)
        memory = open_memory(paths, settings, chosen.embedder)
        services = cls(memory, model, settings, paths, work, chosen.note)
        services._warm_up()
        return services

    def _warm_up(self) -> None:
        """Load what the first question would have to wait for."""
        try:
            # Counting first, in this thread alone: LanceDB can't be imported by two at once, and
            # recall searches in several.
            self.memory.stats()
            recall(self.memory, "why was this done", k=1)
        except HermesError as error:
            logger.warning("%s %s", error.message, error.hint)

    def close(self) -> None:
        """Close what is open."""
        self.memory.close()

    def search(self, asked: SearchIn) -> Fields:
        """Given a search, return its recollection. Raise HermesError."""
        filters, notes = to_filters(asked.filters, asked.cwd, self.memory.index.repos())
        found = recall(self.memory, asked.question, filters, asked.k)
        return of_recollection(found, notes)

    async def ask(self, asked: AskIn, model: ChatModel | None = None) -> AsyncGenerator[Fields]:
        """Given a question, yield the events of its answer; ``model`` instead of the one for people
        who wait. Raise HermesError."""
        repos = await asyncio.to_thread(self.memory.index.repos)
        filters, notes = await asyncio.to_thread(to_filters, asked.filters, asked.cwd, repos)
        for note in notes:
            yield {"type": "notice", "text": note, "hint": ""}
        scope = [repo for repo in repos if not filters.repos or repo.id in filters.repos]
        known = await asyncio.to_thread(self._known, asked, filters, scope)
        if known is not None:
            for fields in known.events:
                yield fields
            await asyncio.to_thread(
                self._write_down,
                asked.question,
                [repo.id for repo in scope],
                known.events[-1],
                known.sources,
                (),
            )
            return
        model = None if asked.plain else model or self.model
        gits = await asyncio.to_thread(self._gits_of, scope) if model is not None else {}
        dropped: list[Fields] = []
        events = answer(
            asked.question,
            memory=self.memory,
            recall=recall,
            filters=filters,
            gits=gits,
            model=model,
            limits=Limits(
                rounds=self._settings.ask.tool_rounds,
                deadline=self._settings.models.total_timeout,
            ),
            k=asked.k or self._settings.ask.passages,
            on_dropped=lambda text, why: dropped.append({"text": text, "why": why}),
        )
        sources: list[Fields] = []
        async with aclosing(events):
            async for event in events:
                fields = to_object(event)
                yield fields
                if fields["type"] == "sources":
                    sources = fields["sources"]
                elif fields["type"] == "done":
                    asked_of = [repo.id for repo in scope]
                    await asyncio.to_thread(
                        self._write_down, asked.question, asked_of, fields, sources, dropped
                    )

    def _known(self, asked: AskIn, filters: Filters, scope: Sequence[Repo]) -> Answer | None:
        return self.foresight.answer(asked.question, filters, scope, plain=asked.plain)

    def _write_down(
        self,
        question: str,
        repos: Sequence[str],
        done: Fields,
        sources: Sequence[Fields],
        dropped: Sequence[Fields],
    ) -> None:
        """Put a question and how it was answered into the raw log, without secrets."""
        if self.memory.index.read_only:
            return
        try:
            self.memory.log.append(
                "asked",
                question=redact(question[:MAX_QUESTION])[0],
                repos=list(repos),
                answer={name: value for name, value in done.items() if name != "type"},
                sources=[
                    f"{source['repo']}:{source['sha']}:{source['path']}" for source in sources
                ],
                dropped=[{**part, "text": redact(part["text"])[0]} for part in dropped],
            )
        except HermesError as error:
            logger.warning("this question is not in the raw log: %s", error.message)

    def add_repo(self, path: str) -> tuple[Repo, bool]:
        """Given any path in a repository, put it on the list; return it and whether it is new.

        Raise a GitError if it can't be read, NoCommits if it is empty.
        """
        git = Git.open(path)
        if not heads(git):
            place = git.worktree or git.common_dir
            raise NoCommits(f"{place} has no commits yet", hint="commit something, then try again")
        before = {repo.id for repo in self.memory.index.repos()}
        repo = self.memory.index.add_repo(
            _name_of(git),
            str(git.common_dir),
            str(git.worktree) if git.worktree else None,
            root_commit(git),
        )
        self._gits[repo.id] = git
        return repo, repo.id not in before

    def repo(self, name: str) -> Repo:
        """Given an id, a name or a path, return the repository. Raise NoSuchRepo."""
        return find_repo(name, self.memory.index.repos())

    def forget_git(self, repo: str) -> None:
        """Drop what is kept of a repository that left memory."""
        self._gits.pop(repo, None)

    def check(self) -> list[Fields]:
        """Return what is wrong with the memory on disk."""
        return [asdict(finding) for finding in self.memory.check()]

    def repos(self) -> list[Fields]:
        """Return each repository with what memory holds of it and what is wrong with it."""
        return [self._describe(repo) for repo in self.memory.index.repos()]

    def _describe(self, repo: Repo) -> Fields:
        stats = self.memory.stats(repo.id)
        return {
            "id": repo.id,
            "name": repo.name,
            "path": repo.path,
            "worktree": repo.worktree,
            "added": repo.added,
            "indexed": int(self.memory.index.setting(indexed_key(repo.id)) or 0) or None,
            "commits": stats.commits,
            "chunks": stats.chunks,
            "vectors": stats.vectors,
            "vectors_total": stats.vectors_total,
            "problem": _problem_of(repo),
        }

    def gits(self) -> dict[str, Git]:
        """Return a Git for each repository of memory that can be read."""
        return self._gits_of(self.memory.index.repos())

    def _gits_of(self, repos: Sequence[Repo]) -> dict[str, Git]:
        """Return a Git for each repository that can be read; memory answers for the others."""
        for repo in repos:
            known = self._gits.get(repo.id)
            if known is not None and known.common_dir.is_dir():
                continue
            self._gits.pop(repo.id, None)
            try:
                self._gits[repo.id] = Git.open(repo.path)
            except GitError as error:
                logger.warning("%s can't be read: %s", repo.name, error.message)
        return {repo.id: self._gits[repo.id] for repo in repos if repo.id in self._gits}


def _problem_of(repo: Repo) -> str:
    if Path(repo.path).is_dir():
        return ""
    return f"{repo.path} is gone; answers come from memory (hermes add its new place, or remove it)"


def _name_of(git: Git) -> str:
    if git.worktree is None:
        return git.common_dir.name.removesuffix(".git") or git.common_dir.name
    # A linked worktree is named after the clone it belongs to.
    home = git.common_dir.parent if git.common_dir.name == ".git" else git.worktree
    return home.name or str(home)
