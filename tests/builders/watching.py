"""Runs a real file watch and waits for what it tells, with a deadline instead of sleeping."""

from __future__ import annotations

import asyncio
import errno
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hermes.agents.events import Event, FilesChanged
from hermes.daemon.triggers.around import Timing
from hermes.daemon.triggers.heads import Heads
from hermes.daemon.triggers.watch import Watch
from hermes.daemon.triggers.watched import Watched

DEADLINE = 20.0
"""Seconds within which something awaited has to happen."""
QUICK = Timing(quiet=0.1, longest=1.0)


class Remembered:
    """Values in memory, with the ledger's methods."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    def get(self, name: str) -> Any | None:
        return self.values.get(name)

    def set(self, name: str, value: Any, now: float) -> None:
        self.values[name] = value

    def delete(self, name: str) -> None:
        self.values.pop(name, None)


@dataclass
class Accepted:
    """What a trigger told, in order."""

    events: list[Event] = field(default_factory=list[Event])
    keys: list[str | None] = field(default_factory=list[str | None])
    """The key of each attempt; an event with a key that was taken before is that one."""
    room: int | None = None
    """How many more are accepted before the disk is full."""
    _taken: set[str | None] = field(default_factory=set[str | None])
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def accept(self, event: Event, key: str | None) -> int:
        """Take an event."""
        self.keys.append(key)
        if key is not None and key in self._taken:
            return 0
        if self.room is not None:
            if self.room == 0:
                raise OSError(errno.ENOSPC, "the disk is full")
            self.room -= 1
        self.events.append(event)
        self._taken.add(key)
        async with self._news:
            self._news.notify_all()
        return len(self.events)

    async def until(self, enough: Callable[[], bool], *, within: float = DEADLINE) -> None:
        """Wait until what was told is enough. Raise TimeoutError if it never is."""
        async with asyncio.timeout(within), self._news:
            await self._news.wait_for(enough)

    async def kinds(self, *kinds: str) -> list[Event]:
        """Wait until events of these kinds were told, in any order; return all."""
        wanted = Counter(kinds)
        await self.until(lambda: wanted <= Counter(event.kind for event in self.events))
        return self.events

    async def paths(self, *paths: str) -> set[str]:
        """Wait until each of these files was told; return all paths that were."""
        await self.until(lambda: set(paths) <= told(self.events))
        return told(self.events)

    def take(self) -> list[Event]:
        """Return what was told since the last call."""
        taken, self.events = self.events, []
        return taken


def told(events: Sequence[Event]) -> set[str]:
    """Return the paths that events name."""
    return {p for event in events if isinstance(event, FilesChanged) for p in event.paths}


@dataclass
class Watching:
    """A watch that runs, and what it told."""

    watch: Watch
    accepted: Accepted
    said: list[tuple[str, str]]
    heads: Heads
    moved: list[bool]
    """One for each time that a ref was said to have moved, perhaps."""

    async def stirred(self) -> None:
        """Wait until it is said that a ref may have moved."""
        await _eventually(lambda: bool(self.moved))

    async def ready(self, *repo_ids: str) -> None:
        """Wait until these are the repositories that are watched."""
        await _eventually(lambda: self.watch.state()["ready"] == list(repo_ids))

    async def degraded(self) -> None:
        """Wait until the watch says that something is wrong."""
        await _eventually(lambda: self.watch.state()["state"] == "degraded")

    async def well(self) -> None:
        """Wait until nothing is wrong any more."""
        await _eventually(lambda: self.watch.state()["state"] == "ok")

    async def settled(self, probe: Path) -> list[Event]:
        """Wait until all that happened so far was told; return it.

        ``probe`` is a file that is made for that: once it is told, so is all before.
        """
        name = probe.name
        for attempt in range(10):
            await asyncio.to_thread(probe.write_text, f"probe {attempt}")
            # A look at everything that was under way may have taken it in: then once more.
            with suppress(TimeoutError):
                await self.accepted.until(lambda: name in told(self.accepted.events), within=2.0)
                break
        else:
            raise TimeoutError(f"{name} was never told")
        events = [event for event in self.accepted.take() if not _is_only(event, name)]
        await asyncio.to_thread(probe.unlink)
        await self.accepted.until(lambda: any(_names(e, name) for e in self.accepted.events))
        self.accepted.take()
        return events


def _names(event: Event, name: str) -> bool:
    return isinstance(event, FilesChanged) and (event.whole or name in event.paths)


def _is_only(event: Event, name: str) -> bool:
    return isinstance(event, FilesChanged) and event.paths == (name,) and not event.folders


async def _eventually(reached: Callable[[], bool], task: asyncio.Task[None] | None = None) -> None:
    """For what nothing tells of: look every few milliseconds, up to the deadline."""
    async with asyncio.timeout(DEADLINE):
        while not reached():
            if task is not None and task.done():
                await task
            await asyncio.sleep(0.01)


@asynccontextmanager
async def watching(
    *repos: Watched,
    folder: Path,
    values: Remembered | None = None,
    accepted: Accepted | None = None,
    timing: Timing = QUICK,
    limit: int | None = None,
    own: Sequence[Path] = (),
) -> AsyncGenerator[Watching]:
    """Run a watch over repositories until the block ends; enter once all are watched."""
    taken = accepted or Accepted()
    said: list[tuple[str, str]] = []
    moved: list[bool] = []
    heads = Heads(values or Remembered())
    watch = Watch(
        taken.accept,
        heads,
        folder,
        timing=timing,
        limit=limit,
        own=own,
        say=lambda what, text, _: said.append((what, text)),
        on_heads=lambda: moved.append(True),
    )
    watch.set_repos(repos)
    task = asyncio.create_task(watch.serve())
    try:
        names = [repo.id for repo in repos]
        await _eventually(lambda: watch.state()["ready"] == names, task)
        yield Watching(watch, taken, said, heads, moved)
    finally:
        task.cancel()
        await asyncio.wait({task})
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error
