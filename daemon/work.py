"""Bulk work, seen from the daemon: a queue of jobs, and the one worker process that does them."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import AsyncGenerator, Callable

from .child import Child
from .job import ENDED, URGENCY, YIELDING, Fields, Job, State, Task

CRASHES = 3
"""So many ends of the worker in a row without any progress, and its job has failed."""
RETRY_SECONDS = (30.0, 600.0)
"""First and longest wait before vectors are tried again while the embedder does not answer."""

logger = logging.getLogger(__name__)


class Work:
    """The queue. A service: `serve` does the jobs, most urgent first."""

    name = "work"

    def __init__(self, on_rebuilt: Callable[[], None]) -> None:
        """``on_rebuilt`` is called when the memory's files were made anew."""
        self._on_rebuilt = on_rebuilt
        self.running: Job | None = None
        self.closing = asyncio.Event()
        """Set when the daemon stops: nobody is to wait for a job any more."""
        self._numbers = itertools.count(1)
        self._runs = itertools.count(1)
        self._run = 0
        self._waiting: list[Job] = []
        self._last: dict[tuple[Task, str | None], Job] = {}
        self._wake = asyncio.Event()
        self._child: Child | None = None
        self._foreseen = False
        self._yields = False
        self._retry_delay = RETRY_SECONDS[0]

    def submit(self, task: Task, repo: str | None = None) -> Job:
        """Queue a job, or return the equal one that waits or runs."""
        running = self.running
        if running is not None and (running.task, running.repo) == (task, repo):
            running.again = task is Task.INDEX  # what was committed since it began
            return running
        for job in self._waiting:
            if (job.task, job.repo) == (task, repo):
                return job
        job = Job(next(self._numbers), task, repo)
        self._put(job)
        return job

    def foresee(self) -> None:
        """Have a worker get ready, since a job is about to come. Without one it ends by itself."""
        self._foreseen = True
        self._wake.set()

    async def cancel(self, repo: str) -> None:
        """Drop what waits for a repository, and stop what runs for it."""
        for job in [job for job in self._waiting if job.repo == repo]:
            self._waiting.remove(job)
            job.change(state=State.CANCELLED)
        if self.running is not None and self.running.repo == repo:
            self.running.again, self.running.unwanted = False, True
            await self._tell_to_stop(self.running)

    async def watch(self, job: Job) -> AsyncGenerator[Fields]:
        """Yield the job's progress until it ends; the last object says how. Leaving is free."""
        note = ""
        while job.state not in ENDED:
            changed = job.changed
            if job.note != note:
                note = job.note
                yield {"type": "notice", "text": note, "hint": ""}
            if job.state is State.RUNNING and job.phase:
                yield {
                    "type": "progress",
                    "phase": job.phase,
                    "done": job.done,
                    "total": job.total,
                }
            if not await self._change_of(changed):
                yield {
                    "type": "error",
                    "error": "the daemon is stopping; the work goes on when it starts again",
                    "hint": "hermes up",
                    "code": "stopping",
                }
                return
        if job.state is State.DONE:
            yield {"type": "done", "report": job.report}
        elif job.state is State.FAILED:
            yield {"type": "error", **job.error}
        else:
            yield {"type": "error", "error": "cancelled", "hint": "", "code": "cancelled"}

    def summary(self) -> Fields:
        """Return what runs, what waits, and what last failed, for status."""
        failed = [job.summary() for job in self._last.values() if job.state is State.FAILED]
        return {
            "running": self.running.summary() if self.running else None,
            "waiting": [job.summary() for job in self._waiting],
            "failed": failed,
            "worker_pid": self._child.pid if self._child and self._child.living else None,
        }

    def latest(self, task: Task, repo: str | None) -> Job | None:
        """Return the job of this kind that runs, else that waits, else that ended last."""
        jobs = [self.running] if self.running else []
        for job in (*jobs, *self._waiting):
            if (job.task, job.repo) == (task, repo):
                return job
        return self._last.get((task, repo))

    async def serve(self) -> None:
        """Do the jobs until cancelled; then let the worker finish its batch and end."""
        try:
            while True:
                while not self._waiting:
                    self._wake.clear()
                    await self._wake.wait()
                    if self._foreseen:
                        await self._living_child()
                job = min(self._waiting, key=lambda job: (URGENCY[job.task], job.id))
                self._waiting.remove(job)
                self.running = job
                job.change(state=State.RUNNING, phase="", done=0, total=0)
                await self._do(job)
                self.running = None
                self._follow_up(job)
        finally:
            self.running = None
            if self._child is not None:
                await self._child.end()
                self._child = None

    def _put(self, job: Job) -> None:
        self._waiting.append(job)
        self._wake.set()
        running = self.running
        if (
            running is not None
            and running.task in YIELDING
            and URGENCY[job.task] < URGENCY[running.task]
        ):
            self._yields = True
            self._stopping = asyncio.create_task(self._tell_to_stop(running))

    async def _do(self, job: Job) -> None:
        """Have the job done; a worker that dies is replaced, a few times."""
        crashes = 0
        while True:
            child = await self._living_child()
            # A number for each try: a job that yielded before is not to be stopped for it again.
            self._run = next(self._runs)
            await child.send({"job": self._run, "do": job.task, "repo": job.repo})
            if job.unwanted or self._yields:  # told to stop before there was anything to stop
                await self._tell_to_stop(job)
            started, before = False, job.done
            while (event := await child.read()) is not None:
                if event["job"] != self._run:
                    continue
                if event["event"] == "started":
                    started = True
                elif event["event"] == "progress":
                    job.change(phase=event["phase"], done=event["done"], total=event["total"])
                else:
                    self._end(job, event)
                    return
            self._child = None
            if not started and crashes == 0:
                crashes = 1  # it had ended for want of work just as the job came
                continue
            if job.unwanted or self._yields:
                job.change(state=State.CANCELLED)
                return
            crashes = 1 if job.done > before else crashes + 1
            note = f"the worker ended unexpectedly ({child.ending()})"
            logger.warning("%s during %s %s", note, job.task, job.repo or "")
            if crashes >= CRASHES:
                hint = "hermes up tries again; hermes doctor checks the memory"
                job.change(
                    state=State.FAILED, error={"error": note, "hint": hint, "code": "crashed"}
                )
                return
            job.change(note=f"{note}; going on with a new one", done=0)

    async def _living_child(self) -> Child:
        self._foreseen = False
        if self._child is None or not self._child.living:
            self._child = await Child.start()
        return self._child

    def _end(self, job: Job, event: Fields) -> None:
        match event["event"]:
            case "done":
                job.change(state=State.DONE, report=event["report"])
            case "cancelled":
                job.change(state=State.CANCELLED)
            case _:
                error = {name: event[name] for name in ("error", "hint", "code")}
                logger.warning("%s %s failed: %s", job.task, job.repo or "", error["error"])
                job.change(state=State.FAILED, error=error)

    def _follow_up(self, job: Job) -> None:
        """A fresh repository's text first; then the vectors of all; then the tidying up."""
        yielded, self._yields = self._yields, False
        if job.state is State.CANCELLED and yielded:
            job.change(state=State.WAITING)
            self._put(job)
            return
        self._last[job.task, job.repo] = job
        if job.again:
            self.submit(job.task, job.repo)
        if job.state is State.DONE:
            match job.task:
                case Task.REBUILD:
                    self._on_rebuilt()
                    for repo in job.report["repos"]:
                        self.submit(Task.INDEX, repo)
                case Task.INDEX:
                    self.submit(Task.VECTORS)
                case Task.VECTORS | Task.FORGET:
                    self.submit(Task.MAINTAIN)
                case Task.MAINTAIN:
                    pass
        if job.task is Task.VECTORS:
            self._try_vectors_later(job)

    def _try_vectors_later(self, job: Job) -> None:
        if job.state is State.FAILED and job.error["code"] == "embedder":
            loop = asyncio.get_running_loop()
            loop.call_later(self._retry_delay, self.submit, Task.VECTORS)
            self._retry_delay = min(self._retry_delay * 2, RETRY_SECONDS[1])
        else:
            self._retry_delay = RETRY_SECONDS[0]

    async def _tell_to_stop(self, job: Job) -> None:
        if self.running is job and self._child is not None:
            await self._child.send({"cancel": self._run})

    async def _change_of(self, changed: asyncio.Event) -> bool:
        """Wait for the event; return False if the daemon is stopping instead."""
        waits = [asyncio.ensure_future(e.wait()) for e in (changed, self.closing)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        return not self.closing.is_set()
