"""Which repositories the triggers look at: those in memory, as soon as memory can be read."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path

from ..agents.contract import NotReady
from ..ingest.git.command import Git
from ..memory.records import Repo
from .host import Warm
from .lasting import Lasting
from .scope import common_dir
from .supervisor import Service
from .triggers.busy import mid_operation
from .triggers.watch import Watch
from .triggers.watched import Watched

KNOWN_SECONDS = 10.0
"""How long work waits, once memory is open, until its repositories are known."""


class Watching:
    """The repositories that are watched. A service: `serve` begins with those in memory."""

    name = "repositories"

    def __init__(
        self,
        warm: Warm,
        watch: Watch,
        *,
        on_known: Callable[[], Awaitable[object]],
        on_forgotten: Callable[[str], None] = lambda repo: None,
        exclude: Sequence[str] = (),
    ) -> None:
        """``on_known`` is called once, when the repositories are known for the first time; again
        only while the disk refuses what it writes. ``on_forgotten`` is called, in a thread, with
        the id of a repository that left memory."""
        self._warm = warm
        self._on_known = on_known
        self._on_forgotten = on_forgotten
        self._watch = watch
        self._exclude = tuple(exclude)
        self._repos: dict[str, Watched] = {}
        self._by_place: dict[str, str] = {}
        self.known = asyncio.Event()
        """Set when it is known which repositories there are: before that none is a stranger."""

    async def serve(self) -> None:
        """Watch what is in memory. Raise HermesError if the memory can't be opened."""
        await self.refresh()
        await Lasting().retry(self._on_known)

    async def refresh(self) -> None:
        """Watch what is in memory now: a repository came or went."""
        services = await self._warm.get()
        repos = await asyncio.to_thread(services.memory.index.repos)
        self._repos = {repo.id: self._watched(repo) for repo in repos}
        self._by_place = {str(each.common_dir): each.id for each in self._repos.values()}
        self._watch.set_repos(list(self._repos.values()))
        self.known.set()

    async def ready(self) -> None:
        """Wait until the repositories are known: work that an earlier process left is taken up
        before that. Raise HermesError if the memory can't be opened, NotReady if not read."""
        if self.known.is_set():
            return
        await self._warm.get()
        try:
            async with asyncio.timeout(KNOWN_SECONDS):
                await self.known.wait()
        except TimeoutError as error:
            raise NotReady("it is not known yet which repositories there are") from error

    async def forget(self, repo: str) -> None:
        """Watch a repository no more, and leave no trace of it: it left memory."""
        await self.refresh()
        await asyncio.to_thread(self._watch.forget, repo)
        await asyncio.to_thread(self._on_forgotten, repo)

    def repo_of(self, git_dir: str, cwd: str) -> str | None:
        """Given a git directory, or a folder, return the id of its repository, if it is known."""
        for place in (git_dir, cwd):
            if place and (home := _home(place)) and (found := self._by_place.get(home)):
                return found
        return None

    def watched(self, repo: str | None) -> Watched | None:
        """Return a repository as the triggers see it, if it is known."""
        return self._repos.get(repo or "")

    def busy(self, repo: str) -> str | None:
        """Return what git is in the middle of in a repository's worktree; None if nothing."""
        watched = self._repos.get(repo)
        if watched is None:
            return None
        return mid_operation(watched.common_dir, watched.git_dir)

    def git_of(self, repo: str | None) -> Git | None:
        """Return a known repository's git, without asking git: it may be gone, or hang."""
        watched = self._repos.get(repo or "")
        if watched is None:
            return None
        bare = watched.worktree is None
        return Git(watched.common_dir, watched.worktree, bare, False, False, "")

    def _watched(self, repo: Repo) -> Watched:
        worktree = Path(repo.worktree) if repo.worktree else None
        return Watched(repo.id, worktree, Path(repo.path), self._exclude)


class Later:
    """A service that begins only when something has happened."""

    def __init__(self, service: Service, after: asyncio.Event) -> None:
        self.name = service.name
        self._service = service
        self._after = after

    async def serve(self) -> None:
        """Wait, then serve."""
        await self._after.wait()
        await self._service.serve()


def _home(place: str) -> str | None:
    with suppress(OSError):
        found = common_dir(Path(place))
        return str(found) if found else None
    return None
