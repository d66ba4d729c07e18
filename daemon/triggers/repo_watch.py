"""Watches one repository: gathers hints, lets them settle, and tells what really changed."""

from __future__ import annotations

import asyncio
import logging
import time
from urllib.parse import quote

from ...agents.events import Event, IndexChanged, Source
from ...ingest.git.errors import GitError
from ...memory.errors import HermesError
from . import snapshot
from .around import Around
from .aside import aside
from .batch import Batch, Changes, Gathered
from .busy import mid_operation
from .gitdir import GitFolders, Sign
from .inotify import Folder, LimitReached
from .mounts import must_poll
from .presence import SOON, Presence
from .telling import files_changed
from .tree import Tree
from .watched import Watched

_RETRY = 5.0
_LONGEST_RETRY = 60.0
"""Seconds before what could not be read or written down is tried again; it doubles."""
_SHARE = 20
"""Looking again and again may take one part in so many of the time."""

logger = logging.getLogger(__name__)


class RepoWatch:
    """The watch on one repository. All but blocking work happens in the loop."""

    def __init__(self, repo: Watched, around: Around) -> None:
        self.repo = repo
        self.polled: str | None = None
        """Why it is looked at again and again, because events do not tell all."""
        self.ready = False
        """Whether everything was looked at once."""
        self.last: float | None = None
        """When something was told last, in seconds since 1970."""
        self._limited: str | None = None
        """Why events don't tell all, though they should."""
        self._failing: str | None = None
        """Why something could not be read or written down last time."""
        self._around = around
        self._tree = None if repo.worktree is None else Tree(repo, repo.worktree, around.own)
        self._git = GitFolders(repo)
        self._presence = Presence(repo, around)
        self._stored = around.folder / f"{quote(repo.id, safe='')}.snapshot"
        self._woken = asyncio.Event()
        self._batch = Batch(quiet=around.timing.quiet, longest=around.timing.longest)
        self._left: set[str] = set()
        self._unsaid = Gathered()
        self._index_unsaid = False
        self._retry = 0.0
        self._rescan_at = 0.0
        self._rescanning = False
        self._check_at: float | None = None
        self._doubt: HermesError | OSError | None = None
        """What went wrong, perhaps because the repository is gone."""
        self._replaced = False
        """What is there may be another folder than the one that is watched."""
        self._silent: str | None = None
        """The file system, if it tells of no changes."""
        self._anew = False
        self._save_at = 0.0

    @property
    def gone(self) -> bool:
        """Whether its folders are not there."""
        return self._presence.gone

    @property
    def trouble(self) -> str | None:
        """Why it is watched worse than it should be."""
        return self._failing or self._limited

    async def serve(self) -> None:
        """Watch until cancelled; then leave behind what is needed to go on later."""
        try:
            await self._start(time.monotonic())
            self.ready = True
            while True:
                await self._wait()
                await self.step(time.monotonic())
        finally:
            self._unwatch()
            await asyncio.to_thread(self._save)

    def happened(self, events: dict[Folder, dict[bytes, int]], at: float) -> None:
        """Take hints of what changed; ``at`` is when the last of them came (monotonic)."""
        for folder, names in events.items():
            if self._presence.watches(folder):
                self._check_at = at
            elif self._git.watches(folder):
                self._git_happened(self._git.signs(folder, names), at)
            elif self._tree is not None and self._tree.watches(folder):
                hints = self._tree.hints(folder, names, self._batch.files)
                self._left |= hints.left
                if hints.gone:
                    self._replaced = True
                    self._check_at = at + SOON
                if hints.any:
                    self._batch.touch(at)
        self._woken.set()

    def look_at_all(self) -> None:
        """Have all watches made anew and everything looked at, because events were lost."""
        self._anew = True
        self._woken.set()

    async def step(self, now: float) -> None:
        """Do what is due at ``now`` (monotonic)."""
        if self._anew:
            self._unwatch()
            if self.gone:
                self._check_at = now
        if self._check_at is not None and now >= self._check_at:
            self._check_at = None
            await self._check(now)
        if self.gone:
            return
        if now >= self._rescan_at:
            self._begin_rescan(now)
        due = self._batch.wake()
        if due is None or now < due:
            return
        repo = self.repo
        operation = await aside(mid_operation, repo.common_dir, repo.git_dir)
        changes = self._batch.step(now, operation)
        if changes is not None:
            await self._tell(changes)

    def wake(self) -> float:
        """Return when `step` is to be called next, unless something happens before (monotonic)."""
        moments = (
            [self._check_at] if self.gone else [self._check_at, self._batch.wake(), self._rescan_at]
        )
        return min((moment for moment in moments if moment is not None), default=float("inf"))

    async def _wait(self) -> None:
        delay = max(0.0, self.wake() - time.monotonic())
        try:
            async with asyncio.timeout(None if delay == float("inf") else delay):
                await self._woken.wait()
        except TimeoutError:
            pass
        self._woken.clear()

    async def _start(self, now: float) -> None:
        if self._tree is not None:
            try:
                await aside(self._tree.load, self._stored)
            except snapshot.Unreadable as error:
                logger.warning("what changed while hermes was down is not known: %s", error)
                self._unsaid.add_whole()
        await self._check(now)
        if not self.gone:
            self._rescanning = True
            self._rescan_at = now + self._around.timing.rescan
            await self._tell(Changes(whole=self._tree is not None, index=True, heads=True))
        self._save_at = now + self._around.timing.rescan

    def _begin_rescan(self, now: float) -> None:
        if self._tree is not None:
            self._batch.files.add_whole()
        self._batch.heads = self._batch.index = True
        self._batch.touch(now)
        self._batch.look_again()
        self._rescanning = True
        self._rescan_at = now + self._around.timing.rescan

    def _git_happened(self, signs: set[Sign], at: float) -> None:
        if Sign.GONE in signs:
            self._replaced = True
            self._check_at = at + SOON
        if Sign.OPERATION in signs:
            self._batch.look_again()
        if Sign.RULES in signs and self._tree is not None:
            self._batch.files.add_whole()
        if Sign.HEADS in signs:
            self._batch.heads = True
            self._around.on_heads()
        self._batch.index |= Sign.INDEX in signs
        if signs - {Sign.GONE, Sign.OPERATION}:
            self._batch.touch(at)

    async def _tell(self, changes: Changes) -> None:
        """See what really changed and have it written down: where HEAD went first."""
        source: Source = "rescan" if self._rescanning else "watch"
        limit: LimitReached | None = None
        try:
            if changes.heads or changes.whole:
                limit = await self._watch_git()
            if changes.files and self._tree is not None:
                await self._settle(self._tree, changes)
            if changes.heads:
                told = await self._around.heads.tell(self.repo, self._around.accept, source)
                self.last = time.time() if told else self.last
            if changes.index and not self._index_unsaid:
                changed = self._around.heads.index_changed
                self._index_unsaid = await aside(changed, self.repo)
            if self._index_unsaid:
                await self._accept(IndexChanged(at=time.time(), source=source, repo=self.repo.id))
                self._index_unsaid = False
            if self._unsaid:
                await self._accept(files_changed(self._unsaid.changes(), self.repo.id, source))
                self._unsaid = Gathered()
        except (HermesError, OSError) as error:
            self._later(changes, error)
            return
        if self._failing:
            self._fails(None)
        self._retry = 0.0
        self._rescanning = False
        limit = limit or (self._tree.limit if self._tree is not None else None)
        if source == "rescan" or changes.whole or limit is not None:
            await self._judge(limit)
        now = time.monotonic()
        if self._tree is not None and self._tree.unsaved and now >= self._save_at:
            self._save_at = now + self._around.timing.rescan
            await asyncio.to_thread(self._save)

    async def _settle(self, tree: Tree, changes: Changes) -> None:
        left, self._left = self._left, set()
        inotify = None if self._silent else self._around.inotify
        if changes.whole:
            async with self._around.walking:
                found = await aside(tree.settle, changes, left, inotify, self)
        else:
            found = await aside(tree.settle, changes, left, inotify, self)
        self._unsaid.add_all(found.changes())

    async def _watch_git(self) -> LimitReached | None:
        inotify = self._around.inotify
        if inotify is None or self._silent:
            return None
        return await aside(self._git.watch, inotify, self)

    async def _accept(self, event: Event, key: str | None = None) -> None:
        await self._around.accept(event, key)
        self.last = time.time()

    def _later(self, changes: Changes, error: HermesError | OSError) -> None:
        """Keep what could not be read or written down for another attempt."""
        now = time.monotonic()
        self._retry = min(self._retry * 2 or _RETRY, _LONGEST_RETRY)
        self._batch.give_back(changes, now + self._retry)
        if isinstance(error, GitError | OSError):
            self._check_at = now + SOON
            self._doubt = error
        else:
            self._fails(error)

    def _fails(self, error: HermesError | OSError | None) -> None:
        self._failing = (
            error.message if isinstance(error, HermesError) else str(error or "") or None
        )
        self._around.report()

    async def _judge(self, limit: LimitReached | None) -> None:
        """Find out whether events tell all; if not, look again and again."""
        inotify, tree, silent = self._around.inotify, self._tree, self._silent
        trouble: str | None = None
        if silent is None:
            if inotify is None:
                trouble = self._around.why_not
            elif limit is not None:
                trouble = limit.message
            else:
                trouble = await asyncio.to_thread(inotify.shortfall)
                if trouble:
                    self._unwatch()
        self.polled = f"{silent} tells of no changes" if silent else trouble
        if self.polled:
            cost = tree.cost if tree is not None else 0.0
            self._rescan_at = time.monotonic() + max(self._around.timing.poll, _SHARE * cost)
        self._limited = trouble
        self._around.report()

    async def _check(self, now: float) -> None:
        """See whether the repository is there, and whether it is still the same."""
        was_gone = self.gone
        try:
            await self._presence.look()
        except (HermesError, OSError) as error:
            self._fails(error)
            self._check_at = now + _RETRY
            return
        finally:
            if self.gone or was_gone or self._replaced:
                self._unwatch()
            self._replaced = False
        doubt, self._doubt = self._doubt, None
        if self.gone:
            self._batch = Batch(quiet=self._batch.quiet, longest=self._batch.longest)
            self._limited = self.polled = None
            self._fails(None)
            self._check_at = now + await self._presence.wait(self)
            return
        self._silent = must_poll(self.repo.worktree or self.repo.common_dir)
        if doubt is not None:
            self._fails(doubt)

    def _unwatch(self) -> None:
        """End all watches; the next look at everything, which is soon, adds them anew."""
        self._anew = False
        self._rescan_at = 0.0
        self._presence.unwatch()
        self._git.unwatch(self._around.inotify)
        if self._tree is not None:
            self._tree.unwatch(self._around.inotify)

    def _save(self) -> None:
        """Keep what is known, unless something of it is still to be told."""
        if self._tree is None or self._unsaid:
            return
        try:
            self._tree.save(self._stored)
        except OSError as error:
            logger.warning("what %s looks like could not be kept: %s", self.repo.worktree, error)
