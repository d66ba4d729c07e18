"""A job as whoever watches it sees it: how far it is, and how it ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Container, Coroutine
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from .ledger.errors import NoSuchId
from .ledger.ledger import Ledger
from .ledger.records import OPEN, WELL, Job, State

Fields = dict[str, Any]


@dataclass
class Live:
    """What is known of a job that is not over. ``changed`` is set, and replaced, at each change."""

    job: Job
    phase: str = ""
    done: int = 0
    total: int = 0
    note: str = ""
    """The last thing that went wrong on the way, and what was done about it."""
    retrying: bool = False
    """It failed, and is tried again later."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def change(self, **fields: Any) -> None:
        """Set fields and wake whoever watches."""
        for name, value in fields.items():
            setattr(self, name, value)
        before, self.changed = self.changed, asyncio.Event()
        before.set()

    def progress(self, phase: str, done: int, total: int) -> None:
        """Tell how far it is."""
        self.change(phase=phase, done=done, total=total)

    def warn(self, text: str) -> None:
        """Tell what went wrong and was mended."""
        self.change(note=text)

    def fields(self) -> Fields:
        """Return it as an object: the job's own fields and how far it is."""
        far = {"phase": self.phase, "done": self.done, "total": self.total}
        return self.job.fields() | far | ({"note": self.note} if self.note else {})


async def follow(live: Live, closing: asyncio.Event) -> AsyncGenerator[Fields]:
    """Yield a job's progress until it is over; the last object says how. Leaving is free."""
    note = ""
    while True:
        changed = live.changed
        if live.note != note:
            note = live.note
            yield {"type": "notice", "text": note, "hint": ""}
        if live.job.state not in OPEN or live.retrying:
            break
        if live.job.state is State.RUNNING and live.phase:
            yield {
                "type": "progress",
                "phase": live.phase,
                "done": live.done,
                "total": live.total,
            }
        if not await _either(changed.wait(), closing.wait()):
            yield {
                "type": "error",
                "error": "the daemon is stopping; the work goes on when it starts again",
                "hint": "hermes up",
                "code": "stopping",
            }
            return
    yield _last(live)


def _last(live: Live) -> Fields:
    job = live.job
    if live.retrying:
        hint = job.error.get("hint", "")
        again = f"it is tried again by itself; hermes jobs show j{job.id} tells when"
        error = job.error.get("error", job.reason)
        hint = f"{hint}; {again}" if hint else again
        return {"type": "error", "error": error, "hint": hint, "code": job.error.get("code", "")}
    if job.state is State.CANCELLED:
        return {"type": "error", "error": "cancelled", "hint": "", "code": "cancelled"}
    if job.state in WELL:
        return {
            "type": "done",
            "report": job.report,
            "state": str(job.state),
            "text": job.reason,
            "job": job.id,
        }
    error = job.error or {"error": job.reason, "hint": "", "code": str(job.state)}
    return {"type": "error", **error}


class LiveJobs:
    """Jobs that run, or that someone watches. Belongs to the loop."""

    def __init__(
        self, ledger: Ledger, closing: asyncio.Event, on_watched: Callable[[], None]
    ) -> None:
        """``closing`` ends all watching. ``on_watched`` is told when a job is watched that may not
        run, so that `look_after` is called."""
        self._ledger = ledger
        self._closing = closing
        self._on_watched = on_watched
        self._live: dict[int, Live] = {}

    def start(self, job: Job) -> Live:
        """Take note of a job that begins to run."""
        live = self._live.setdefault(job.id, Live(job))
        live.change(job=job, phase="", done=0, total=0)
        return live

    def tell(self, job: Job, *, retrying: bool = False) -> None:
        """Tell who watches a job how it stands now; with ``retrying``, after it failed."""
        live = self._live.get(job.id)
        if live is None:
            return
        if job.state not in OPEN or retrying:
            del self._live[job.id]
        live.change(job=job, retrying=retrying and job.state is State.QUEUED)

    async def watch(self, job_id: int) -> AsyncGenerator[Fields]:
        """Yield a job's progress until it is over; the last object says how. Raise NoSuchId."""
        live = self._live.get(job_id)
        if live is None:
            job = await asyncio.to_thread(self._ledger.queue.get, job_id)
            live = Live(job)
            if job.state in OPEN:
                # It may have started meanwhile, or even ended: then that is found next.
                live = self._live.setdefault(job_id, live)
                self._on_watched()
        async with aclosing(follow(live, self._closing)) as progress:
            async for fields in progress:
                yield fields

    async def look_after(self, running: Container[int]) -> None:
        """Look after watched jobs that do not run: one may have expired or been cancelled."""
        for number in [number for number in self._live if number not in running]:
            try:
                job = await asyncio.to_thread(self._ledger.queue.get, number)
            except NoSuchId:  # its repository was forgotten, and all that was to be done there
                live = self._live.get(number)
                if live is None:
                    continue
                job = replace(live.job, state=State.CANCELLED)
            if number not in running:
                self.tell(job)

    def fields(self, job: Job) -> Fields:
        """Return a job as an object, with how far it is."""
        return self._live.get(job.id, Live(job)).fields()


async def _either(first: Coroutine[Any, Any, object], second: Coroutine[Any, Any, object]) -> bool:
    """Wait for one of two; return whether it was the first alone."""
    waits = [asyncio.ensure_future(first), asyncio.ensure_future(second)]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        return not waits[1].done()
    finally:
        for wait in waits:
            wait.cancel()
