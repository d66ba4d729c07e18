"""The file watch: tells what changes in all watched repositories, and how well it can tell."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .around import Around, Timing
from .heads import Accept, Heads
from .inotify import Folder, Happened, Inotify, LimitReached
from .repo_watch import RepoWatch
from .watched import Watched

_FIRST_RETRY = 1.0
_LONGEST_RETRY = 60.0
"""Seconds before a new inotify instance is asked for; it doubles."""

Fields = dict[str, Any]
Say = Callable[[str, str, Fields], None]
"""Writes into the journal, under the topic ``trigger``: what, one line, fields."""

logger = logging.getLogger(__name__)


class Watch:
    """Watches any number of repositories. A service of the daemon; all methods belong to its loop.

    Events are hints and the disk is the truth: each path is looked at before it is told, and
    everything is looked at again at times. Where events can't be had it goes on by looking alone,
    says so once, and comes back to events as soon as it can.
    """

    name = "watch"

    def __init__(
        self,
        accept: Accept,
        heads: Heads,
        folder: Path,
        *,
        own: Sequence[Path] = (),
        say: Say | None = None,
        on_heads: Callable[[], None] = lambda: None,
        timing: Timing | None = None,
        limit: int | None = None,
    ) -> None:
        """``folder`` keeps snapshots; ``own`` are all folders that hermes writes to; ``limit`` is
        how many folders may be watched, by default most of what the system allows a person.
        ``on_heads`` is called when HEAD or a ref may have moved, long before it is told."""
        self._around = Around(
            accept, heads, folder, (folder, *own), self._report, on_heads, timing or Timing()
        )
        self._say = say
        self._limit = limit
        self._wanted: dict[str, Watched] = {}
        self._watches: dict[str, RepoWatch] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._forgotten: set[str] = set()
        self._changed = asyncio.Event()
        self._again = asyncio.Event()
        self._said: frozenset[str] = frozenset()
        self._standing = "starting"

    def set_repos(self, repos: Sequence[Watched]) -> None:
        """Say which repositories to watch from now on."""
        self._wanted = {repo.id: repo for repo in repos}
        self._changed.set()

    def forget(self, repo_id: str) -> None:
        """Leave no trace of a repository that is not in memory any more. It blocks shortly."""
        self._forgotten.add(repo_id)
        self._around.heads.forget(repo_id)
        (self._around.folder / f"{quote(repo_id, safe='')}.snapshot").unlink(missing_ok=True)

    def look_again(self) -> None:
        """Have everything looked at now: the machine slept, or somebody asked."""
        for watch in self._watches.values():
            watch.look_at_all()

    async def serve(self) -> None:
        """Watch until cancelled."""
        self._standing = "up"
        self._changed.set()
        self._again.clear()
        try:
            self._open()
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._keep_inotify())
                while True:
                    await self._changed.wait()
                    self._changed.clear()
                    await self._align(tasks)
        finally:
            self._standing = "ended"
            self._tasks.clear()
            self._watches.clear()
            if self._around.inotify is not None:
                self._around.inotify.close()
                self._around.inotify = None

    def state(self) -> Fields:
        """Return what status shows."""
        inotify = self._around.inotify
        watches = list(self._watches.values())
        troubles = self._troubles()
        folders = 0 if inotify is None else inotify.count()
        noun = "repository" if len(watches) == 1 else "repositories"
        detail = f"{len(watches)} {noun}, {folders} folders watched"
        if self._standing == "starting":
            detail = "starting"
        polled = {watch.repo.id: watch.polled for watch in watches if watch.polled}
        if polled:
            detail += f", {len(polled)} looked at every few seconds"
        return {
            "name": self.name,
            "state": "down" if self._standing == "ended" else "degraded" if troubles else "ok",
            "detail": "; ".join(sorted(troubles)) or detail,
            "last": max((watch.last for watch in watches if watch.last), default=None),
            "folders": folders,
            "repos": len(watches),
            "ready": [watch.repo.id for watch in watches if watch.ready],
            "polled": polled,
            "gone": [watch.repo.id for watch in watches if watch.gone],
        }

    async def _align(self, tasks: asyncio.TaskGroup) -> None:
        """Begin and end watches so that they are those wanted."""
        for repo_id, watch in list(self._watches.items()):
            if self._wanted.get(repo_id) != watch.repo:
                task = self._tasks.pop(repo_id)
                task.cancel()
                await asyncio.wait({task})
                del self._watches[repo_id]
                if repo_id in self._forgotten:  # it may have left something just now
                    await asyncio.to_thread(self.forget, repo_id)
        for repo_id, repo in self._wanted.items():
            if repo_id not in self._watches:
                self._forgotten.discard(repo_id)
                self._watches[repo_id] = watch = RepoWatch(repo, self._around)
                self._tasks[repo_id] = tasks.create_task(watch.serve(), name=f"watch {repo_id}")
        self._report()

    def _open(self) -> None:
        """Get an inotify instance, or remember why there is none."""
        try:
            self._around.inotify = Inotify(
                self._happened, self._lost, self._died, limit=self._limit
            )
        except LimitReached as error:
            self._around.why_not = f"there are no file events: {error.reason}"
            self._again.set()

    async def _keep_inotify(self) -> None:
        """Have a new instance made when there is none, later each time."""
        while True:
            await self._again.wait()
            self._again.clear()
            delay = _FIRST_RETRY
            while self._around.inotify is None:
                await asyncio.sleep(delay)
                delay = min(delay * 2, _LONGEST_RETRY)
                self._open()
            self._again.clear()
            self.look_again()

    def _happened(self, events: Happened, at: float) -> None:
        shared: defaultdict[RepoWatch, dict[Folder, dict[bytes, int]]] = defaultdict(dict)
        for folder, names in events.items():
            if isinstance(folder.owner, RepoWatch):
                shared[folder.owner][folder] = names
        for watch, its in shared.items():
            watch.happened(its, at)

    def _lost(self) -> None:
        """Events were lost because there were too many: only a look at everything helps."""
        logger.warning("too many file events at once: all repositories are looked at")
        self._tell("rescan", "events were lost, because there were too many at once", {})
        self.look_again()

    def _died(self, reason: str) -> None:
        """The reader's thread ended by itself."""
        self._around.why_not = f"the reader of file events died: {reason}"
        inotify, self._around.inotify = self._around.inotify, None
        self.look_again()
        if inotify is not None:
            inotify.close()
        self._again.set()

    def _troubles(self) -> frozenset[str]:
        return frozenset(watch.trouble for watch in self._watches.values() if watch.trouble)

    def _report(self) -> None:
        """Say what got worse, once; and when all is well again."""
        troubles = self._troubles()
        for trouble in sorted(troubles - self._said):
            logger.warning("the file watch is degraded: %s", trouble)
            self._tell("degraded", trouble, {})
        if self._said and not troubles:
            logger.info("the file watch is well again")
            self._tell("recovered", "", {})
        self._said = troubles

    def _tell(self, what: str, text: str, fields: Fields) -> None:
        if self._say is not None:
            self._say(what, text, {"trigger": self.name, **fields})
