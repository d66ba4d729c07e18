"""Bulk work, seen from the daemon: tasks in their order, and the one worker process for them."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from ..agents.contract import Lane, Preempted
from ..memory.errors import HermesError
from .child import Child
from .reaper import Reaper
from .tasks import YIELDING, Task, urgency
from .tokens import Tokens

CRASHES = 3
"""So many ends of the worker in a row without any progress, and its task has failed."""
STOP_SECONDS = 30.0
"""How long a task that was told to stop may take to reach its next batch; then the worker is
killed, and memory mends what was half written."""

Fields = dict[str, Any]
OnProgress = Callable[[str, int, int], None]
OnNote = Callable[[str], None]

logger = logging.getLogger(__name__)


class TaskFailed(HermesError):
    """The worker said that a task can't be done; ``code`` is the worker's own."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        super().__init__(told["error"], hint=told["hint"])
        self.code = told["code"]


@dataclass
class _Turn:
    """One task that waits for the worker, or that has it."""

    task: Task
    repo: str | None
    lane: Lane
    granted: asyncio.Future[None]
    on_progress: OnProgress
    on_note: OnNote
    seconds: float | None = None
    more: Fields = field(default_factory=dict[str, Any])
    preempted: bool = False
    run: int = 0
    """The number under which the worker knows it; 0 before it was told."""
    done: int = 0

    @property
    def order(self) -> tuple[bool, int, int]:
        return urgency(self.task, self.lane)


@dataclass(order=True)
class _Place:
    order: tuple[bool, int, int]
    number: int
    turn: _Turn = field(compare=False)


class Bulk:
    """The worker, one task at a time, the most urgent first. A service: `serve` starts it ahead of
    a task that is to be expected, and ends it when the daemon stops."""

    name = "bulk"

    def __init__(self, reaper: Reaper) -> None:
        self._reaper = reaper
        self.tokens = Tokens()
        """What the worker is told with a source, besides its name."""
        self._places: list[_Place] = []
        self._numbers = itertools.count(1)
        self._runs = itertools.count(1)
        self._current: _Turn | None = None
        self._child: Child | None = None
        self._starting = asyncio.Lock()
        self._unfinished: int | None = None
        """A run nobody waits for any more, but which the worker may still be in."""
        self._foreseen = asyncio.Event()
        self._closed = False
        self._stopping: set[asyncio.Task[None]] = set()

    async def run(
        self,
        task: str,
        repo: str | None = None,
        *,
        lane: Lane = Lane.REACTIVE,
        seconds: float | None = None,
        more: Mapping[str, Any] = MappingProxyType({}),
        on_progress: OnProgress = lambda phase, done, total: None,
        on_note: OnNote = lambda text: None,
    ) -> Fields:
        """Have the worker do a task and return its report. Cancelled, the worker stops at its next
        batch.

        ``seconds``: how long it may take, for a task that can end early. ``more``: what else the
        task is told; it may be secret, and is written nowhere. ``on_note`` is told what went wrong
        on the way and was mended. Raise TaskFailed, and Preempted when the task gave way to a more
        urgent one.
        """
        granted = asyncio.get_running_loop().create_future()
        turn = _Turn(Task(task), repo, lane, granted, on_progress, on_note, seconds, dict(more))
        await self._turn(turn)
        try:
            return await self._do(turn)
        finally:
            self._current = None
            self._grant()

    def foresee(self) -> None:
        """Have a worker get ready, since a task is to be expected. Without one it ends by
        itself."""
        self._foreseen.set()

    def give_way(self) -> None:
        """Stop what can be stopped and taken up later."""
        turn = self._current
        if turn is not None and turn.task in YIELDING and not turn.preempted:
            turn.preempted = True
            task = asyncio.create_task(self._tell_to_stop(turn))
            self._stopping.add(task)
            task.add_done_callback(self._stopping.discard)

    @property
    def worker_pid(self) -> int | None:
        """The worker's process id; None while there is none."""
        return self._child.pid if self._child is not None and self._child.living else None

    def summary(self) -> Fields:
        """Return for status what the worker does: ``pid``, ``task``, and the tasks ``waiting``."""
        return {
            "pid": self.worker_pid,
            "task": None if self._current is None else str(self._current.task),
            "waiting": [str(place.turn.task) for place in sorted(self._places)],
        }

    async def serve(self) -> None:
        """Start a worker whenever one is foreseen; at the end let it finish its batch and end."""
        self._closed = False
        try:
            while True:
                await self._foreseen.wait()
                self._foreseen.clear()
                child = await self._living_child()
                if self._current is None:
                    await child.send({"stay": True})  # as long again as if it had just worked
        finally:
            self._closed = True
            last, self._child = self._child, None
            if last is not None:
                await last.end()
                await asyncio.to_thread(self._reaper.release, last.pid)

    async def _turn(self, turn: _Turn) -> None:
        """Wait until the worker is free for this task and none more urgent waits."""
        heapq.heappush(self._places, _Place(turn.order, next(self._numbers), turn))
        self._grant()
        running = self._current
        if running is not None and running is not turn and turn.order < running.order:
            self.give_way()
        try:
            await turn.granted
        except asyncio.CancelledError:
            if self._current is turn:
                self._current = None
                self._grant()
            else:
                self._places = [place for place in self._places if place.turn is not turn]
                heapq.heapify(self._places)
            raise

    def _grant(self) -> None:
        while self._current is None and self._places:
            turn = heapq.heappop(self._places).turn
            if not turn.granted.done():  # else it was cancelled just now
                self._current = turn
                turn.granted.set_result(None)

    async def _do(self, turn: _Turn) -> Fields:
        """Have the task done; a worker that dies is replaced, a few times."""
        crashes = 0
        while True:
            child = await self._free_child()
            if turn.preempted:
                raise Preempted
            # A number for each try: what comes late from an earlier one is not mistaken for it.
            turn.run = self._unfinished = next(self._runs)
            command: Fields = {"do": str(turn.task), "repo": turn.repo, "seconds": turn.seconds}
            await child.send({"job": turn.run} | command | turn.more)
            if turn.preempted:  # told to stop before there was anything to stop
                await self._tell_to_stop(turn)
            before = turn.done
            try:
                started, end = await self._follow(child, turn)
            except asyncio.CancelledError:
                await self._tell_to_stop(turn)
                raise
            if end is not None:
                self._unfinished = None
                return _report(turn, end)
            await self._drop(child)
            if not started and crashes == 0:
                crashes = 1  # it had ended for want of work just as the task came
                continue
            if turn.preempted:
                raise Preempted
            crashes = 1 if turn.done > before else crashes + 1
            note = f"the worker ended unexpectedly ({child.ending()})"
            logger.warning("%s during %s %s", note, turn.task, turn.repo or "")
            if crashes >= CRASHES:
                hint = "hermes jobs retry tries again; hermes doctor checks the memory"
                raise TaskFailed({"error": note, "hint": hint, "code": "crashed"})
            turn.done = 0
            turn.on_note(f"{note}; going on with a new one")

    async def _follow(self, child: Child, turn: _Turn) -> tuple[bool, Fields | None]:
        """Pass on progress until the task ends. Return whether it began, and how it ended; None if
        the worker ended instead."""
        started = False
        while (event := await child.read()) is not None:
            if event["job"] != turn.run:
                continue
            match event["event"]:
                case "started":
                    started = True
                case "progress":
                    turn.done = event["done"]
                    turn.on_progress(event["phase"], event["done"], event["total"])
                case _:
                    return started, event
        return started, None

    async def _free_child(self) -> Child:
        """Return a living worker that is in no earlier run any more; kill one that hangs there."""
        child = await self._living_child()
        run = self._unfinished
        if run is None:
            return child
        try:
            async with asyncio.timeout(STOP_SECONDS):
                while (event := await child.read()) is not None:
                    if event["job"] == run and event["event"] not in ("started", "progress"):
                        break
        except TimeoutError:
            logger.error("worker %d did not stop in time and is killed", child.pid)
            child.kill()
            while await child.read() is not None:
                pass
        self._unfinished = None
        if not child.living:
            await self._drop(child)
        return await self._living_child()

    async def _living_child(self) -> Child:
        async with self._starting:
            self._foreseen.clear()
            if self._child is not None and not self._child.living:
                await self._drop(self._child)
            if self._child is None:
                if self._closed:
                    raise Preempted
                self._unfinished = None
                started = time.monotonic()
                self._child = await Child.start()
                self._reaper.own(self._child.pid, "worker")
                logger.debug("a worker was started in %.3f s", time.monotonic() - started)
            return self._child

    async def _drop(self, child: Child) -> None:
        if self._child is child:
            self._child, self._unfinished = None, None
        await asyncio.to_thread(self._reaper.release, child.pid)

    async def _tell_to_stop(self, turn: _Turn) -> None:
        if self._child is not None and turn.run:
            await self._child.send({"cancel": turn.run})


def _report(turn: _Turn, end: Fields) -> Fields:
    match end["event"]:
        case "done":
            report: Fields = end["report"]
            return report
        case "cancelled":  # nobody else tells a run to stop: who was cancelled does not get here
            raise Preempted
        case _:
            logger.warning("%s %s failed: %s", turn.task, turn.repo or "", end["error"])
            raise TaskFailed(end)
