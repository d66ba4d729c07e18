"""Calls that may hang, each with a time of its own: a network file system that does not answer must
not keep the brief from its other repositories.

A thread that hangs in the kernel can't be ended. It is left behind, and what it was about is not
asked again before it has come back: at most one thread hangs for each thing.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from ...memory.errors import HermesError

AT_ONCE = 4

T = TypeVar("T")

_hanging: dict[str, threading.Thread] = {}
"""By key: those that were left behind."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A call that brought nothing."""

    reason: str
    error: Exception | None = None


def bounded(
    calls: Mapping[str, Callable[[], T]], seconds: float, at_once: int = AT_ONCE
) -> dict[str, T | Failure]:
    """Make calls, some at a time, each with ``seconds`` to end; return what each brought.

    Blocking, for at most as long as the slowest take. What a call raises is in its Failure.
    """
    done: queue.SimpleQueue[tuple[str, T | Failure]] = queue.SimpleQueue()
    found: dict[str, T | Failure] = {}
    waiting = dict(calls)
    running: dict[str, tuple[threading.Thread, float]] = {}
    while waiting or running:
        while waiting and len(running) < at_once:
            key = next(iter(waiting))
            call = waiting.pop(key)
            if _still_hangs(key):
                found[key] = Failure("it still does not answer")
                continue
            thread = threading.Thread(target=partial(_make, key, call, done), daemon=True)
            running[key] = (thread, time.monotonic() + seconds)
            thread.start()
        if not running:
            continue
        soonest = min(until for _, until in running.values())
        try:
            key, answer = done.get(timeout=max(0.0, soonest - time.monotonic()))
        except queue.Empty:
            for late in [key for key, (_, until) in running.items() if until <= time.monotonic()]:
                _hanging[late] = running.pop(late)[0]
                found[late] = Failure(f"it did not answer within {seconds:g} s")
            continue
        if running.pop(key, None) is not None:
            found[key] = answer
    return {key: found[key] for key in calls}


def _make(
    key: str, call: Callable[[], T], done: queue.SimpleQueue[tuple[str, T | Failure]]
) -> None:
    answer: T | Failure = Failure("it was given up for a fault of ours")
    try:
        answer = call()
    except HermesError as error:
        answer = Failure(error.message, error)
    except OSError as error:
        answer = Failure(str(error), error)
    finally:
        done.put((key, answer))


def _still_hangs(key: str) -> bool:
    thread = _hanging.get(key)
    if thread is None or not thread.is_alive():
        _hanging.pop(key, None)
        return False
    return True
