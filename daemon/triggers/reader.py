"""Watchdog's inotify reader, which says when it ends by itself, and once when events were lost."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable

from watchdog.observers.inotify_c import (
    CallbackId,
    InotifyEvent,
    InotifyFD,
    Mask,
    WatchCallback,
    WatchDescriptor,
)


class Reader(InotifyFD):
    """A thread that reads one inotify instance. What it is given to call is called in it."""

    def __init__(self, lost: Callable[[], None], died: Callable[[str], None]) -> None:
        """Raise OSError if the system has no instance left."""
        super().__init__()
        self.name = "hermes-inotify"
        self._lost = lost
        self._died = died
        self._ending = False

    def watch(self, path: bytes, mask: int, callback: WatchCallback, number: int) -> int:
        """Watch a folder; return the watch's number, below zero if it may not be read.

        Raise OSError.
        """
        return self.add_callback(path, Mask(mask), callback, CallbackId(number))

    def unwatch(self, watches: Iterable[tuple[int, int]]) -> None:
        """End watches, each given by the number it got and the number it was given."""
        self.remove_callbacks([(WatchDescriptor(wd), CallbackId(number)) for wd, number in watches])

    def end(self) -> None:
        """End all watches and the thread."""
        self._ending = True
        self.stop()
        self.join()

    def run(self) -> None:
        try:
            super().run()
        finally:
            if not self._ending:
                error = sys.exception()
                self._died(f"{type(error).__name__}: {error}" if error else "it was stopped")

    def handle_event(self, event: InotifyEvent) -> None:
        if event.is_queue_overflow:  # once, where the default would call each folder
            self._lost()
        else:
            super().handle_event(event)
