"""The worker: a child of the daemon that does the bulk work, one job at a time.

It reads commands from standard input and writes events to standard output, one JSON object a
line. It imports what is heavy at once, so the daemon starts it as soon as it sees a job coming.
It is the only process that writes the memory. It ends when its input closes, so it never
outlives the daemon, and after some time without work, so its memory is given back.

Commands: ``{"job": 1, "do": "read", "repo": "…"}``, ``{"cancel": 1}``, and ``{"stay": true}`` when a
job is to be expected.
Events: ``{"job": 1, "event": "started" | "progress" | "done" | "cancelled" | "failed", …}`` and
``{"event": "log", "level", "text"}``.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

from ..memory.errors import HermesError
from .background import go_on_without_parent, stand_back

IDLE_SECONDS = 120.0
"""Without work for so long, the worker ends; the next job starts another."""
LAST_SECONDS = 10.0
"""How long a job may take to stop, once the daemon is gone."""

PROGRESS_SECONDS = 0.1
"""Least time between two reports of progress."""

Fields = dict[str, Any]
Do = Callable[[Fields, "Running"], Fields]
"""Does what a command says and returns its report."""


class Channel:
    """The daemon's side as the worker sees it: commands in, events out, and whether to stop."""

    def __init__(
        self, commands: BinaryIO, events: BinaryIO, on_gone: Callable[[], None] = lambda: None
    ) -> None:
        """``on_gone`` is called, in a thread, when the daemon is gone."""
        self._events = events
        self._on_gone = on_gone
        self._lock = threading.Lock()
        self._waiting: queue.SimpleQueue[Fields | None] = queue.SimpleQueue()
        self._cancelled: set[int] = set()
        self._closed = threading.Event()
        threading.Thread(target=self._listen, args=(commands,), daemon=True).start()

    def send(self, event: Mapping[str, object]) -> None:
        """Send one event. Once the daemon is gone there is nobody to tell."""
        line = json.dumps(event).encode() + b"\n"
        try:
            with self._lock:
                self._events.write(line)
                self._events.flush()
        except BrokenPipeError:
            self._closed.set()

    def next_job(self, timeout: float) -> Fields | None:
        """Return the next command; None when the daemon is gone or time is up."""
        try:
            return None if self._closed.is_set() else self._waiting.get(timeout=timeout)
        except queue.Empty:
            return None

    def should_stop(self, job: int) -> bool:
        """Say whether this job is not wanted any more."""
        return job in self._cancelled or self._closed.is_set()

    def _listen(self, commands: BinaryIO) -> None:
        with commands:
            for line in commands:
                command: Fields = json.loads(line)
                if "cancel" in command:
                    self._cancelled.add(command["cancel"])
                else:
                    self._waiting.put(command)
        self._closed.set()
        self._waiting.put(None)
        self._on_gone()


class ToDaemon(logging.Handler):
    """Sends log records to the daemon, since one process alone may rotate the log."""

    def __init__(self, channel: Channel) -> None:
        super().__init__()
        self._channel = channel

    def emit(self, record: logging.LogRecord) -> None:
        """Send the record as one event."""
        self._channel.send({"event": "log", "level": record.levelname, "text": self.format(record)})


class Running:
    """The job that is being done, as its code sees the outside."""

    def __init__(self, channel: Channel, job: int) -> None:
        self._channel = channel
        self._job = job
        self._phase = ""
        self._told = 0.0

    def should_stop(self) -> bool:
        """Say whether the job is not wanted any more."""
        return self._channel.should_stop(self._job)

    def progress(self, phase: str, done: int, total: int) -> None:
        """Tell how far a phase is, at most some ten times a second."""
        now = time.monotonic()
        if phase == self._phase and done < total and now - self._told < PROGRESS_SECONDS:
            return
        self._phase, self._told = phase, now
        self.tell("progress", phase=phase, done=done, total=total)

    def tell(self, event: str, **fields: object) -> None:
        """Send an event of this job."""
        self._channel.send({"job": self._job, "event": event, **fields})


def main() -> int:
    """Run until the input closes or there has been no work for a while; return the exit code."""
    os.umask(0o077)
    stand_back()
    go_on_without_parent()
    channel = Channel(os.fdopen(os.dup(0), "rb", buffering=0), _claim_stdout(), _end_soon)
    logging.basicConfig(level=logging.INFO, handlers=[ToDaemon(channel)])
    logging.captureWarnings(True)
    # Only now: these take a second, and the channel must hear at once when the daemon goes. What is
    # imported stays, so no garbage is looked for in it, now or later.
    gc.disable()
    from ..ingest.redaction import warm_up

    # Where this machine has no compiled copy yet that takes 4 s, without Python's lock. The first
    # job may begin meanwhile; it waits where it needs the catalogue.
    threading.Thread(target=warm_up, name="catalogue", daemon=True).start()
    from .jobs import Workshop, import_store

    import_store()
    gc.freeze()
    gc.enable()
    with Workshop() as workshop:
        while (command := channel.next_job(IDLE_SECONDS)) is not None:
            if "job" in command:
                run(workshop.do, Running(channel, command["job"]), command)
    return 0


def run(do: Do, running: Running, command: Fields) -> None:
    """Given a command, do it and tell how it ended.

    A fault of ours is told and raised: the process ends, and the next job gets a fresh one.
    """
    running.tell("started")
    try:
        report = do(command, running)
    except HermesError as error:
        running.tell("failed", error=error.message, hint=error.hint, code=error.code)
    except Exception as error:
        running.tell("failed", error=f"{type(error).__name__}: {error}", hint="", code="internal")
        raise
    else:
        if running.should_stop():
            running.tell("cancelled")
        else:
            running.tell("done", report=report)


def _end_soon() -> None:
    """Let a job stop at its next batch. Should it hang, the process ends all the same."""
    last = threading.Timer(LAST_SECONDS, os._exit, (1,))
    last.daemon = True
    last.start()


def _claim_stdout() -> BinaryIO:
    """Keep standard output for events: what a library prints goes to standard error."""
    events = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return events


if __name__ == "__main__":
    code = main()
    logging.shutdown()
    sys.stderr.flush()
    # All is closed. What may still run is the thread that loads the catalogue.
    os._exit(code)
