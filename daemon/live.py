"""A job as whoever watches it sees it: how far it is, and how it ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from dataclasses import dataclass, field
from typing import Any

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


async def _either(first: Coroutine[Any, Any, object], second: Coroutine[Any, Any, object]) -> bool:
    """Wait for one of two; return whether it was the first alone."""
    waits = [asyncio.ensure_future(first), asyncio.ensure_future(second)]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        return not waits[1].done()
    finally:
        for wait in waits:
            wait.cancel()
